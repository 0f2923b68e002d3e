import { contractOf, isEventName } from "../../../src/protocol/events.ts";
import { type Dice, pick } from "../../helpers/dice.ts";

/** Makes an event of a hooks file with its hooks: the one that is wanted, if there is such an event. */
export function randomEntry(dice: Dice, isOdd: () => boolean, wanted?: string): [string, unknown] {
  const event = wanted !== undefined && isEventName(wanted) ? wanted : pick(dice, EVENTS);
  const hooks = (most: number) => Array.from({ length: 1 + dice(most) }, () => randomHook(dice, isOdd));
  const isGrouped = contractOf(event).matcher !== isOdd();
  const items = isGrouped ? Array.from({ length: 1 + dice(3) }, () => randomGroup(dice, isOdd, hooks(3))) : hooks(3);
  return [event, items.length === 1 && dice(3) === 0 ? items[0] : items];
}

const EVENTS = [
  ...["pre_tool_use", "pre_tool_use", "pre_tool_use", "pre_tool_use", "post_tool_use", "permission_request"],
  ...["tool_response_transform", "user_prompt_submit", "turn_start", "turn_end", "stop", "stop_guard", "session_start"],
  ...["session_end", "before_llm_call", "response_guard", "pre_compact", "subagent_stop", "notification"],
] as const;

function randomGroup(dice: Dice, isOdd: () => boolean, hooks: readonly object[]): object {
  const matcher = pick(dice, isOdd() ? ODD_MATCHERS : MATCHERS);
  const [first] = hooks;
  const group = {
    ...(matcher === undefined ? {} : { matcher }),
    hooks: hooks.length === 1 && dice(4) === 0 ? first : hooks,
  };
  return isOdd() ? { ...group, ...pick(dice, GROUP_KEYS) } : group;
}

const MATCHERS: readonly unknown[] = [
  ...[undefined, "", "*", "shell", "shell", "shell|edit_file", "read_file|fetch", "fetch", "sh.*", ".*", "edit_.*"],
  ...["mcp_github_.*", "mcp_.*", "mcp_github_get", "(read|write)_file"],
];

const ODD_MATCHERS: readonly unknown[] = [
  ...["(?i)SHELL", "^shell$", "shell(", "[", "*shell", "sh?ell", "shel", "Bash", "Bash|Write", "mcp:github:get"],
  ...[
    "mcp__github__.*",
    " shell",
    "shell |fetch",
    "|",
    "shell|",
    "a{2000}",
    "\\bshell\\b",
    "ä",
    "(?=x)",
    5,
    null,
    ["shell"],
    "mcp__github",
  ],
];

const GROUP_KEYS: readonly object[] = [
  { preempt_yolo: true },
  { preempt_yolo: false },
  { mode: "observe" },
  { mode: "enforce" },
  { mode: "maybe" },
  { command: "true" },
  { hooks: [] },
  { hooks: null },
];

function randomHook(dice: Dice, isOdd: () => boolean): object {
  if (isOdd()) return pick(dice, STRANGE_HOOKS);
  const mark = dice(1000);
  const read = pick(dice, READING).replaceAll("MARK", String(mark));
  const command = `${read}; ${pick(dice, isOdd() ? LOUD : SILENT)}`;
  const hook: Record<string, unknown> = { type: "command", command };
  if (dice(4) === 0) Object.assign(hook, pick(dice, PLAIN_KEYS));
  while (isOdd()) Object.assign(hook, pick(dice, ODD_KEYS));
  return hook;
}

/** Each leaves one line, in one write, so that hooks at once do not tear each other's. */
const READING = [
  'echo "MARK $(head -c 300 | tr -d "\\n") $(wc -c)" >> "$CALL_DIR/ran"',
  'echo "MARK $(wc -c) $(pwd)" >> "$CALL_DIR/ran"',
  'echo "MARK $(head -c 5)" >> "$CALL_DIR/ran"',
  'echo MARK >> "$CALL_DIR/ran"',
  'echo "MARK $HOOKSH_DIALECT $HOOKSH_HOST_EVENT ${HOOKSH_HOOK_DIR##*/}" >> "$CALL_DIR/ran"',
  'exec <&-; echo MARK >> "$CALL_DIR/ran"',
];

const SILENT = [
  ...["true", "true", ":", "exit 0", "cat >/dev/null", "sleep 0.02", "exec true", "exec >&- 2>&-", "(exit 0)"],
  ...["ls /nonsuch 2>/dev/null; true", "echo note >&2", "cd / && true", "sleep 1 >/dev/null 2>&1 & true"],
];

const ANSWER = (fields: string) => `echo '{"hook_specific_output":{"hook_event_name":"pre_tool_use",${fields}}}'`;

const LOUD = [
  "exit 1",
  "exit 2",
  "echo no >&2; exit 2",
  "exit 3",
  "exit 127",
  "exit 255",
  "nonsuch",
  "nonsuch; true",
  "/etc/hostname",
  "kill -9 $$",
  "kill -TERM $$",
  "kill -SEGV $$",
  "trap 'exit 2' TERM; kill $$",
  "echo",
  "printf ' '",
  "echo hello",
  "echo '{}'",
  "echo '{'",
  "echo null",
  `echo '{"decision":"block","reason":"no"}'`,
  `echo '{"decision":"approve"}'`,
  `echo '{"continue":false,"stop_reason":"enough"}'`,
  `echo '{"system_message":"ä"}'`,
  `echo '{"nonsuch":1}'`,
  ANSWER('"permission_decision":"allow"'),
  ANSWER('"permission_decision":"deny","permission_decision_reason":"no"'),
  ANSWER('"permission_decision":"ask"'),
  ANSWER('"updated_input":{"cmd":"true"}'),
  ANSWER('"additional_context":"more"'),
  "printf '\\377'",
  "printf '\\0'",
  "printf '\\377' >&2",
  "printf 'a\\033[31m' >&2",
  "head -c 200000 /dev/zero | tr '\\0' a",
  "head -c 11000000 /dev/zero | tr '\\0' a",
  "head -c 70000 /dev/zero | tr '\\0' a >&2",
  "echo a >&2; sleep 0.03; echo b >&2",
  "echo 'x: not found' >&2",
  "sleep 0.15",
  "sleep 0.15; exit 2",
  "sleep 0.15; echo late",
  "echo early; sleep 0.15",
  "exec >&- 2>&-; sleep 0.15; exit 2",
  "sleep 5 & true",
  "setsid sleep 5 & true",
  "(sleep 3; echo late) & true",
  "(sleep 3; echo late >&2) & true",
  "exit 2 & true",
  "ulimit -t 1; exit 2",
  "exec 3>&1; true",
  "cat /dev/stdin /dev/fd/0 >/dev/null",
  "kill -9 -$$",
];

const PLAIN_KEYS: readonly object[] = [
  { name: "guard" },
  { name: "ä \u{1f600}" },
  { name: "" },
  { timeout: 5 },
  { timeout: 0 },
  { timeout: 200 },
  { on_error: "warn" },
  { on_error: "ignore" },
  { on_error: "block" },
];

const ODD_KEYS: readonly object[] = [
  { name: "token=ghp_0123456789abcdefghijABCDEFGHIJ456789" },
  { name: "two\nlines" },
  { name: "n".repeat(3000) },
  { name: null },
  { name: 5 },
  { timeout: -1 },
  { timeout: 601 },
  { timeout: 1.5 },
  { timeout: "5" },
  { timeout: 1e10 },
  { timeout: 1e300 },
  { timeout: null },
  { command: "sleep 3", timeout: 1 },
  { command: "trap '' TERM; sleep 3; sleep 3", timeout: 1 },
  { command: " " },
  { command: "" },
  { command: ["true"] },
  { command: "true\0" },
  { command: "echo ${hook_dir} ${HOOK_DIR} '${hook_dir}' >> \"$CALL_DIR/ran\"" },
  { command: "echo ${env.HOME} >/dev/null" },
  { command: "'unclosed" },
  { command: "#only" },
  { command: `: ${"x".repeat(140_000)}` },
  { on_error: "maybe" },
  { on_error: null },
  { env: { A: "b" } },
  { env: {} },
  { env: { PATH: "/nonsuch" } },
  { working_dir: "/" },
  { working_dir: "nonsuch" },
  { args: ["a"] },
  { args: [] },
  { if: "shell:cmd=ls*" },
  { if: "shell:cmd=rm*" },
  { if: "nonsuch" },
  { mode: "observe" },
  { mode: "enforce" },
  { rewrite: true },
  { rewrite: false },
  { strict_output: true },
  { other_exit_codes: "allow" },
  { dialect: "claude" },
  { dialect: "nonsuch" },
  { examples: [] },
  { tiemout: 5 },
  { once: true },
  { async: true },
  { when: { tool: "shell" } },
  { model: "x" },
  { type: "Command" },
  { type: null },
];

const STRANGE_HOOKS: readonly object[] = [
  { type: "builtin", command: "add_date" },
  { type: "builtin", command: "safer_shell" },
  { type: "builtin", command: "guards_stay" },
  { type: "builtin", command: "redact_secrets" },
  { type: "builtin", command: "nonsuch" },
  { type: "model", model: "nonsuch/x", prompt: "?" },
  { type: "http", url: "http://127.0.0.1:9" },
  { type: "command" },
  { command: "true" },
  {},
  [],
  ["true"],
];
