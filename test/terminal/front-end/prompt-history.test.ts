import { describe, expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHistory } from "../../../src/terminal/front-end/prompt-history.ts";
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
    expect(readFileSync(join(directory, "prompt-history"), "utf8").trim().split("\n")).toHaveLength(500);
  });

  test("is readable only by the user, whatever the permissions were before", () => {
    const directory = tempDir({ "prompt-history": '"old"\n' });
    chmodSync(join(directory, "prompt-history"), 0o644);
    const { history } = open(directory);
    history.add("new\nline");
    expect(statSync(join(directory, "prompt-history")).mode & 0o777).toBe(0o600);
    expect([history.at(1), history.at(2)]).toEqual(["new\nline", "old"]);
  });

  test("skips damaged entries", () => {
    const directory = tempDir({ "prompt-history": '"whole"\n"cut of\n{}\n' });
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

  test("does not follow a symbolic link, whose target stays as it is", () => {
    const directory = tempDir({ target: '"theirs"\n' });
    const target = join(directory, "target");
    chmodSync(target, 0o644);
    symlinkSync(target, join(directory, "prompt-history"));
    const { history, warnings } = open(directory);
    expect(history.at(1)).toBeUndefined();
    history.add("one");
    expect(warnings).toEqual([
      `the history is not stored: ${join(directory, "prompt-history")} is a symbolic link, which hooksh does not follow here`,
    ]);
    expect([readFileSync(target, "utf8"), statSync(target).mode & 0o777]).toEqual(['"theirs"\n', 0o644]);
  });

  test("loses no entry if several processes cut the file and add to it at once", async () => {
    const directory = tempDir({ "prompt-history": '"old"\n'.repeat(600) });
    const rounds = 40;
    const script =
      `const { openHistory } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/terminal/front-end/prompt-history.ts"))});` +
      `for (let n = 0; n < ${rounds}; n++) openHistory(${JSON.stringify(directory)}, console.error).add(process.argv[1] + n);`;
    const writers = ["a", "b", "c", "d"];
    const children = writers.map((name) => Bun.spawn([process.execPath, "-e", script, name], { stderr: "pipe" }));
    const errors = await Promise.all(children.map(({ stderr }) => stderr.text()));
    const stored = new Set(readFileSync(join(directory, "prompt-history"), "utf8").trim().split("\n"));
    const missing = writers
      .flatMap((name) => Array.from({ length: rounds }, (_, n) => JSON.stringify(`${name}${n}`)))
      .filter((line) => !stored.has(line));
    expect({ missing, errors: errors.join("") }).toEqual({ missing: [], errors: "" });
  });
});
