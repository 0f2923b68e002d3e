import { expect } from "bun:test";
import { decode, isUndecodable } from "../../src/dialects/decode.ts";
import type { Dialect, HostCall } from "../../src/dialects/dialect.ts";
import { type AskFallback, encode, encodeFailure } from "../../src/dialects/encode.ts";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { toHostInput, toOwnPatch } from "../../src/dialects/tools.ts";
import type { EventName } from "../../src/protocol/events.ts";
import { parseInput } from "../../src/protocol/input.ts";
import type { AnyResult } from "../../src/protocol/result.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";

/** What a host reads: JSON parsed, text as it is; the exit code and standard error only if they say something. */
export interface Bytes {
  out: unknown;
  exit?: number;
  stderr?: string;
  notes?: readonly string[];
}

/** The results of the hooks of some events; the others say nothing. */
export type Results = Partial<Record<EventName, Partial<AnyResult>>>;

/** One dialect, called as `dispatch` calls it. */
export interface Codec {
  dialect: Dialect;
  /** Decodes a payload; a payload that hooksh's own protocol would refuse fails the test. */
  read: (payload: Payload, event?: string) => HostCall;
  /** The first of the events that a payload is, as hooks see it. */
  saw: (payload: Payload, event?: string) => Payload;
  /** The answer to a payload. A rewrite is given as the patch of a hook. */
  say: (payload: Payload, results: Results, options?: { event?: string; ask?: AskFallback; patch?: Payload }) => Bytes;
  /** The answer when hooksh itself fails. */
  fail: (event: string | undefined, problem: string, payload?: Payload) => Bytes;
}

/** Loads a dialect. */
export async function codec(name: DialectName): Promise<Codec> {
  const { dialect } = await DIALECTS[name].load();
  const read: Codec["read"] = (payload, event) => {
    const call = decode(dialect, payload, event);
    if (isUndecodable(call)) throw new Error(call.problem);
    for (const { payload: own } of call.events) expect(parseInput(own)).toBeObject();
    return call;
  };
  return {
    dialect,
    read,
    saw: (payload, event) => read(payload, event).events[0]?.payload ?? {},
    say: (payload, results, { event, ask, patch } = {}) => {
      const call = read(payload, event);
      const judged = call.events.map(({ event: own }) => {
        const rewrite = own === "pre_tool_use" && patch ? { modified_input: patched(call, patch) } : {};
        return { event: own, result: { allowed: true, ...rewrite, ...results[own] } };
      });
      return bytesOf(encode(call, judged, ask));
    },
    fail: (event, problem, payload = {}) => bytesOf(encodeFailure(dialect, event, payload, problem)),
  };
}

function patched({ tool }: HostCall, patch: Payload): Record<string, unknown> {
  if (!tool) throw new Error("only the input of a tool call can be rewritten");
  const own = toOwnPatch(tool, patch);
  if (typeof own === "string") throw new Error(own);
  return { ...tool.input, ...own };
}

function bytesOf({ stdout, stderr, exitCode, notes }: ReturnType<typeof encode>): Bytes {
  return {
    out: stdout.startsWith("{") ? JSON.parse(stdout) : stdout,
    ...(exitCode === 0 ? {} : { exit: exitCode }),
    ...(stderr === "" ? {} : { stderr }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** Checks that every event of a host is known under its name and is the events of hooksh that are given. */
export function expectEvents({ dialect }: Codec, expected: Readonly<Record<string, string>>): void {
  const actual = Object.entries(dialect.events).map(([event, { is }]) => [event, is.join(", ")]);
  expect(Object.fromEntries(actual)).toEqual(expected);
}

/** A tool of a host with an input, and both as hooks see them. `lossy`: the input cannot be written back. */
export interface ToolExample {
  host: string;
  input: Payload;
  own: string;
  ownInput: Payload;
  also?: readonly string[];
  lossy?: true;
}

/** Checks both directions of a tool's name and input. */
export function expectTool(call: HostCall, { host, input, own, ownInput, also = [], lossy }: ToolExample): void {
  expect(call.tool?.name).toBe(host);
  expect(call.tool?.names.slice(0, 1 + also.length)).toEqual([own, ...also]);
  expect(call.tool?.names).toContain(host);
  expect(call.tool?.input).toEqual(ownInput);
  if (!lossy) expect(toHostInput(call.tool?.row, ownInput, input)).toEqual(input);
}
