import { describe, expect, test } from "bun:test";
import { digestOf } from "../../src/audit/entry.ts";
import { listDigest } from "../../src/audit/list-digest.ts";
import { freezeJson } from "../../src/lib/frozen.ts";
import { canonicalJson } from "../../src/lib/json.ts";
import { randomFrom } from "../helpers/dice.ts";

const full = (list: readonly unknown[]) => digestOf(canonicalJson(list));
const same = (list: readonly unknown[]) => expect(listDigest(list)).toBe(full(list));

describe("listDigest", () => {
  test("equals the digest of the whole list, at each step of a growing conversation", () => {
    const list: unknown[] = [];
    same(list);
    for (let turn = 0; turn < 100; turn++) {
      list.push(
        freezeJson({ role: "user", content: `message ${turn}, \ud800 \u{1f600} "é"`, "10": 1, "9": undefined }),
      );
      same([freezeJson({ role: "system", content: "the same text in a new object" }), ...list]);
    }
  });

  test("reads a list again that a caller has changed in place", () => {
    const open = { role: "user", content: "before" };
    const list: unknown[] = [freezeJson({ role: "system" }), open, freezeJson({ role: "assistant" })];
    same(list);
    open.content = "after";
    same(list);
    list[0] = freezeJson({ role: "developer" });
    same(list);
    list.reverse();
    same(list);
  });

  test("a text that looks like the canonical text of an item is another item", () => {
    for (const list of [['"a"'], ["a"], [{ text: "a" }], ['{"text":"a"}'], [freezeJson({ text: "a" })]]) same(list);
  });

  test("a message that nests too deep for the stack throws, as for the whole list", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 60_000; level++) deep = [deep];
    const list = [freezeJson({ role: "user" }), freezeJson({ deep })];
    expect(() => full(list)).toThrow(RangeError);
    expect(() => listDigest(list)).toThrow(RangeError);
    same(list.slice(0, 1));
  });

  test("random conversations that are edited, compacted, rewritten, and in turn with others", () => {
    const random = randomFrom(20261128);
    const pick = (count: number) => Math.floor(random() * count);
    const value = (depth: number): unknown => {
      if (depth > 0 && random() < 0.4) return Array.from({ length: pick(4) }, () => value(depth - 1));
      if (depth > 0 && random() < 0.5)
        return Object.fromEntries(Array.from({ length: pick(4) }, () => [`k${pick(12)}`, value(depth - 1)]));
      return [pick(1000), random() * 1e21, null, undefined, true, `text ${pick(5)}`, "\u2028\ud83d"][pick(7)];
    };
    const message = () => {
      const made = { role: ["user", "assistant", "tool"][pick(3)], content: value(3), number: pick(1e6) };
      return random() < 0.8 ? freezeJson(made) : made;
    };
    const conversations: unknown[][] = Array.from({ length: 12 }, () => []);
    const edits: ((list: unknown[]) => unknown)[] = [
      (list) => list.push(message()),
      (list) => list.push(message(), message(), message()),
      (list) => list.splice(pick(list.length + 1), pick(4)),
      (list) => list.splice(pick(list.length + 1), 0, message()),
      (list) => (list.length > 0 ? (list[pick(list.length)] = message()) : 0),
      (list) =>
        list.splice(0, list.length, freezeJson({ role: "user", content: "Session Summary" }), ...list.slice(-3)),
      (list) => (list[0] = freezeJson({ role: "system", content: `rules ${pick(2)}` })),
      (list) => list.splice(0, list.length, ...(conversations[pick(12)] ?? [])),
      (list) => list.forEach((item) => !Object.isFrozen(item) && Object.assign(item as object, { number: pick(1e6) })),
    ];
    for (let step = 0; step < 1500; step++) {
      const list = conversations[pick(conversations.length)] ?? [];
      edits[random() < 0.6 ? pick(2) : pick(edits.length)]?.(list);
      same(list);
      if (random() < 0.3) same([...list, message()]);
      if (list.length > 0 && random() < 0.3) same(list.with(pick(list.length), message()));
    }
  });
});
