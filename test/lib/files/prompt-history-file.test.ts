import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promptHistoryFile } from "../../../src/lib/files/prompt-history-file.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

describe("the file of the lines sent at the prompt", () => {
  test("is moved from its former name, once", () => {
    const data = tempDir({ history: '"one"\n"two"\n' });
    expect(promptHistoryFile(data)).toBe(join(data, "prompt-history"));
    expect(readFileSync(join(data, "prompt-history"), "utf8")).toBe('"one"\n"two"\n');
    expect(existsSync(join(data, "history"))).toBe(false);
  });

  test("stays as it is, and so does the other", () => {
    const data = tempDir({ "prompt-history": '"new"\n', history: '"old"\n' });
    promptHistoryFile(data);
    expect(readFileSync(join(data, "prompt-history"), "utf8")).toBe('"new"\n');
    expect(readFileSync(join(data, "history"), "utf8")).toBe('"old"\n');
  });

  test.each(["x\n", '{"time":1}\n', ""])("a file that holds %j is none of the terminal's", (content) => {
    const data = tempDir({ history: content });
    promptHistoryFile(data);
    expect(existsSync(join(data, "prompt-history"))).toBe(false);
  });

  test("a folder is left alone, and a missing data directory is no error", () => {
    const data = tempDir();
    mkdirSync(join(data, "history"));
    expect(promptHistoryFile(data)).toBe(join(data, "prompt-history"));
    expect(promptHistoryFile(join(data, "missing"))).toBe(join(data, "missing", "prompt-history"));
    expect(existsSync(join(data, "history"))).toBe(true);
  });
});
