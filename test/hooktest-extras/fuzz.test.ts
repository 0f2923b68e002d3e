import { expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { jsonLines, NAIVE_GUARD, STRICT_GUARD } from "./guard-files.ts";

interface Fuzzed {
  name: string;
  status: string;
  notes?: string[];
}

async function fuzz(cwd: string, ...args: string[]) {
  const { stdout, stderr, code } = await hooksh(["test", "--json", ...args], { cwd });
  const lines = jsonLines(stdout);
  const tests = lines.filter(({ type }) => type === "test") as unknown as Fuzzed[];
  const [fuzzed] = tests.filter(({ name }) => name.includes("in other spellings"));
  return { fuzzed, totals: lines.find(({ type }) => type === "fuzz"), stderr, code };
}

test("a spelling that a guard lets through is a red test, shrunk, with the command line that repeats it", async () => {
  const cwd = tempDir(NAIVE_GUARD);
  const first = await fuzz(cwd, "--fuzz", "40", "--seed", "5");
  expect(first.code).toBe(1);
  expect(first.fuzzed?.status).toBe("failed");
  const [spelling = "", madeBy = "", again = ""] = first.fuzzed?.notes ?? [];
  expect(spelling).toBe('spelling: "git push -f origin main"');
  expect(madeBy).toBe("made by: long and short options; does the same with the programs of GNU and with Git");
  expect(again).toBe(
    String.raw`again: hooksh test guard.hooktest.yaml --run 'a force push is refused \[git push --force origin main\]' --fuzz 40 --seed 5`,
  );
  const pattern = String.raw`a force push is refused \[git push --force origin main\]`;
  const second = await fuzz(cwd, "guard.hooktest.yaml", "--run", pattern, "--fuzz", "40", "--seed", "5");
  expect(second.fuzzed?.notes).toEqual(first.fuzzed?.notes ?? []);
});

test("a guard that refuses every spelling stays green, and the seed is printed", async () => {
  const { fuzzed, totals, code } = await fuzz(tempDir(STRICT_GUARD), "--fuzz", "25");
  expect(fuzzed).toMatchObject({ status: "passed", name: expect.stringContaining("in other spellings: 25 refused") });
  expect(totals).toMatchObject({
    seed: expect.any(Number),
    count: 25,
    texts: 1,
    tried: 25,
    counterexamples: 0,
    cut: false,
  });
  expect(code).toBe(0);
});

test("a spelling can be left out; the next smallest is found", async () => {
  const { fuzzed } = await fuzz(
    tempDir(NAIVE_GUARD),
    "--fuzz",
    "40",
    "--seed",
    "5",
    "--fuzz-skip",
    "long and short options",
  );
  expect(fuzzed?.notes?.[0]).toBe(String.raw`spelling: "git push\t--force origin main"`);
  expect(fuzzed?.notes?.[2]).toEndWith("--seed 5 --fuzz-skip 'long and short options'");
});

test("tests without each are not fuzzed, and that is said", async () => {
  const { "guard.hooktest.yaml": _tests, ...rest } = NAIVE_GUARD;
  const tests =
    "hooks: ./hooks.yaml\ntests: [{event: pre_tool_use, tool: shell, input: {cmd: ls}, expect: {decision: none}}]\n";
  const { stderr } = await hooksh(["test", "--fuzz", "5"], { cwd: tempDir({ ...rest, "a.hooktest.yaml": tests }) });
  expect(stderr).toContain("--fuzz: no test with each expects a deny");
});

test("flags that make no sense are usage errors", async () => {
  const cwd = tempDir(NAIVE_GUARD);
  for (const [args, message] of [
    [["--seed", "1"], "--seed needs --fuzz N"],
    [["--fuzz", "many"], "--fuzz takes a number up to 100000"],
    [["--fuzz", "5", "--fuzz-skip", "tabs"], 'did you mean "tab"?'],
    [["--coverage=all"], "--coverage takes a percentage"],
    [["--budget=soon"], "--budget takes a duration such as 200ms"],
    [["--agent", "x"], "--agent needs --attacks or --init"],
    [["--dialect", "emacs"], "--dialect takes claude, codex"],
  ] as const) {
    const { stderr, code } = await hooksh(["test", ...args], { cwd });
    expect(stderr).toContain(message);
    expect(code).toBe(64);
  }
});

test.each([
  ["read_file", "{path: $each}", "secrets/key", "names the same file"],
  ["fetch", "{urls: [$each]}", "https://internal.example/", "is the same URL to browsers and fetch"],
])("an item of %s is written as a path or a URL can be", async (tool, input, item, kind) => {
  const files = {
    "hooks.yaml": `pre_tool_use: [{hooks: [{type: command, command: "if grep -qF '\\"${item}\\"'; then echo no >&2; exit 2; fi"}]}]\n`,
    "a.hooktest.yaml": `hooks: ./hooks.yaml
tests:
  - {event: pre_tool_use, tool: ${tool}, each: ["${item}"], input: ${input}, expect: {decision: deny}}
`,
  };
  const { fuzzed, code } = await fuzz(tempDir(files), "--fuzz", "30", "--seed", "1");
  expect(code).toBe(1);
  expect(fuzzed?.notes?.[1]).toEndWith(kind);
});

test("examples that must be denied are written differently, too", async () => {
  const { "guard.hooktest.yaml": _tests, ...files } = NAIVE_GUARD;
  const hooks = files["hooks.yaml"]?.replace("timeout: 60", "timeout: 60, examples: {deny: [git push --force]}") ?? "";
  const { fuzzed } = await fuzz(
    tempDir({ ...files, "hooks.yaml": hooks }),
    "hooks.yaml",
    "--fuzz",
    "30",
    "--seed",
    "1",
  );
  expect(fuzzed).toMatchObject({ status: "failed", name: expect.stringContaining("example: deny git push --force") });
});
