import { describe, expect, test } from "bun:test";
import { decode, eventNamed, isUndecodable } from "../../src/dialects/decode.ts";
import type { Dialect, HostCall } from "../../src/dialects/dialect.ts";
import { encode, encodeFailure } from "../../src/dialects/encode.ts";
import { DIALECTS, type DialectName, dialectRow } from "../../src/dialects/names.ts";
import { recognize } from "../../src/dialects/recognize.ts";
import { toHostInput, toOwnPatch } from "../../src/dialects/tools.ts";
import type { AnyResult } from "../../src/protocol/result.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { type Dice, diceFrom, pick } from "../helpers/dice.ts";
import { HOST_SAMPLES } from "./host-samples.ts";

const SEED = Number(process.env["FUZZ_SEED"] ?? 12);
const ROUNDS = 150;

const NAMES = Object.keys(DIALECTS) as DialectName[];

/** Lists in lists, deeper than any stack that recurses over them comfortably. */
function nested(levels: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

const STRANGE: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  "",
  " ",
  "\u0000",
  "\ud800",
  "{",
  '{"command":"ls"}',
  '{"__proto__":{"a":1}}',
  "[1]",
  "constructor",
  "x".repeat(100_000),
  [],
  [null],
  ["ls", 5],
  {},
  { toString: 1, constructor: null },
  JSON.parse('{"__proto__":{"command":"rm"}}'),
  nested(500),
];

/** Changes one to three places of a payload: a value of another kind, a missing key, a key twice as text. */
function mutate(dice: Dice, payload: Payload): Payload {
  const copy = structuredClone(payload) as Record<string, unknown>;
  const strange = () => structuredClone(pick(dice, STRANGE));
  for (let left = 1 + dice(3); left > 0; left--) {
    const place = somewhere(dice, copy);
    const keys = Object.keys(place);
    const key = pick(dice, keys.length > 0 ? keys : ["tool_name"]);
    const kind = dice(5);
    if (kind === 0) delete place[key];
    else if (kind === 1) place[key] = JSON.stringify(place[key] ?? null);
    else if (kind === 2) place[pick(dice, ["edits", "path", "decision", "tool_input", "__proto__"])] = strange();
    else place[key] = strange();
  }
  return copy;
}

function somewhere(dice: Dice, payload: Record<string, unknown>): Record<string, unknown> {
  const inner = Object.values(payload).filter(
    (value): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value),
  );
  return inner.length === 0 || dice(2) === 0 ? payload : somewhere(dice, pick(dice, inner));
}

const RESULTS: readonly AnyResult[] = [
  { allowed: true },
  { allowed: true, decision: "allow", permission_allowed: true },
  { allowed: true, decision: "allow", decision_reason: "fine", system_message: "note" },
  { allowed: true, decision: "ask", decision_reason: "sure?" },
  { allowed: true, decision: "ask" },
  { allowed: true, modified_input: { cmd: "ls -1", path: "b", edits: [{ oldText: "x", newText: "y" }] } },
  { allowed: true, decision: "ask", modified_input: { edits: [1, 2] } },
  { allowed: true, additional_context: "more", updated_tool_response: "less", system_message: "note" },
  { allowed: false, message: "no" },
  { allowed: false },
  { allowed: false, message: "no", decision: "allow", permission_allowed: true, modified_input: { cmd: "x" } },
  { allowed: false, message: "no", additional_context: "more", updated_tool_response: "less", system_message: "note" },
];

interface Case {
  name: DialectName;
  dialect: Dialect;
  event: string;
  payload: Payload;
}

/** A guard's payload, or one of another event with the fields that guards have. */
async function cases(dice: Dice, name: DialectName): Promise<Case[]> {
  const { dialect } = await dialectRow(name).load();
  const { guarded } = HOST_SAMPLES[name];
  const events = [...Object.keys(dialect.events), ...Object.keys(guarded)];
  return Array.from({ length: ROUNDS }, () => {
    const event = pick(dice, events);
    const payload = guarded[event] ?? pick(dice, Object.values(guarded));
    return { name, dialect, event, payload: mutate(dice, payload) };
  });
}

/** What has to hold of all bytes for a host. */
function expectSound({ stdout, stderr, exitCode }: { stdout: string; stderr: string; exitCode: number }): void {
  expect([0, 2]).toContain(exitCode);
  if (exitCode === 2) expect(stderr.trim()).not.toBe("");
  if (stdout.startsWith("{")) expect(() => JSON.parse(stdout)).not.toThrow();
}

const results = ({ events }: HostCall, result: AnyResult) => events.map(({ event }) => ({ event, result }));

describe.each(NAMES)("%s", (name) => {
  const read = HOST_SAMPLES[name].read;

  test("survives every payload, on every event", async () => {
    const dice = diceFrom(SEED);
    for (const { dialect, event, payload } of await cases(dice, name)) {
      recognize(payload, {});
      eventNamed(dialect, payload);
      const call = decode(dialect, payload, event);
      expectSound(encodeFailure(dialect, event, payload, "broken"));
      if (isUndecodable(call)) continue;
      JSON.stringify(call.events);
      for (const result of RESULTS) expectSound(encode(call, results(call, result), pick(dice, ["deny", "allow"])));
      if (call.tool) {
        toHostInput(call.tool.row, pick(dice, [call.tool.input, { edits: 5 }, { edits: [{}] }]), call.tool.hostInput);
        toOwnPatch(call.tool, { command: 5, edits: "x", path: null, old_string: 1 });
      }
    }
  });

  test("turns no denial into anything else", async () => {
    const { dialect } = await dialectRow(name).load();
    const dice = diceFrom(SEED + 1);
    for (const [event, sample] of Object.entries(HOST_SAMPLES[name].guarded))
      for (let round = 0; round < ROUNDS; round++) {
        const payload = round === 0 ? sample : mutate(dice, sample);
        expect(read(encodeFailure(dialect, event, payload, "broken"), event)).toBe("denied");
        const call = decode(dialect, payload, event);
        if (isUndecodable(call) || call.events.length === 0) continue;
        for (const result of RESULTS.filter(({ allowed }) => !allowed))
          expect(read(encode(call, results(call, result)), event)).toBe("denied");
      }
  });

  test("turns no question into an allow", async () => {
    const { dialect } = await dialectRow(name).load();
    const dice = diceFrom(SEED + 2);
    for (const [event, sample] of Object.entries(HOST_SAMPLES[name].guarded))
      for (let round = 0; round < ROUNDS; round++) {
        const call = decode(dialect, round === 0 ? sample : mutate(dice, sample), event);
        if (isUndecodable(call) || call.events.length === 0) continue;
        for (const result of RESULTS.filter((result) => result.allowed && result.decision === "ask")) {
          expect(["denied", "asked"]).toContain(read(encode(call, results(call, result)), event));
          expect(["denied", "asked", "nothing"]).toContain(read(encode(call, results(call, result), "allow"), event));
        }
      }
  });

  test("turns a rewrite into the rewrite or a denial, and adds no allow that the host does not need", async () => {
    const { dialect } = await dialectRow(name).load();
    const dice = diceFrom(SEED + 3);
    for (const [event, sample] of Object.entries(HOST_SAMPLES[name].guarded))
      for (let round = 0; round < ROUNDS; round++) {
        const call = decode(dialect, round === 0 ? sample : mutate(dice, sample), event);
        if (isUndecodable(call) || !call.tool || call.events.length === 0) continue;
        const modified_input = { ...call.tool.input, path: "/etc/rewritten", cmd: "rewritten" };
        const bytes = encode(call, results(call, { allowed: true, modified_input }));
        const reading = read(bytes, event);
        if (reading === "denied") continue;
        expect(HOST_SAMPLES[name].rewriteNeedsAllow ? "allowed" : "nothing").toBe(reading as never);
        expect(bytes.stdout).toContain("rewritten");
      }
  });

  test("refuses an event that it does not know", async () => {
    const { dialect } = await dialectRow(name).load();
    for (const event of [undefined, "noSuchEvent", "__proto__", "constructor", "toString"]) {
      const bytes = encodeFailure(dialect, event, {}, "broken");
      expectSound(bytes);
      expect(bytes.exitCode === 2 || read(bytes, "PreToolUse") === "denied").toBe(true);
    }
  });
});
