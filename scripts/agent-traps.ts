import type { HostId } from "../src/dialects/host-files.ts";

/** The versions whose payloads were recorded, for hosts that are not driven by test/hosts. */
export const RECORDED: Readonly<Partial<Record<HostId, string>>> = {
  claude: "2.1.330",
  codex: "0.169.0",
  gemini: "0.61.0",
  copilot: "1.0.102",
  qwen: "0.24.4",
  kimi: "2.1.0",
  "cline-sdk": "3.0.65",
  droid: "0.225.1",
  opencode: "1.18.33",
};

/** What people should know about a host that no table of hooksh says. Measured on the versions above, or documented. */
export const AGENT_TRAPS: Readonly<Partial<Record<HostId, readonly string[]>>> = {
  claude: [
    'An `onFailure` other than `"block"` and `"continue"`, or an unknown hook `type`, and Claude Code loads nothing of that settings file, its permission rules included.',
    '`onFailure: "block"`, which `install` writes on the three guarded events, stops the call if hooksh is missing, killed or too late. Text, and JSON that is cut off, still let the call run.',
    "`continue: false` alone lets the tool run and then ends the turn; hooksh denies instead.",
    "Hooks of `type: http` are never called for SessionStart. Any status but 2xx lets the call run, whatever the body says.",
  ],
  codex: [
    "`codex exec` skips untrusted hooks without a word; every change of an entry needs trust again.",
    "A denial without a reason, with an unknown field beside it, or with exit code 1 lets the call run; hooksh always gives the one form that holds.",
    "A patch that the model sends through the shell is a `Bash` call without a PostToolUse event.",
    "Codex does not ask: an `ask` of a hook is a denial.",
  ],
  gemini: [
    "Timeouts are in milliseconds.",
    "PreCompress fires before every model request, compressed or not.",
    "Context from a hook before a tool is dropped.",
  ],
  copilot: [
    "In a file with camelCase event names the matcher `*` and the empty one match nothing; `install` writes none.",
    "A payload names no event, so a command needs `--event`; `install` writes it.",
    "Exit code 2 denies, but the model does not read the reason; hooksh says it in JSON.",
    "An `ask` with nobody there is a denial.",
  ],
  cursor: [
    "One unknown event name and Cursor ignores the whole file.",
    "`failClosed: true` blocks on an empty answer too, which is what hooksh answers if no hook objects; `install` does not set it.",
    "An `ask` is honoured before shell commands and MCP calls only; elsewhere hooksh denies.",
    "A shell call fires both preToolUse and beforeShellExecution, an MCP call preToolUse and beforeMCPExecution.",
    "The command line agent does not run the hooks of a project.",
  ],
  agy: [
    "Everything but empty output or a complete answer denies: `{}`, text, an exit code, a timeout.",
    "A payload names no event; `install` writes `--event`.",
    "The tool calls of sub-agents and questions to the user fire no hook.",
  ],
  kimi: [
    "One unknown key or event, and Kimi Code ignores all hooks, with a warning.",
    "The matcher `*` is not a valid expression and matches nothing; `install` writes none.",
    "There is no file for a project.",
  ],
  droid: [
    "`hooks.json` works with the events at the top only; in the form with a `hooks` wrapper it is ignored. `install` writes `settings.json`.",
    "An `ask` stops nothing under `--auto`; hooksh denies there.",
    "UserPromptSubmit does not fire in `droid exec`.",
  ],
  qwen: [
    "A rewrite is ignored; hooksh denies the call instead.",
    "UserPromptSubmit fires again after every batch of tools, with an empty prompt; no hook runs then.",
    "If standard output is empty, standard error is read as the answer; hooksh writes nothing there.",
  ],
  opencode: [
    "opencode has no hook commands: `install` writes a small plugin that calls hooksh.",
    "`--pure` starts opencode without plugins. The same file in two plugin folders runs twice.",
    "`permission.ask` is never called by 1.18.33; the plugin denies in `tool.execute.before`, which comes first, for sub-agents too.",
    "`tool.execute.after` is not called if the tool failed.",
  ],
  "cline-sdk": [
    "Only executables named PreToolUse, PostToolUse, TaskStart and TaskComplete fire.",
    "A denial ends the whole run, and the model never reads the reason.",
  ],
  cline: ["With a provider that runs tools itself, such as Claude Code, hooks never run."],
  goose: [
    "Hooks do not run for sub-agents.",
    "A bare `*` as matcher skips the rule in silence; `install` writes none.",
  ],
  crush: [
    "Only the calls of the top-level agent fire hooks.",
    "A guard that breaks lets the call run; hooksh denies instead.",
  ],
  vibe: [
    "Any exit code but 0 counts as a failure, also 2; with `strict = true`, which `install` writes, a failure stops the call.",
    "Hooks of a project run in trusted folders only.",
  ],
  grok: ["The default timeout is 5 seconds.", "Hooks of a project need trust: `/hooks-trust` or `--trust`."],
  vscode: [
    "Matchers in Claude's files are ignored: every hook runs on every tool. hooksh matches by itself.",
    "Before a workspace has a chat, a payload without a tool looks like Copilot's; `install` writes `--dialect vscode`.",
  ],
  windsurf: ["Only exit codes are read: no ask, no rewrite, no context.", "There is no timeout key."],
  q: ["`cache_ttl_seconds` may answer from a cache without running the hook; `install` writes none."],
  kiro: ["Before IDE 1.0, hooks got no data about the tool call."],
};
