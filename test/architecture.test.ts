import { describe, expect, test } from "bun:test";
import { basename, join } from "node:path";
import { BUILTINS } from "../builtins/index.ts";
import { childGraph, cycleIn, foldersOf, partGraph, readImports } from "../scripts/import-graph.ts";

const root = join(import.meta.dir, "..");

const imports = readImports();
const files = [...imports.keys()];

const sources = new Map(
  await Promise.all(files.map(async (file) => [file, await Bun.file(join(root, file)).text()] as const)),
);

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
    expect(files.length).toBeGreaterThan(800);
    expect([...imports.values()].reduce((sum, { size }) => sum + size, 0)).toBeGreaterThan(3000);
  });

  test("no part depends on itself through others", () => {
    expect(cycleIn(partGraph(imports))).toBeUndefined();
  });

  test.each(foldersOf(imports))("no file or folder of %s depends on itself through others of it", (folder) => {
    expect(cycleIn(childGraph(imports, folder))).toBeUndefined();
  });

  test("a cycle is found", () => {
    const graph = new Map(Object.entries({ a: new Set(["b"]), b: new Set(["c"]), c: new Set(["b"]), d: new Set("a") }));
    expect(cycleIn(graph)).toEqual(["b", "c", "b"]);
  });

  test("sources import nothing from outside but packages and package.json", () => {
    const outside = [...imports].flatMap(([file, targets]) =>
      [...targets].filter((target) => !imports.has(target)).map((target) => `${file} -> ${target}`),
    );
    expect(outside.filter((arrow) => !/ -> (package\.json|examples\/|src\/.*\.(css|txt))/.test(arrow))).toEqual([]);
  });

  test("a file can be found by its name: no base name occurs in five folders", () => {
    const folders = Map.groupBy(files, (file) => basename(file));
    expect([...folders].filter(([, same]) => same.length > 4).map(([name]) => name)).toEqual([]);
  });

  test("a builtin's file is named as in configuration", () => {
    const names = files
      .filter((file) => /^builtins\/[^/]+\.ts$/.test(file) && file !== "builtins/index.ts")
      .map((file) => file.slice(9, -3));
    expect(names.sort()).toEqual(Object.keys(BUILTINS).sort());
  });
});

const SPAWNERS = [
  "src/lib/platform.ts",
  "src/lib/process/child.ts",
  "src/lib/process/descendants.ts",
  "src/lib/process/descriptors.ts",
];

describe("APIs that only certain files may use", () => {
  test.each([
    ["process.exit", /\bprocess\.exit\b/, ["src/main.ts", "src/program.ts"]],
    ["process.env", /\bprocess\.env\b/, ["src/lib/process-env.ts"]],
    // bundle-page.ts runs while the program is built.
    [
      "the API of Bun",
      /\bBun(\.| as\b)|"bun:|\bHTMLRewriter|\bnew Worker\b/,
      ["src/lib/platform.ts", "src/records/trace/bundle-page.ts"],
    ],
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

  test("console: what prints for commands", () => {
    expect(linesWith(/\bconsole\./, (file) => file === "src/cli/print.ts")).toEqual([]);
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
      "test/cli/dispatch.campaign.test.ts", // compares child processes
      "test/engine/dispatch-record.test.ts", // compares a reported duration with a measured one
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
