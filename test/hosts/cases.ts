import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FurtherKind } from "./further-tools.ts";
import type { Sandbox } from "./host.ts";

/** What one run left behind. */
export interface Seen {
  /** Whether the call that the model asked for ran, and whether a rewritten one did. */
  ran: boolean;
  rewritten: boolean;
  /** The requests to the model, as text. */
  turns: readonly string[];
  /** What the program printed. */
  output: string;
  /** Exit code of the program; undefined if it did not exit and was killed. */
  code: number | undefined;
  /** Exit code of `hooksh status` afterwards. */
  status: number | undefined;
}

/** What a run means: `text` goes into the table. */
export interface Verdict {
  ok: boolean;
  text: string;
}

/** One policy, and the expected result of a run under it. */
export interface Case {
  name: string;
  /** What the policy does, for the page. */
  about: string;
  /** Which tool the model calls. */
  tool: "shell" | "file" | "read" | "search" | "agent" | FurtherKind;
  /** Where the policy is registered, if not for the user. */
  scope?: "user" | "project";
  /** The hooks as YAML. */
  policy(sandbox: Sandbox): string;
  /** Further flags of `hooksh install`. */
  install?: readonly string[];
  /** The commands that the model asks for, one after the other, if not {@link commandFor}. */
  commands?(sandbox: Sandbox): readonly string[];
  /** What happens between `hooksh install` and the start of the program. */
  spoil?(sandbox: Sandbox): void;
  judge(seen: Seen): Verdict;
}

/** The files that the model's call and the rewritten one create. */
export const ranFile = ({ project }: Sandbox) => join(project, "RAN");
export const rewrittenFile = ({ project }: Sandbox) => join(project, "REWRITTEN");

/** A file with {@link PRINTED}, to be read and found. */
export const noteFile = ({ project }: Sandbox) => join(project, "note.txt");

/** What the model's command prints, and what the other tools return; no call contains it. */
export const PRINTED = "top-secret";
const REASON = "the policy says no";
const NOTE = "a note of the policy";

/** The command that the model asks for. */
export const commandFor = (sandbox: Sandbox) => `touch ${ranFile(sandbox)}; printf 'top-%s' secret`;

/** A guard on a tool: one command hook. `keys` are further keys of the hook. */
function guard(command: string, options: { matcher?: string; keys?: string } = {}): string {
  return grouped("pre_tool_use", command, options);
}

/** A command hook on an event with a matcher. */
function grouped(event: string, command: string, { matcher = "shell", keys = "" } = {}): string {
  return `${event}:
  - matcher: ${matcher}
    hooks:
      - type: command
        command: |
          ${command}
        ${keys}
`;
}

/** A command hook on an event without a matcher. */
function hook(event: string, ...command: string[]): string {
  return `${event}:
  - type: command
    command: |
${command.map((line) => `      ${line}\n`).join("")}`;
}

/** A shell command that prints an answer of a hook. */
const answer = (value: unknown) => `echo '${JSON.stringify(value)}'`;
const decision = (permission_decision: string) =>
  answer({ hook_specific_output: { permission_decision, permission_decision_reason: REASON } });
const block = answer({ decision: "block", reason: REASON });

/** Whether the model read a text that was not in its first request. */
function told(turns: readonly string[], text: string): boolean {
  const times = (turn = "") => turn.split(text).length;
  return turns.slice(1).some((turn) => times(turn) > times(turns[0]));
}

/** The guarded call must not run. The text says whether the model read why or the program ended the run. */
function stopped({ ran, turns, code }: Seen, why: string): Verdict {
  if (ran) return { ok: false, text: "**ran**" };
  if (turns.length === 0) return { ok: false, text: "no request to the model" };
  if (code === undefined) return { ok: false, text: "did not end" };
  if (told(turns, why)) return { ok: true, text: "stopped" };
  return turns.length === 1
    ? { ok: true, text: "stopped, run ended" }
    : { ok: false, text: "stopped without a reason" };
}

/** A policy that replaces every result. The guard of no tool is there because redaction alone may be refused. */
const REPLACING = [
  grouped("tool_response_transform", answer({ hook_specific_output: { updated_tool_response: "withheld" } }), {
    matcher: '"*"',
  }),
  guard("exit 2", { matcher: "other_tool" }),
].join("");

/** A case in which the model must read `withheld` in place of what a tool returned. */
function replaces(name: string, about: string, tool: Case["tool"]): Case {
  return {
    name,
    about,
    tool,
    policy: () => REPLACING,
    judge: ({ turns }) =>
      told(turns, "withheld") && !told(turns, PRINTED)
        ? { ok: true, text: "replaced" }
        : { ok: false, text: "reached the model" },
  };
}

/** A case in which the shell's guard stops the call; the model reads `why`. */
function stops(name: string, about: string, command: string, why: string, keys?: string): Case {
  const policy = () => guard(command, keys === undefined ? {} : { keys });
  return { name, about, tool: "shell", policy, judge: (seen) => stopped(seen, why) };
}

/** A case in which a guard stops a tool that is known by what it does, or by its server. */
function stopsTool(tool: FurtherKind, name: string, about: string, policy: string, why = REASON): Case {
  return { name, about, tool, policy: () => policy, judge: (seen) => stopped(seen, why) };
}

/** Puts another executable in hooksh's place, which is a hard link. */
function replaceHooksh({ hooksh }: Sandbox, text: string): void {
  rmSync(hooksh);
  writeFileSync(hooksh, text, { mode: 0o755 });
}

export const CASES: readonly Case[] = [
  {
    name: "no match",
    about: "guards another tool",
    tool: "shell",
    policy: () => guard("exit 2", { matcher: "other_tool" }),
    judge: ({ ran, turns }) =>
      ran && told(turns, PRINTED) ? { ok: true, text: "ran" } : { ok: false, text: "did not run" },
  },
  stops("deny", "denies", decision("deny"), REASON),
  { ...stops("project", "denies, registered for the project alone", decision("deny"), REASON), scope: "project" },
  stops("exit 2", "exits 2 with the reason on standard error", `echo '${REASON}' >&2; exit 2`, REASON),
  stops("silent exit 2", "exits 2 without a word", "exit 2", "blocked by a hook"),
  stops("ask", "asks, in a run without a user", decision("ask"), REASON),
  {
    name: "rewrite",
    about: "replaces the command",
    tool: "shell",
    policy: (sandbox) =>
      guard(answer({ hook_specific_output: { updated_input: { cmd: `touch ${rewrittenFile(sandbox)}` } } })),
    judge: (seen) => (seen.rewritten && !seen.ran ? { ok: true, text: "rewritten ran" } : stopped(seen, "REWRITTEN")),
  },
  stops("hangs", "sleeps for an hour; its timeout is 2 s", "sleep 3600", "timed out", "timeout: 2"),
  stops("hangs on", "sleeps for an hour, which its timeout allows", "sleep 3600", "hooksh: ", "timeout: 7200"),
  stops("exit 1", "exits 1", "exit 1", "exited with status 1"),
  stops("signal", "is killed by a signal", "kill -9 $$", "killed by SIGKILL"),
  stops("no program", "is a program that does not exist", "/nonexistent/guard", "exited with status 127"),
  {
    ...stops("broken file", "its file is no longer valid YAML", "exit 0", "hooksh: "),
    spoil: ({ policy }) => writeFileSync(policy, "pre_tool_use: [\n"),
  },
  { ...stops("no file", "its file was removed", "exit 0", "hooksh: "), spoil: ({ policy }) => rmSync(policy) },
  { ...stops("no hooksh", "hooksh was removed", "exit 0", "hooksh"), spoil: ({ hooksh }) => rmSync(hooksh) },
  {
    ...stops("hooksh dies", "hooksh itself is killed by a signal", "exit 0", "hooksh"),
    spoil: (sandbox) => replaceHooksh(sandbox, "#!/bin/sh\nkill -9 $$\n"),
  },
  {
    ...stops("emptied", "hooksh's file was emptied", "exit 0", "hooksh"),
    spoil: (sandbox) => replaceHooksh(sandbox, ""),
  },
  {
    ...stops("hooksh hangs", "a program that hangs is in hooksh's place", "exit 0", "hooksh"),
    install: ["--deadline", "5"],
    spoil: (sandbox) => replaceHooksh(sandbox, "#!/bin/sh\nsleep 3600\n"),
  },
  {
    ...stops("stopped", "stops hooksh (SIGSTOP)", "kill -STOP $PPID", "hooksh"),
    install: ["--deadline", "5"],
  },
  {
    ...stops("guards stay", "guards another tool; the model changes it", "exit 2", "guard"),
    policy: () => guard("exit 2", { matcher: "other_tool" }),
    commands: (sandbox) => [`echo '{}' > ${sandbox.policy}; touch ${ranFile(sandbox)}`],
  },
  {
    name: "vanished",
    about: "denies a command, after the model has emptied every file that registers hooksh (without guards_stay)",
    tool: "shell",
    policy: () => guard(`if grep -q RAN; then echo '${REASON}' >&2; exit 2; fi`),
    install: ["--without-guards-stay"],
    commands: (sandbox) => [
      `find ${sandbox.home} ${sandbox.project} -type f -not -path '*/.hooksh/*' | xargs grep -lF -e --dialect |` +
        ' while read -r f; do : > "$f"; done',
      commandFor(sandbox),
    ],
    judge: (seen) => {
      const verdict = stopped(seen, REASON);
      return verdict.ok && seen.status === 0 ? { ok: false, text: `${verdict.text}, status says nothing` } : verdict;
    },
  },
  {
    name: "new file",
    about: "denies the tool that creates a file",
    tool: "file",
    policy: () => guard(decision("deny"), { matcher: "write_file|edit_file" }),
    judge: (seen) => stopped(seen, REASON),
  },
  {
    name: "prompt",
    about: "blocks the prompt",
    tool: "shell",
    policy: () => hook("user_prompt_submit", block),
    judge: ({ turns, output }) => {
      if (turns.length > 0) return { ok: false, text: "reached the model" };
      return { ok: true, text: output.includes(REASON) ? "blocked" : "blocked, no reason shown" };
    },
  },
  {
    name: "stop",
    about: "refuses the first end of the turn",
    tool: "shell",
    policy: ({ home }) => hook("stop", `mkdir ${join(home, "asked")} 2>/dev/null || exit 0`, block),
    judge: ({ turns }) => (told(turns.slice(1), REASON) ? { ok: true, text: "went on" } : { ok: false, text: "ended" }),
  },
  replaces("result", "replaces what the command printed", "shell"),
  replaces("result of a read", "replaces the text of a file that was read", "read"),
  replaces("result of a search", "replaces the lines that a search found", "search"),
  replaces("result of a sub-agent", "replaces the report of a sub-agent", "agent"),
  {
    name: "feedback",
    about: "adds a text after the call",
    tool: "shell",
    policy: () => grouped("post_tool_use", answer({ hook_specific_output: { additional_context: NOTE } })),
    judge: ({ turns }) => (told(turns, NOTE) ? { ok: true, text: "read" } : { ok: false, text: "not read" }),
  },
  {
    name: "context",
    about: "adds a text at the start of the session",
    tool: "shell",
    policy: () => hook("session_start", answer({ hook_specific_output: { additional_context: NOTE } })),
    judge: ({ turns: [first = ""] }) =>
      first.includes(NOTE) ? { ok: true, text: "read" } : { ok: false, text: "not read" },
  },
  stopsTool(
    "mcp",
    "mcp server",
    "denies the tools of an MCP server",
    guard(decision("deny"), { matcher: "mcp:mem:.*" }),
  ),
  {
    name: "other server",
    about: "denies the tools of another MCP server",
    tool: "mcp",
    policy: () => guard(decision("deny"), { matcher: "mcp:other:.*" }),
    judge: ({ ran }) => (ran ? { ok: true, text: "ran" } : { ok: false, text: "did not run" }),
  },
  stopsTool("mcp", "any mcp", "denies the tools of all MCP servers", guard(decision("deny"), { matcher: "mcp:.*" })),
  stopsTool(
    "delegate",
    "delegation",
    "denies to start another agent",
    guard(decision("deny"), { matcher: "transfer_task" }),
  ),
  stopsTool(
    "typed",
    "typed command",
    "guards commands; the model starts a shell, to type into it",
    guard("exit 0"),
    "what is typed there",
  ),
  stopsTool(
    "unknown",
    "unknown tool",
    "denies tools that hooksh does not know",
    `unknown_tools: deny\n${guard("exit 0", { matcher: "shell" })}`,
    "unknown_tools",
  ),
];
