import { describe, expect, test } from "bun:test";
import { cleanOutput, looksBinary, OutputTail } from "../../../../src/terminal/tui/tool-call/program-output.ts";
import { expectLinear } from "../../../helpers/growth.ts";

describe("the output of a program", () => {
  test.each([
    ["colours", "\x1b[1;31mred\x1b[0m plain", "red plain"],
    ["cursor movements", "a\x1b[2K\x1b[1Ab\x1b[?25l", "ab"],
    ["a link", "\x1b]8;;https://example.com\x1b\\text\x1b]8;;\x07 after", "text after"],
    ["a title", "\x1b]0;title\x07x", "x"],
    ["a device control string", "\x1bPq#0;2\x1b\\x", "x"],
    ["8-bit controls", "\x9b31mred\x9d0;t\x9cx", "red\\x9d0;t\\x9cx"],
    ["a charset switch and a reset", "\x1b(Ba\x1bcb", "ab"],
    ["a progress bar", "10%\r50%\r100%\ndone", "100%\ndone"],
    ["a progress bar that ends with a carriage return", "10%\r100%\r\ndone\r", "100%\ndone"],
    ["other controls", "a\bb\x07\u202e\0", "a\\bb\\x07\\u202e\\x00"],
    ["an escape that begins nothing", "a\x1b", "a\\x1b"],
    ["tabs and blank lines", "a\tb\n\nc", "a\tb\n\nc"],
  ])("%s", (_name, printed, shown) => {
    expect(cleanOutput(printed)).toBe(shown);
  });

  test("a string that never ends does not swallow what follows", () => {
    expect(cleanOutput(`\x1b]0;${"x".repeat(5000)}\nend`)).toEndWith("\nend");
  });

  test.each(["\x90", "\x1b]", "\x1b[1", "\x1b[", "\r", "\x1b]x\x1b", "1\r\n"])(
    "takes linear time if the program prints many times %j",
    async (odd) => {
      const works: ((printed: string) => unknown)[] = [
        cleanOutput,
        looksBinary,
        (printed) => {
          const tail = new OutputTail(5);
          for (let at = 0; at < printed.length; at += 8 * 1024) tail.append(printed.slice(at, at + 8 * 1024));
          return tail.lines();
        },
      ];
      for (const work of works) {
        await expectLinear(300_000, (size) => {
          const printed = odd.repeat(size);
          return () => work(printed);
        });
      }
    },
  );

  test("bytes of a picture are binary; coloured, foreign and empty text is not", () => {
    expect(looksBinary(new TextDecoder().decode(new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe, 0x81])))).toBe(
      true,
    );
    expect(looksBinary("a\0b")).toBe(true);
    expect(looksBinary("\x1b[31mред 漢字 🙂\x1b[0m\r\n")).toBe(false);
    expect(looksBinary("")).toBe(false);
  });
});

describe("the live end of an output", () => {
  /** Returns the last three lines of an output that arrives in pieces. */
  function tailOf(...pieces: string[]): string[] {
    const tail = new OutputTail(3);
    for (const piece of pieces) tail.append(piece);
    return tail.lines();
  }

  test("the last lines, the one being printed included", () => {
    expect(tailOf("1\n2\n3\n4\n")).toEqual(["2", "3", "4"]);
    expect(tailOf("1\n2\n3\n4\n5")).toEqual(["3", "4", "5"]);
    expect(tailOf("")).toEqual([]);
  });

  test("a piece may end inside a line, a sequence or a line end", () => {
    const printed = "\x1b[31mred\x1b[0m\r\n10%\r\x1b[K20%\r\x1b]0;title\x07\x1b[32m30%\x1b[0m";
    expect(tailOf(printed)).toEqual(["red", "30%"]);
    expect(tailOf(...printed)).toEqual(["red", "30%"]);
    expect(tailOf("a\x1b[3")).toEqual(["a"]);
    expect(tailOf("a\x1b]0;ti")).toEqual(["a"]);
  });

  test("counts the complete lines", () => {
    const tail = new OutputTail(2);
    tail.append("1\n2\n3\n4");
    expect(tail.count).toBe(3);
  });

  test("a program that prints a progress bar without end keeps little memory, and its last state is shown", () => {
    const tail = new OutputTail(3);
    for (let step = 0; step < 20_000; step++) tail.append(`\r\x1b[K${"#".repeat(50)} ${step}`);
    expect(tail.lines()).toEqual([`${"#".repeat(50)} 19999`]);
    for (let step = 0; step < 200; step++) tail.append("x".repeat(10_000));
    expect(tail.lines()[0]?.length).toBeLessThan(13_000);
    tail.append("\rend");
    expect(tail.lines()).toEqual(["end"]);
  });
});
