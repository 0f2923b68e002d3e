import { expect, test } from "bun:test";
import { decode, isUndecodable } from "../../src/dialects/decode.ts";
import { encode } from "../../src/dialects/encode.ts";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { lookalike, recognize } from "../../src/dialects/recognize.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { HOST_SAMPLES } from "./host-samples.ts";

/** Keys and values by which payloads are told apart. A model chooses what is in the input of its tools. */
const MARKS: Payload = {
  agent_action_name: "pre_run_command",
  trajectory_id: "t",
  hookName: "tool_call",
  clineVersion: "4",
  conversationId: "c",
  toolCall: { name: "run_command", args: {} },
  stepIdx: 1,
  cursor_version: "3",
  conversation_id: "c",
  generation_id: "g",
  workspace_roots: ["/"],
  hookEventName: "pre_tool_use",
  sessionId: "other",
  client_type: "kimi_code_cli",
  event_type: "PreToolUse",
  event: "PreToolUse",
  matcher_context: null,
  hook_event_name: "post_tool_use",
  session_id: "other",
  permission_mode: "off",
  timestamp: "2026-11-22T02:19:30.952Z",
  transcript_path: "/rollout-1.jsonl",
  __proto__x: 1,
};
const INPUTS = ["tool_input", "toolArgs", "toolInput", "args", "input", "parameters", "tool_info"];

function injected(payload: Payload): Payload {
  const entries = Object.entries(payload).map(([key, value]): [string, unknown] => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return [key, value];
    const inner = injected(value as Payload);
    return [key, INPUTS.includes(key) ? { ...MARKS, ...inner } : inner];
  });
  return Object.fromEntries(entries);
}

const cases = Object.entries(HOST_SAMPLES).flatMap(([name, { guarded }]) =>
  Object.entries(guarded).map(([event, payload]): [DialectName, string, Payload] => [
    name as DialectName,
    event,
    payload,
  ]),
);

test.each(cases)(
  "%s %s: nothing in the input of a tool changes whose event it is, or the answer",
  async (name, event, payload) => {
    const { dialect } = await DIALECTS[name].load();
    const seen = [payload, injected(payload)].map((given) => {
      const call = decode(dialect, given, event);
      if (isUndecodable(call)) throw new Error(call.problem);
      const [own] = call.events;
      const result = { allowed: false, message: "no" };
      return {
        recognized: recognize(given, {}),
        like: lookalike(given, name, {}),
        session: own?.payload["session_id"],
        tool: own?.payload["tool_name"],
        names: call.tool?.names,
        answer: encode(call, [{ event: own?.event ?? "pre_tool_use", result }]),
      };
    });
    expect(seen[1]).toEqual(seen[0]);
  },
);
