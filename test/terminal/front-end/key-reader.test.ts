import { describe, expect, test } from "bun:test";
import { type Key, KeyReader } from "../../../src/terminal/front-end/key-reader.ts";

const control = (name: string) => ({ kind: "control", name });
const text = (typed: string) => ({ kind: "text", text: typed });
const paste = (pasted: string) => ({ kind: "paste", text: pasted });

/** Returns the keys of input that arrives in pieces. */
function keysOf(...pieces: (string | Uint8Array)[]): Key[] {
  const reader = new KeyReader();
  return pieces.flatMap((piece) => reader.feed(typeof piece === "string" ? Buffer.from(piece) : piece));
}

describe("input from a terminal", () => {
  test.each([
    ["plain characters", "aé漢", [text("aé漢")]],
    ["characters and Enter", "ls\r", [text("ls"), control("enter")]],
    ["arrows of both kinds", "\x1b[A\x1bOB", [control("up"), control("down")]],
    ["Alt+Enter", "\x1b\r", [control("alt_enter")]],
    ["an unknown sequence", "a\x1b[99;3~b", [text("a"), text("b")]],
    ["Ctrl+C, Ctrl+D, Ctrl+Z", "\x03\x04\x1a", [control("interrupt"), control("end_of_input"), control("suspend")]],
    [
      "a paste with line ends and sequences in it",
      "\x1b[200~a\r\nb\rc\x1b[31m\td\x1b[201~e",
      [paste("a\nb\nc[31m\td"), text("e")],
    ],
    ["an empty paste", "\x1b[200~\x1b[201~", []],
    ["two pastes", "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", [paste("a"), paste("b")]],
  ])("%s", (_name, sent, keys) => {
    expect(keysOf(sent)).toEqual(keys as Key[]);
  });

  test("gives the same keys byte by byte", () => {
    const sent = "é\x1b[1;5C\x1b[200~漢\x1b[20x\x1b[201~!\x1b\r";
    const pieces = Array.from(Buffer.from(sent), (byte) => Uint8Array.of(byte));
    expect(keysOf(...pieces)).toEqual([
      text("é"),
      control("word_right"),
      paste("漢[20x"),
      text("!"),
      control("alt_enter"),
    ] as Key[]);
  });

  test("a lone Escape waits for more bytes, and is Escape if none arrive", () => {
    const reader = new KeyReader();
    expect(reader.feed(Buffer.from("\x1b"))).toEqual([]);
    expect(reader.isWaiting).toBe(true);
    expect(reader.flush()).toEqual([{ kind: "control", name: "escape" }]);
    expect(reader.isWaiting).toBe(false);
  });

  test("a pasted megabyte is one key", () => {
    expect(keysOf(`\x1b[200~${"x\n".repeat(500_000)}`, "\x1b[201~")).toEqual([paste("x\n".repeat(500_000))] as Key[]);
  });
});
