import { describe, expect, test } from "bun:test";
import { JsonSplitter, MAX_VALUE_BYTES } from "../../../src/lib/json-stream/json-splitter.ts";
import { expectLinear } from "../../helpers/growth.ts";
import { taken } from "./pieces.ts";

describe("bounds", () => {
  test("a value that is too large is a problem of its line, and the line after it is read", () => {
    const chunk = Buffer.alloc(MAX_VALUE_BYTES / 16, "x");
    const splitter = new JsonSplitter();
    const found: (string | number)[] = [];
    const push = (bytes: Uint8Array) => {
      splitter.push(bytes);
      found.push(...taken(splitter));
    };
    push(Buffer.from('{"a":"'));
    for (let n = 0; n < 20; n++) push(chunk);
    push(Buffer.from('"}\n{"b":2}\n'));
    expect(found).toEqual([1, '{"b":2}']);
  });

  test("lines that are all cut off take time in proportion to their number", async () => {
    await expectLinear(400_000, (lines) => {
      const text = Buffer.from('{"a":\n'.repeat(lines));
      return () => {
        const splitter = new JsonSplitter();
        splitter.push(text);
        splitter.finish("has no end");
        let pieces = 0;
        while (splitter.next()) pieces++;
        expect(pieces).toBe(lines);
      };
    });
  });
});
