import { describe, expect, test } from "bun:test";
import { decode, hostEvent } from "../../src/dialects/decode.ts";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { codec } from "./codec.ts";

const NAMES = Object.keys(DIALECTS) as DialectName[];

/** Events that a host spells in several ways; a host that is not listed has one name for each event. */
const SAME: Partial<Record<DialectName, readonly (readonly string[])[]>> = {
  copilot: [
    ["sessionStart", "SessionStart"],
    ["sessionEnd", "SessionEnd"],
    ["userPromptSubmitted", "UserPromptSubmit"],
    ["preToolUse", "PreToolUse"],
    ["permissionRequest", "PermissionRequest"],
    ["postToolUse", "PostToolUse"],
    ["postToolUseFailure", "PostToolUseFailure"],
    ["agentStop", "Stop"],
    ["subagentStop", "SubagentStop"],
    ["errorOccurred", "ErrorOccurred"],
    ["preCompact", "PreCompact"],
    ["notification", "Notification"],
  ],
  "copilot-pascal": [["permissionRequest", "PermissionRequest"]],
  kiro: [
    ["sessionStart", "SessionStart", "agentSpawn", "AgentSpawn"],
    ...["sessionEnd", "userPromptSubmit", "preToolUse", "postToolUse", "stop"].map((name) => [name, pascal(name)]),
  ],
  grok: [
    ["pre_tool_use", "PreToolUse"],
    ["post_tool_use", "PostToolUse"],
    ["post_tool_use_failure", "PostToolUseFailure"],
    ["user_prompt_submit", "UserPromptSubmit"],
    ["session_start", "SessionStart"],
    ["session_end", "SessionEnd"],
    ["stop", "Stop"],
    ["notification", "Notification"],
  ],
  vibe: [
    ["pre_tool", "before_tool"],
    ["post_tool", "after_tool"],
    ["post_agent", "post_agent_turn"],
  ],
};

function pascal(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

describe.each(NAMES)("%s: a payload of one event under the name of another", (name) => {
  test("is refused for every two events that run hooks", async () => {
    const { dialect } = await DIALECTS[name].load();
    const [key] = dialect.keys.event;
    if (key === undefined) return expect(name).toBe("agy"); // its payloads name no event
    const events = Object.keys(dialect.events).filter((event) => (hostEvent(dialect, event)?.is.length ?? 0) > 0);
    const isSame = (a: string, b: string) =>
      a === b || SAME[name]?.some((spellings) => spellings.includes(a) && spellings.includes(b));
    for (const said of events) {
      for (const given of [...events, "Unknown"]) {
        const decoded = decode(dialect, { [key]: said }, given);
        expect([said, given, "contradicts" in decoded]).toEqual([said, given, !isSame(said, given)]);
      }
    }
  });
});

test("a payload with an event that the host does not have contradicts every name", async () => {
  const { dialect } = await codec("claude");
  expect(decode(dialect, { hook_event_name: "BeforeEverything" }, "PostToolUse")).toEqual({
    problem: "the payload is of the event BeforeEverything, but hooksh was called for PostToolUse",
    contradicts: true,
  });
});

describe("the answer has the form of the event that can be denied", () => {
  const denied = (hookEventName: string) => ({
    hookSpecificOutput: { hookEventName, permissionDecision: "deny", permissionDecisionReason: "hooksh: broken" },
  });

  test.each([
    ["PreToolUse", "PostToolUse", { out: denied("PreToolUse") }],
    ["PostToolUse", "PreToolUse", { out: denied("PreToolUse") }],
    ["PreToolUse", "UserPromptSubmit", { out: denied("PreToolUse") }],
    ["UserPromptSubmit", "PreToolUse", { out: { decision: "block", reason: "hooksh: broken" } }],
    ["PreToolUse", "Unknown", { out: denied("PreToolUse") }],
    ["Stop", "PostToolUse", { out: "", notes: ["hooksh: broken"] }],
    ["Stop", "Unknown", { out: "", exit: 2, stderr: "hooksh: broken" }],
  ])("the payload says %s, the caller %s", async (said, given, answer) => {
    const claude = await codec("claude");
    expect(claude.fail(given, "broken", { hook_event_name: said })).toMatchObject(answer);
  });
});

test("Crush and only Crush takes an event in any case", async () => {
  const payload = { session_id: "c1", cwd: "/w", tool_name: "bash", tool_input: { command: "ls" } };
  const crush = await codec("crush");
  for (const event of ["PreToolUse", "pre_tool_use", "PRETOOLUSE", "pre-tool-use", "preToolUse"]) {
    expect(crush.read({ ...payload, event }).event).toBe("PreToolUse");
    expect(crush.read({ ...payload, event: "PreToolUse" }, event).event).toBe("PreToolUse");
  }
  expect(decode(crush.dialect, { ...payload, event: "PostToolUse" })).toHaveProperty("problem");
  const { dialect: goose } = await codec("goose");
  expect(decode(goose, { ...payload, event: "pre_tool_use" })).toHaveProperty("problem");
});

test.each(["cursor", "goose", "kiro", "openhands", "q", "agy"] as const)(
  "%s does not say how a session starts, so it is a new one",
  async (name) => {
    const host = await codec(name);
    const event = { cursor: "sessionStart", q: "agentSpawn", kiro: "agentSpawn" }[name as string] ?? "SessionStart";
    expect(host.saw({ session_id: "s1", cwd: "/w" }, event)).toMatchObject({ source: "startup" });
  },
);
