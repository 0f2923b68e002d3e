import { describe, expect, test } from "bun:test";
import { EventSplitter } from "../../../src/lib/network/event-splitter.ts";

/** The events of a text that arrives in pieces of one size. */
function split(text: string, size: number, limit = 1000): { events: string[]; isOver: boolean } {
  const splitter = new EventSplitter(limit, 1);
  const bytes = Buffer.from(text);
  const events: Uint8Array[] = [];
  for (let from = 0; from < bytes.length; from += size)
    events.push(...splitter.push(bytes.subarray(from, from + size)));
  const rest = splitter.rest();
  return {
    events: [...events, ...(rest ? [rest] : [])].map((event) => Buffer.from(event).toString()),
    isOver: splitter.isTooLong,
  };
}

describe.each([1, 2, 3, 7, 1000])("in pieces of %d bytes", (size) => {
  test.each([
    ["line feeds", "data: a\n\ndata: b\ndata: c\n\n", ["data: a\n\n", "data: b\ndata: c\n\n"]],
    ["carriage returns", "data: a\r\rdata: b\r\r", ["data: a\r\r", "data: b\r\r"]],
    ["both", "data: a\r\n\r\ndata: b\r\ndata: c\r\n\r\n", ["data: a\r\n\r\n", "data: b\r\ndata: c\r\n\r\n"]],
    ["a mixture", "data: a\r\n\ndata: b\n\r\ndata: c\n\rd", ["data: a\r\n\n", "data: b\n\r\n", "data: c\n\r", "d"]],
    ["blank lines between events, which are dropped", "\n\na\n\n\n\n\r\n\r\nb\n\n", ["a\n\n", "b\n\n"]],
    ["an event that is not ended", "a\n\nb\nc", ["a\n\n", "b\nc"]],
    ["nothing", "", []],
  ])("lines end with %s", (_what, text, events) => {
    expect(split(text, size)).toEqual({ events, isOver: false });
  });

  test("small events come in groups", () => {
    const splitter = new EventSplitter(1000, 10);
    const text = "data: a\n\n".repeat(100);
    const groups: string[] = [];
    for (let from = 0; from < text.length; from += size) {
      groups.push(
        ...splitter.push(Buffer.from(text.slice(from, from + size))).map((group) => Buffer.from(group).toString()),
      );
    }
    expect(groups.join("")).toBe(text);
    expect(groups.every((group) => group.endsWith("\n\n") && group.length <= 27)).toBe(true);
  });

  test("an event that is too long is the last one", () => {
    expect(split(`a\n\n${"x".repeat(20)}\n\nb\n\n`, size, 10)).toEqual({ events: ["a\n\n"], isOver: true });
    expect(split(`${"x".repeat(8)}\n\n${"y".repeat(8)}\n\n`, size, 10).isOver).toBe(false);
  });
});
