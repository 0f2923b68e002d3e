import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { BUILTINS } from "../builtins/index.ts";

const root = join(import.meta.dir, "..");

/** A file may import from its own part and from lower levels. Parts on one level do not import each other. */
const LEVELS: readonly (readonly string[])[] = [
  ["src/lib"],
  ["src/pattern", "src/shell", "src/template", "src/trace"],
  ["src/protocol"],
  ["src/dialects", "src/redaction", "src/snapshot", "src/hook.ts"],
  ["builtins", "src/tools", "src/model"],
  ["src/config"],
  ["src/engine"],
  ["src/audit"],
  ["src/runtime"],
  ["src/commands"],
  ["src/main.ts", "src/index.ts", "src/snapshot.ts", "src/worker.ts"],
];

const files = ["src", "builtins"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name)),
);

const sources = new Map(
  await Promise.all(files.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
);

const imports = new Map([...sources].map(([file, text]) => [file, importsOf(file, text)]));

/** Every relative import of a file, `import type` and `import()` included, as paths from the root. */
function importsOf(file: string, text: string): string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.{1,2}\/[^"]+)"/g);
  return [...found].map(([, specifier = ""]) => relative(root, resolve(root, dirname(file), specifier)));
}

function partOf(file: string): { level: number; part: string } {
  const level = LEVELS.findIndex((parts) => parts.some((part) => file === part || file.startsWith(`${part}/`)));
  const part = LEVELS[level]?.find((candidate) => file === candidate || file.startsWith(`${candidate}/`)) ?? "";
  return { level, part };
}

/** Lines of code that match, as `file:line`; comments and texts in backquotes do not count. */
function linesWith(pattern: RegExp, except: (file: string) => boolean = () => false): string[] {
  return [...sources]
    .filter(([file]) => !except(file))
    .flatMap(([file, text]) =>
      text.split("\n").flatMap((line, index) => {
        const code = line.replace(/\/\/.*$/, "").replace(/^\s*\/?\*.*$/, "");
        return pattern.test(code) ? [`${file}:${index + 1}`] : [];
      }),
    );
}

describe("the layout", () => {
  test("the check sees every source file and its imports", () => {
    expect(files.length).toBeGreaterThan(40);
    expect([...imports.values()].flat().length).toBeGreaterThan(100);
  });

  test("every file belongs to a level", () => {
    expect(files.filter((file) => partOf(file).level < 0)).toEqual([]);
  });

  test("a file imports from its own part or from a lower level", () => {
    const wrong = [...imports].flatMap(([file, targets]) =>
      targets
        .filter((target) => target !== "package.json")
        .filter((target) => {
          const [from, to] = [partOf(file), partOf(target)];
          return from.part !== to.part && to.level >= from.level;
        })
        .map((target) => `${file} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test("there is no import cycle", () => {
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]) => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
      if (done.has(file) || path.includes(file)) return;
      for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  test("a file can be found by its name: no base name occurs in five folders", () => {
    const folders = Map.groupBy(files, (file) => basename(file));
    expect([...folders].filter(([, same]) => same.length > 4).map(([name]) => name)).toEqual([]);
  });

  test("one event passes through at most 12 files and 1,500 lines (docs/design/event.md lists them)", () => {
    const page = readFileSync(join(root, "docs/design/event.md"), "utf8");
    const way = [...page.matchAll(/^\| `(src\/[^`]+)` \|/gm)].map(([, file = ""]) => file);
    const lines = way.map((file) => sources.get(file)?.trimEnd().split("\n").length ?? Number.NaN);
    expect(way.length).toBeGreaterThan(5);
    expect(way.length).toBeLessThanOrEqual(12);
    expect(lines.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(1500);
  });

  test("a builtin's file is named as in configuration", () => {
    const names = files
      .filter((file) => /^builtins\/[^/]+\.ts$/.test(file) && file !== "builtins/index.ts")
      .map((file) => file.slice(9, -3));
    expect(names.sort()).toEqual(Object.keys(BUILTINS).sort());
  });
});

const SPAWNERS = ["src/lib/platform.ts", "src/lib/process/child.ts", "src/lib/process/descendants.ts"];

describe("APIs that only certain files may use", () => {
  test.each([
    ["process.exit", /\bprocess\.exit\b/, ["src/main.ts"]],
    ["process.env", /\bprocess\.env\b/, ["src/lib/env.ts"]],
    ["the API of Bun", /\bBun(\.| as\b)|"bun:|\bHTMLRewriter|\bnew Worker\b/, ["src/lib/platform.ts"]],
    ["starting a program", /\bstartProgram\(|\brunSilently\(/, SPAWNERS],
    ["starting a thread", /\bstartWorker\(/, ["src/engine/workers/pool.ts", "src/lib/platform.ts"]],
  ])("%s", (_name, pattern, homes) => {
    const found = linesWith(pattern, (file) => homes.includes(file));
    expect(found).toEqual([]);
  });

  test("facts that follow from a model's name: the table of families", () => {
    const isElsewhere = (file: string) =>
      file === "src/model/catalog/families.ts" || !/^src\/(model|runtime)\//.test(file);
    const names = /\/[^/]*\b(gpt|claude|gemini|deepseek|mistral|kimi|qwen|llama|grok|o[134])\b[^/]*\/[a-z]*[.,)]/i;
    expect(linesWith(names, isElsewhere)).toEqual([]);
    expect(linesWith(/\.model\.(startsWith|includes|endsWith|match)\(|\.(test|exec)\(model\b/, isElsewhere)).toEqual(
      [],
    );
  });

  test("the hook protocol's shape of messages: its projection, and the store that migrates it", () => {
    const homes = [
      "src/protocol/fields.ts",
      "src/model/messages/hook-messages.ts",
      "src/model/messages/hook-rewrite.ts",
      "src/redaction/redact-messages.ts",
    ];
    // Google's interface of OpenAI's kind has a field of the same name.
    homes.push("src/model/catalog/chat-rules.ts");
    const fields = /\b(multi_content|thinking_signature|thought_signature)\b/;
    expect(linesWith(fields, (file) => homes.includes(file) || file.startsWith("src/runtime/store/"))).toEqual([]);
  });

  test("console only in commands and main", () => {
    expect(linesWith(/\bconsole\./, (file) => file.startsWith("src/commands/") || file === "src/main.ts")).toEqual([]);
  });
});

describe("tests do not depend on the speed of the machine", async () => {
  const tests = [...new Bun.Glob("test/**/*.ts").scanSync(root)].filter((file) => !/^test\/(bench|hosts)\//.test(file));
  const texts = await Promise.all(tests.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const));
  const filesWith = (pattern: RegExp) => texts.flatMap(([file, text]) => (pattern.test(text) ? [file] : []));

  test("the check sees every test", () => {
    expect(tests.length).toBeGreaterThan(400);
  });

  test("none waits with .rejects or .resolves, which can hold up the event loop: test/helpers/settled.ts", () => {
    expect(filesWith(/\)\s*\.(rejects|resolves)\b/)).toEqual([]);
  });

  test("none measures time: test/helpers/growth.ts compares costs, test/helpers/until.ts waits", () => {
    const homes = [
      "test/architecture.test.ts",
      "test/cli/dispatch.test.ts", // compares child processes
      "test/engine/hook-details.test.ts", // compares a reported duration with a measured one
    ];
    const measuring = filesWith(/performance\.now\(|hrtime|Bun\.nanoseconds|cpuUsage|cpuTime/i);
    expect(measuring.filter((file) => !file.startsWith("test/helpers/") && !homes.includes(file))).toEqual([]);
  });
});

describe("words that do not belong", () => {
  test.each([
    ["any", /[:<(|&]\s*any\b|\bas any\b/],
    ["enum", /^\s*(export )?(const )?enum\s/],
    ["namespace", /^\s*(export )?namespace\s/],
    ["a default export", /^\s*export default\b/],
    ["eval", /\beval\(|\bnew Function\(/],
  ])("%s", (_name, pattern) => {
    expect(linesWith(pattern)).toEqual([]);
  });

  test("no marker of unfinished work", () => {
    const marker = new RegExp(["TO", "DO|FIX", "ME|X", "XX"].join(""));
    expect([...sources].filter(([, text]) => marker.test(text)).map(([file]) => file)).toEqual([]);
  });
});
