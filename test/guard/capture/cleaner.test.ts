import { expect, test } from "bun:test";
import { createCleaner } from "../../../src/guard/capture/cleaner.ts";
import { recordingKey, recordingMarks } from "../../../src/guard/record/recording-marks.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

test("text in base64 is cleaned; other bytes in base64 stay as they are", () => {
  const clean = createCleaner(recordingMarks(recordingKey(`${tempDir()}/key`)));
  const encoded = (...parts: (string | number)[]) =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.of(part)))).toString(
      "base64",
    );
  const text = encoded("write to someone.else@company-name.com today");
  const bytes = encoded(0xc3, 0x28, "write to someone.else@company-name.com today");
  expect(clean({ note: text })).not.toContain(text);
  expect(clean({ note: bytes })).toContain(bytes);
});
