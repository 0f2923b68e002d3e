import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isSeq, parseDocument } from "yaml";
import { hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const guards = join(import.meta.dir, "../examples/guards");
const names = readdirSync(guards)
  .filter((name) => name !== "README.md")
  .sort();
const page = readFileSync(join(import.meta.dir, "../docs/cookbook.md"), "utf8");
const textOf = (name: string, file: string) => readFileSync(join(guards, name, file), "utf8");

describe("the page says what becomes of the attacks", () => {
  const claims = [
    ...page
      .replaceAll(/\s+/g, " ")
      .matchAll(
        /\/guards\/([\w-]+)\)\. Of the (\d+) calls of `hooksh test --attacks(?:=([\w-]+))?`, it (denies|asks about) (\d+|all)\b/g,
      ),
  ].map(([, name = "", calls, category = "", verb = "", stopped]) => ({
    name,
    category,
    calls: Number(calls),
    outcome: verb === "denies" ? "denied" : "asked",
    stopped: Number(stopped === "all" ? calls : stopped),
  }));

  test("of eight categories and more", () => expect(claims.length).toBeGreaterThanOrEqual(8));

  test.each(claims)("$name: $category", async ({ name, category, calls, outcome, stopped }) => {
    const attacks = category === "" ? "--attacks" : `--attacks=${category}`;
    const file = join(guards, name, "hooks.yaml");
    const ran = await hooksh(["test", attacks, file, "--json", "--jobs", "2"], { cwd: tempDir() });
    expect(ran.lines().at(-1)).toMatchObject({ calls, [outcome]: stopped });
  });
});

describe("without one of its hooks or rules", () => {
  /** Rules, and hooks by event, as lists of a document: `[["rules", 0], ["pre_tool_use", 0, "hooks", 0], ...]`. */
  function hooksIn(text: string): (string | number)[][] {
    const document = parseDocument(text);
    if (!isMap(document.contents)) return [];
    return document.contents.items.flatMap(({ key, value }) =>
      !isSeq(value)
        ? []
        : value.items.flatMap((entry, at) => {
            const own = isMap(entry) ? entry.get("hooks") : undefined;
            const path = [String(key), at];
            return isSeq(own) ? own.items.map((_, index) => [...path, "hooks", index]) : [path];
          }),
    );
  }

  /** The text with a hook in the place of one of its hooks, or a rule, under the same name, that has nothing to say. */
  function without(text: string, path: (string | number)[]): string {
    const document = parseDocument(text);
    if (path[0] === "rules") {
      document.setIn([...path, "agents"], "nobody");
      return String(document);
    }
    const name = document.getIn([...path, "name"]);
    document.setIn(path, document.createNode({ name, type: "command", command: "true" }));
    return String(document);
  }

  const mutants = names.flatMap((name) =>
    hooksIn(textOf(name, "hooks.yaml")).map((path, index) => ({ name, path, folder: `${name}-${index}` })),
  );

  test("the tests of every guard fail", async () => {
    expect(mutants.length).toBeGreaterThanOrEqual(names.length);
    const cwd = tempDir();
    for (const { name, path, folder } of mutants) {
      cpSync(join(guards, name), join(cwd, folder), { recursive: true });
      writeFileSync(join(cwd, folder, "hooks.yaml"), without(textOf(name, "hooks.yaml"), path));
    }
    const ran = await hooksh(["test", cwd, "--json", "--jobs", "2"], { cwd });
    const lines = ran.lines();
    const failed = new Set(lines.filter(({ status }) => status === "failed").map(({ file }) => String(file)));
    const seesNothing = mutants.filter(({ folder }) => ![...failed].some((file) => file.includes(`${folder}/`)));
    expect(lines.filter(({ type }) => type === "error")).toEqual([]);
    expect(seesNothing.map(({ folder }) => folder)).toEqual([]);
  });
});
