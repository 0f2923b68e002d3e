import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHistory } from "../../../src/commands/front-end/prompt-history.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const open = (directory: string) => {
  const warnings: string[] = [];
  return { history: openHistory(directory, (message) => warnings.push(message)), warnings };
};

describe("the history", () => {
  test("keeps the newest 500 entries across processes, without consecutive duplicates", () => {
    const directory = tempDir();
    const { history } = open(directory);
    for (let n = 0; n < 510; n++) history.add(`line ${n}`);
    history.add("line 509");
    const later = open(directory).history;
    expect([later.at(1), later.at(500), later.at(501), later.at(0)]).toEqual([
      "line 509",
      "line 10",
      undefined,
      undefined,
    ]);
    expect(readFileSync(join(directory, "history"), "utf8").trim().split("\n")).toHaveLength(500);
  });

  test("is readable only by the user, whatever the permissions were before", () => {
    const directory = tempDir({ history: '"old"\n' });
    chmodSync(join(directory, "history"), 0o644);
    const { history } = open(directory);
    history.add("new\nline");
    expect(statSync(join(directory, "history")).mode & 0o777).toBe(0o600);
    expect([history.at(1), history.at(2)]).toEqual(["new\nline", "old"]);
  });

  test("skips damaged entries", () => {
    const directory = tempDir({ history: '"whole"\n"cut of\n{}\n' });
    expect(open(directory).history.at(1)).toBe("whole");
    expect(open(directory).history.at(2)).toBeUndefined();
  });

  test("is kept in memory if it cannot be written, with one warning", () => {
    const directory = tempDir();
    writeFileSync(join(directory, "file"), "");
    const { history, warnings } = open(join(directory, "file"));
    history.add("one");
    history.add("two");
    expect([history.at(1), history.at(2)]).toEqual(["two", "one"]);
    expect(warnings).toHaveLength(1);
  });
});
