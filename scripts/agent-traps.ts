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

/** Facts about a host that users should know and that no table in the source holds. Measured on the versions above, or documented. */
export const AGENT_TRAPS: Readonly<Partial<Record<HostId, readonly string[]>>> = {
  claude: [
    'If an `onFailure` is not `"block"` or `"continue"`, or a hook `type` is unknown, Claude Code ignores the whole settings file, its permission rules included.',
    '`onFailure: "block"`, which `install` writes on the three guarded events, stops the call if hooksh is missing, is killed or answers too late. Plain text and incomplete JSON still let the call run.',
    "`continue: false` alone lets the tool run and then ends the turn; hooksh denies instead.",
    "Claude Code never calls hooks of `type: http` for SessionStart. A status other than 2xx lets the call run, whatever the body says.",
  ],
  codex: [
    "`codex exec` silently skips untrusted hooks; after every change of an entry you must trust it again.",
    "A denial without a reason, with an unknown field, or with exit code 1 lets the call run; hooksh always sends the form that Codex obeys.",
    "A patch that the model sends through the shell, `apply_patch <<'EOF'`, is a `Bash` call without a PostToolUse event; guards of `write_file` and `edit_file` see its paths.",
    "The model can type into a program that runs (`write_stdin`), and Codex runs no hook for it. While a hook on `pre_tool_use` or `tool_guard` matches the shell, hooksh refuses shells, REPLs, editors and `ssh` without a command. The payload does not say whether a command gets a terminal (`tty: true`), so a program that hooksh does not know as one that takes commands can still be typed into.",
    "Codex cannot ask, so the `ask` of a hook becomes a denial.",
  ],
  gemini: [
    "Timeouts are in milliseconds.",
    "PreCompress fires before every model request, even if nothing is compressed.",
    "Context from a hook before a tool is dropped.",
  ],
  copilot: [
    "In a file with camelCase event names, the matcher `*` and an empty matcher match nothing; `install` writes no matcher.",
    "Payloads do not name their event, so a command needs `--event`; `install` writes it.",
    "Exit code 2 denies, but the model does not read the reason; hooksh denies in JSON.",
    "In a headless run, an `ask` is a denial.",
  ],
  cursor: [
    "If one event name is unknown, Cursor ignores the whole file.",
    "`failClosed: true` also blocks on an empty answer, which hooksh gives if no hook objects; `install` does not set it.",
    "An `ask` is honoured before shell commands and MCP calls only; elsewhere hooksh denies.",
    "A shell call fires both preToolUse and beforeShellExecution, an MCP call preToolUse and beforeMCPExecution.",
  ],
  agy: [
    "Anything except empty output or a complete answer denies: `{}`, text, an exit code, a timeout.",
    "Payloads do not name their event, so a command needs `--event`; `install` writes it.",
    "Questions to the user fire no hook.",
    "A finished step need not name its call: hooks of `post_tool_use` then see the tool `step`, which only the matcher `*` or `step` fits.",
  ],
  kimi: [
    "If one key or event is unknown, Kimi Code ignores all hooks, with a warning.",
    "The matcher `*` is not a valid expression and matches nothing; `install` writes no matcher.",
    "Kimi Code reads no hooks of a project.",
  ],
  droid: [
    "Droid ignores a `hooks.json` that wraps its events in `hooks`; the events must be the top-level keys. `install` writes `settings.json`.",
    "An `ask` stops nothing under `--auto`; hooksh denies there.",
  ],
  qwen: [
    "A rewrite is ignored; hooksh denies the call instead.",
    "UserPromptSubmit also fires after every batch of tools, with an empty prompt; hooksh then runs no hook.",
    "If standard output is empty, Qwen Code reads standard error as the answer; hooksh writes nothing there.",
  ],
  opencode: [
    "opencode has no hook commands: `install` writes a small plugin that calls hooksh.",
    "The same file in two plugin folders runs twice.",
    "opencode 1.18.33 never calls `permission.ask`; the plugin denies in `tool.execute.before`, which runs first, for sub-agents too.",
    "`tool.execute.after` is not called if the tool failed.",
  ],
  "cline-sdk": [
    "Only executables named PreToolUse, PostToolUse, TaskStart and TaskComplete fire.",
    "A denial ends the whole run, and the model never reads the reason.",
  ],
  cline: ["Hooks never run with a provider that runs tools itself, such as Claude Code."],
  goose: ["goose silently skips a rule whose matcher is a bare `*`; `install` writes no matcher."],
  crush: ["A guard that fails lets the call run; hooksh denies instead."],
  vibe: [
    "Any exit code except 0 is a failure, even 2; with `strict = true`, which `install` writes, a failure stops the call.",
  ],
  grok: ["The default timeout is 5 seconds."],
  vscode: [
    "Matchers in Claude Code's files are ignored: every hook runs on every tool. hooksh applies its own matchers.",
    "Before a workspace has a chat, a payload without a tool looks like one of Copilot CLI; `install` writes `--dialect vscode`.",
  ],
  windsurf: [
    "Windsurf reads only exit codes: a hook cannot ask, rewrite or add context.",
    "The configuration has no key for a timeout.",
  ],
  q: ["`cache_ttl_seconds` lets the host reuse an answer without running the hook; `install` does not write it."],
  kiro: ["Before Kiro IDE 1.0, hooks got no data about the tool call."],
};
