import { HOST_SAMPLES } from "../../dialects/host-samples.ts";
import type { Call } from "../../helpers/both-ways.ts";
import { type Dice, diceFrom, pick } from "../../helpers/dice.ts";
import { randomEntry } from "./random-hooks.ts";

/** Makes a call of `dispatch` from a seed: hooks, an event, flags, variables, files. About half of them have nothing odd. */
export function randomCall(seed: number): Call {
  const dice = diceFrom(seed);
  for (let skipped = 0; skipped < 8; skipped++) dice(2); // the first numbers of neighbouring seeds are alike
  // How many of a hundred choices are odd.
  const share = pick(dice, [0, 0, 2, 5, 15]);
  const isOdd = () => dice(100) < share;
  const files: Record<string, string> = {};
  const args: string[] = [];
  const { payload, dialect } = dice(2) === 0 ? hostEvent(dice) : ownEvent(dice, isOdd);
  const event = ownName(String(payload["hook_event_name"] ?? "PreToolUse"));
  const hooks = hooksFile(dice, isOdd, event);
  if (dice(8) === 0) {
    files["more.json"] = hooksFile(dice, isOdd, event);
    args.push("--hooks-file", "more.json");
  }
  if (dice(6) === 0) files[".home/.config/hooksh/hooks.d/a.yaml"] = hooksFile(dice, isOdd, event);
  if (isOdd()) {
    const [name, text] = pick(dice, FILES);
    files[`.home/.config/hooksh/${name}`] = text;
  }
  if (dialect !== undefined && dice(3) > 0) {
    args.push("--dialect", isOdd() ? pick(dice, Object.keys(HOST_SAMPLES)) : dialect);
    if (dice(2) === 0) args.push("--event", String(payload["hook_event_name"] ?? pick(dice, ["PreToolUse", "Stop"])));
    if (dice(2) === 0) args.push("--guards-stay");
    if (dice(2) === 0) args.push("--proof", "--deadline", "54s");
  } else if (dialect === undefined && dice(3) === 0) args.push("--output", "result");
  while (isOdd()) args.push(...pick(dice, FLAGS));
  if (isOdd()) mutate(dice, payload);
  const env: Record<string, string> = {};
  while (isOdd()) Object.assign(env, pick(dice, VARIABLES));
  return { hooks, event: written(dice, isOdd, payload), args, env, files };
}

const FILES: readonly (readonly [string, string])[] = [
  ["config.yaml", "settings: {}\n"],
  ["config.yaml", "settings: {unknown_tools: deny}\n"],
  ["config.yaml", "settings: {hooks: {pre_tool_use: [{hooks: [{type: command, command: exit 2}]}]}}\n"],
  ["config.yaml", "settings: ["],
  ["config.yml", "{}"],
  ["hooks.d/.gitkeep", ""],
  ["hooks.d/a.sh", "exit 2"],
  ["hooks.d/b.yaml", ""],
  ["hooks.d/b.yml", "pre_tool_use: {hooks: {type: command, command: exit 2}}\n"],
  ["hooks.d/B.yaml", "pre_tool_use: {hooks: {type: command, command: 'true'}}\n"],
  ["hooks.d/ä.yaml", "pre_tool_use: {hooks: {type: command, command: exit 2}}\n"],
  ["hooks.d/b.json", "{}"],
  ["hooks.d/deeper/b.yaml", "pre_tool_use: {hooks: {type: command, command: exit 2}}\n"],
  ["Hooks.d/b.yaml", "{}"],
  [".env", "A=b"],
];

const FLAGS: readonly (readonly string[])[] = [
  ["--output", "result"],
  ["--output", "text"],
  ["--output", "nonsuch"],
  ["--details"],
  ["--no-audit"],
  ["--event", "pre_tool_use"],
  ["--event", "turn_end"],
  ["--event", "PreToolUse"],
  ["--event", ""],
  ["--event"],
  ["--deadline", "300s"],
  ["--deadline", "0s"],
  ["--deadline", "54"],
  ["--deadline", "200000ms"],
  ["--dialect", "auto"],
  ["--dialect", "hooksh"],
  ["--dialect", "claude"],
  ["--dialect", "nonsuch"],
  ["--dialect=claude"],
  ["--proof"],
  ["--guards-stay"],
  ["--guards-stay=true"],
  ["--observe"],
  ["--no-user-hooks"],
  ["--debug"],
  ["--quiet"],
  ["--help"],
  ["--"],
  ["agent.yaml"],
  ["--hook", "pre_tool_use=exit 2"],
  ["--hooks-file", "hooks.yaml"],
  ["--hooks-file", "./hooks.yaml"],
  ["--hooks-file", "nonsuch.yaml"],
  ["--hooks-file", "/dev/null"],
  ["--input", "hooks.yaml"],
  ["--config-dir", "/nonsuch"],
  ["--data-dir", "/dev/null"],
  ["--data-dir", "/"],
];

const VARIABLES: readonly Readonly<Record<string, string>>[] = [
  { HOOKSH_DEBUG: "1" },
  { HOOKSH_TRACE: "1" },
  { HOOKSH_DATA_DIR: "/nonsuch" },
  { HOOKSH_CONFIG_DIR: "/nonsuch" },
  { HOOKSH_CONFIG_DIR: "" },
  { HOOKSH_HOOK_DIR: "/tmp" },
  { HOOKSH_DIALECT: "codex", HOOKSH_HOST_EVENT: "Stop" },
  { HOOKSH_PROCESS_GROUP: "1.a" },
  { HOOKSH_REPLAY: "1" },
  { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" },
  { HOME: "" },
  { HOME: "/nonsuch" },
  { HOME: "relative" },
  { XDG_CONFIG_HOME: "/nonsuch" },
  { XDG_CONFIG_HOME: "relative" },
  { XDG_DATA_HOME: "/nonsuch" },
  { SHELL: "" },
  { SHELL: "/bin/bash" },
  { SHELL: "/nonsuch" },
  { SHELL: "sh" },
  { SHELL: "/etc/hostname" },
  { PATH: "" },
  { PATH: "/nonsuch" },
  { ENV: "/nonsuch", BASH_ENV: "/nonsuch" },
  { LC_ALL: "de_DE.UTF-8", LANG: "C.UTF-8" },
  { ODD: "a=b\nc\té\u{1f600}" },
  { API_TOKEN: "a-long-secret-value" },
  { CLAUDECODE: "1", CLAUDE_PROJECT_DIR: "/tmp" },
  { GEMINI_SESSION_ID: "s", GEMINI_CWD: "/tmp" },
  { CURSOR_VERSION: "1", CURSOR_PROJECT_DIR: "/tmp" },
  { NO_COLOR: "1", CI: "1", DEBUG: "*" },
];

/** The name that an event of Claude Code most likely has here. */
function ownName(event: string): string {
  return event.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

/** One to three entries, most often one of an event, as JSON or YAML, and rarely broken. */
function hooksFile(dice: Dice, isOdd: () => boolean, wanted: string): string {
  const file: Record<string, unknown> = {};
  for (let left = 1 + dice(3); left > 0; left--) {
    const [event, configured] = randomEntry(dice, isOdd, dice(3) > 0 ? wanted : undefined);
    file[event] =
      Array.isArray(file[event]) && Array.isArray(configured) ? [...file[event], ...configured] : configured;
  }
  if (isOdd()) Object.assign(file, pick(dice, KEYS));
  const text = dice(3) === 0 ? Bun.YAML.stringify(file, undefined, 2) : JSON.stringify(file, undefined, dice(2) * 2);
  return isOdd() ? pick(dice, BREAKS)(text) : text;
}

const KEYS: readonly object[] = [
  { rules: [{ deny: "no", when: { tool: "shell" } }] },
  { rules: [{ ask: "sure?", when: { class: "writes-files" } }] },
  { rules: [] },
  { unknown_tools: "deny" },
  { unknown_tools: "maybe" },
  { sets: {} },
  { hooks: { pre_tool_use: [] } },
  { pre_tool_usee: [] },
  { PreToolUse: [{ hooks: [{ type: "command", command: "exit 2" }] }] },
  { turn_end: null },
  { turn_end: [] },
  { pre_tool_use: {} },
  { "": 1 },
  { guards: 1, defaults: { timeout: 1 } },
];

const BREAKS: readonly ((text: string) => string)[] = [
  (text) => `${text}\n${text}`,
  (text) => `\uFEFF${text}`,
  (text) => text.slice(0, text.length / 2),
  (text) => `---\n${text}`,
  (text) => `# ä \u2028 \t\n${text}`,
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replace(/([{,]\s*)("\w+":)/, "$1$2 null, $2"),
  (text) => text.replace(/^(\s*)(\w+):/m, "$1$2: null\n$1$2:"),
  (text) => text.replace("command", "&x command"),
  (text) => text.replace("true", "*x"),
  (text) => text.replace(/"type"/, '"\\u0074ype"'),
  (text) => `${text}\0`,
  () => "",
  () => "null",
  (text) => `${text}${" ".repeat(1_100_000)}`,
  (text) => `${text}${"\n".repeat(70_000)}`,
];

type Payload = Record<string, unknown>;

const OWN_EVENTS = [
  ...Array.from({ length: 12 }, () => "pre_tool_use"),
  ...["post_tool_use", "post_tool_use", "permission_request"],
  ...["tool_response_transform", "tool_input_transform", "tool_guard", "user_prompt_submit", "turn_start", "turn_end"],
  ...["stop", "stop_guard", "session_start", "session_end", "before_llm_call", "after_llm_call", "response_guard"],
  ...["pre_compact", "notification", "on_error", "worktree_create", "before_agent_run", "prompt_file_guard"],
];

const TOOLS = ["shell", "shell", "read_file", "edit_file", "fetch", "mcp_github_get", "mcp__a__b", "nonsuch", "Bash"];

const INPUTS: readonly unknown[] = [
  { cmd: "ls -la" },
  { cmd: "rm -rf ~/.claude/settings.json" },
  { cmd: "python3" },
  { cmd: "echo ä\u{1f600}\u2028", nested: { list: [1, null, "\ud800"] } },
  { path: "a.txt", content: "x" },
  { cmd: "echo ghp_0123456789abcdefghijABCDEFGHIJ456789" },
  {},
];

function ownEvent(dice: Dice, isOdd: () => boolean): { payload: Payload; dialect?: string } {
  const event = pick(dice, OWN_EVENTS);
  const payload: Payload = { hook_event_name: event };
  if (dice(4) > 0) payload["session_id"] = pick(dice, ["s1", "ä", "a b", "s".repeat(300)]);
  if (dice(4) === 0) payload["cwd"] = pick(dice, ["/", "/tmp", "/nonsuch", "relative", ""]);
  if (/tool|permission/.test(event)) {
    const tool = { tool_name: pick(dice, TOOLS), tool_use_id: "t1", tool_input: pick(dice, INPUTS) };
    Object.assign(payload, tool, event.startsWith("p") ? {} : { tool_response: "x" });
  } else
    Object.assign(payload, { prompt: "hello", stop_response: "bye", agent_name: "root", messages: [], summary: "x" });
  if (isOdd()) payload["tool_qualified_name"] = pick(dice, ["shell", "mcp:github:get", 5, null]);
  return { payload };
}

/** Without SessionEnd, which waits so briefly that a busy machine changes the answer. */
const CLAUDE_EVENTS = [
  ...["PreToolUse", "PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop", "SubagentStop", "SessionStart"],
  ...["PreCompact", "Notification", "PermissionRequest", "Nonsuch"],
];

const CLAUDE_CALLS: readonly (readonly [string, object])[] = [
  ["Bash", { command: "ls -la" }],
  ["Bash", { command: "python3 -i" }],
  ["Bash", { command: "echo x > ~/.claude/settings.json", run_in_background: true }],
  ["Read", { file_path: "/etc/hostname" }],
  ["Write", { file_path: "/tmp/x", content: "ä" }],
  ["Monitor", { command: "ls" }],
  ["mcp__a__b", { x: 1 }],
  ["Nonsuch", { x: 1 }],
];

function hostEvent(dice: Dice): { payload: Payload; dialect: string } {
  if (dice(2) === 0) {
    const [dialect, { guarded }] = pick(dice, Object.entries(HOST_SAMPLES));
    // The folder of the samples does not exist.
    const payload = JSON.stringify(pick(dice, Object.values(guarded))).replaceAll('"/w', '"/tmp');
    return { payload: JSON.parse(payload) as Payload, dialect };
  }
  const [tool_name, tool_input] = pick(dice, CLAUDE_CALLS);
  const hook_event_name = pick(dice, CLAUDE_EVENTS);
  const common = { session_id: "s", cwd: "/tmp", transcript_path: "/tmp/t.jsonl", hook_event_name, prompt: "hello" };
  const call = /Tool|Perm/.test(hook_event_name)
    ? { tool_name, tool_use_id: "t1", tool_input, tool_response: "x" }
    : {};
  const isCodex = dice(4) === 0;
  const own = isCodex ? { turn_id: "t", model: "m" } : {};
  return { payload: { ...common, permission_mode: "default", ...call, ...own }, dialect: isCodex ? "codex" : "claude" };
}

const STRANGE: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, "", " ", "\u0000", "\ud800", "{", "/tmp", "shell", [], [null], {}],
  { cmd: 5 },
  JSON.parse('{"__proto__":{"cmd":"rm"}}'),
];

/** Removes a field, or gives it a strange value. */
function mutate(dice: Dice, payload: Payload): void {
  const key = pick(dice, [...Object.keys(payload), "more"]);
  if (dice(3) === 0) delete payload[key];
  else payload[key] = pick(dice, STRANGE);
}

/** The bytes of an event, rarely odd ones. */
function written(dice: Dice, isOdd: () => boolean, payload: Payload): string | Uint8Array {
  if (dice(12) === 0) payload["more"] = "é".repeat(pick(dice, [100, 30_000, 40_000, 140_000, 700_000]));
  const text = pick(dice, [
    JSON.stringify(payload),
    `${JSON.stringify(payload)}\n`,
    JSON.stringify(payload, undefined, 2),
    JSON.stringify(payload).replaceAll('":', '": '),
  ]);
  return isOdd() ? pick(dice, FORMS)(text) : text;
}

const FORMS: readonly ((text: string) => string | Uint8Array)[] = [
  () => "",
  () => "{",
  () => "\n",
  () => "[]",
  (text) => text.slice(0, -2),
  (text) => `${text}\n${text}`,
  (text) => `${text}x`,
  (text) => `\uFEFF${text}`,
  (text) => `\n\n ${text}\t\n`,
  (text) => `[${text}]`,
  (text) => text.replace("{", '{"session_id":"other",'),
  (text) => text.replace("{", '{"tool_name":"other",'),
  (text) => text.replace("{", '{"hook_event_name":"turn_end",'),
  (text) => text.replace("hook_event_name", "hook_\\u0065vent_name"),
  (text) => text.replace("tool_input", "__proto__"),
  (text) => text.replace(/"([st])/, '"\\/$1'),
  (text) => `${text.trimEnd().slice(0, -1)},"n":[1e400,-0,1.0,12345678901234567890]}`,
  (text) => `${text.trimEnd().slice(0, -1)},"x":${"[".repeat(3000)}${"]".repeat(3000)}}`,
  (text) => new Uint8Array([...Buffer.from(text), 0xff]),
  (text) => Buffer.from(text.replace("s", "\xff"), "latin1"),
  (text) => Buffer.from(text, "utf16le"),
];
