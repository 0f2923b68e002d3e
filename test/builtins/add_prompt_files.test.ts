import { expect, test } from "bun:test";
import { run } from "../../builtins/add_prompt_files.ts";
import { BUILTINS } from "../../builtins/index.ts";
import type { HookOutput } from "../../src/protocol/output.ts";
import { callBuiltin, sh, temporaryDirectory } from "../helpers/call-builtin.ts";

const call = (cwd: string, home: string, ...names: string[]) =>
  callBuiltin(run, { hook_event_name: "turn_start", cwd }, names, { env: { HOME: home } });

/** The reports to the user of files that are left out. */
const reportsIn = (output: HookOutput | undefined) =>
  (output?.system_message?.split("\n") ?? []).map((line) => line.replace("add_prompt_files: left out: ", ""));

test("joins the nearest file upwards and the one in the home directory", async () => {
  await using directory = await temporaryDirectory();
  const at = directory.path;
  sh(
    at,
    "mkdir -p a/b/STYLE.md home; printf far > STYLE.md; printf near > a/STYLE.md; printf x > X.md; " +
      "printf home > home/STYLE.md",
  );
  expect((await call(`${at}/a/b`, `${at}/home`, "STYLE.md")).context).toBe("near\n\nhome");
  expect((await call(`${at}/a/b`, `${at}/home`, "X.md", "none.md", "STYLE.md")).context).toBe("x\n\nnear\n\nhome");
});

test("takes a file once when the home directory is the nearest", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "mkdir work; printf home > STYLE.md");
  expect((await call(`${directory.path}/work`, directory.path, "STYLE.md")).context).toBe("home");
});

test("refuses a name that is absolute or climbs out of the directory", async () => {
  await using directory = await temporaryDirectory();
  const at = directory.path;
  sh(at, "mkdir sub; printf hidden > secret; printf style > sub/STYLE.md; mkdir sub/docs; printf docs > sub/docs/A.md");
  const names = [
    "../secret",
    "docs/../../secret",
    "..",
    `${at}/secret`,
    "C:\\secret",
    "",
    "STYLE.md",
    "docs/../docs/A.md",
  ];
  const { context, output } = await call(`${at}/sub`, `${at}/sub`, ...names);
  expect(context).toBe("style\n\ndocs");
  expect(reportsIn(output)).toEqual(
    names.slice(0, 6).map((name) => `${JSON.stringify(name)} must name a file inside the directory`),
  );
});

test("skips everything but regular files, without waiting for it", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "mkfifo pipe; ln -s pipe to-pipe; ln -s /dev/zero zero; printf style > STYLE.md");
  const { context, output } = await call(directory.path, "/nowhere", "pipe", "to-pipe", "zero", "STYLE.md");
  expect(context).toBe("style");
  expect(reportsIn(output)).toEqual(
    [
      ["pipe", "is not a regular file"],
      ["to-pipe", "is not a regular file"],
      ["zero", `leads out of ${directory.path} through a symbolic link`],
    ].map(([name, reason]) => `${directory.path}/${name}: ${reason}`),
  );
});

test("does not follow a link out of the repository, or out of the folder if there is no repository", async () => {
  await using directory = await temporaryDirectory();
  const at = directory.path;
  sh(
    at,
    "printf secret > secret; mkdir -p repo/.git repo/sub plain home; printf shared > repo/SHARED.md; " +
      "ln -s ../SHARED.md repo/sub/STYLE.md; ln -s ../../secret repo/sub/OUT.md; ln -s ../secret plain/STYLE.md; " +
      "ln -s .. repo/up; ln -s ../secret home/STYLE.md",
  );
  const inRepository = await call(`${at}/repo/sub`, "/nowhere", "STYLE.md", "OUT.md");
  expect(inRepository.context).toBe("shared");
  expect(reportsIn(inRepository.output)).toEqual([
    `${at}/repo/sub/OUT.md: leads out of ${at}/repo through a symbolic link`,
  ]);
  const behindFolder = await call(`${at}/repo`, "/nowhere", "up/secret");
  expect([behindFolder.context, reportsIn(behindFolder.output).length]).toEqual([undefined, 1]);
  const outside = await call(`${at}/plain`, "/nowhere", "STYLE.md");
  expect([outside.context, reportsIn(outside.output).length]).toEqual([undefined, 1]);
  expect((await call(`${at}/repo`, `${at}/home`, "STYLE.md")).context).toBe("secret"); // the user's own link
});

test("cuts a file at 256 KiB between characters", async () => {
  await using directory = await temporaryDirectory();
  await Bun.write(`${directory.path}/big.md`, `x${"é".repeat(200_000)}`);
  await Bun.write(`${directory.path}/exact.md`, "y".repeat(262_144));
  expect((await call(directory.path, "/nowhere", "big.md")).context).toBe(`x${"é".repeat(131_071)}\n... (truncated)`);
  expect((await call(directory.path, "/nowhere", "exact.md")).context).toBe("y".repeat(262_144));
});

test("cuts the total at 1 MiB", async () => {
  await using directory = await temporaryDirectory();
  await Bun.write(`${directory.path}/big.md`, "x".repeat(250_000));
  const { context = "" } = await call(directory.path, "/nowhere", ...new Array<string>(9).fill("big.md"));
  expect(context.length).toBe(1024 * 1024 + "\n... (truncated)".length);
  expect(context).toEndWith("x\n... (truncated)");
});

test("is silent without a directory, names or files", async () => {
  await using directory = await temporaryDirectory();
  expect((await call("", "/nowhere", "STYLE.md")).output).toBeUndefined();
  expect((await call(directory.path, "/nowhere")).output).toBeUndefined();
  expect((await call(directory.path, "/nowhere", "STYLE.md")).output).toBeUndefined();
});

test("--depth lists the paths of files with these names in directories below, not their contents", async () => {
  await using directory = await temporaryDirectory();
  sh(
    directory.path,
    "mkdir -p a/b/c .github .git node_modules; printf top > A.md; printf far > elsewhere.md; " +
      "for at in a a/b a/b/c .github .git node_modules; do printf below > $at/A.md; done; ln -s ../A.md a/b/link.md; ln -s a linked",
  );
  const context = async (...args: string[]) => (await call(directory.path, "/nowhere", ...args)).context;
  const heading = "Nested prompt files, read those you need:";
  expect(await context("A.md", "--depth=2")).toBe(`top\n\n${heading}\n- .github/A.md\n- a/A.md\n- a/b/A.md`);
  expect(await context("A.md", "--depth=1")).toEndWith("\n- .github/A.md\n- a/A.md");
  expect(await context("A.md", "--depth=0")).toBe("top");
});

test("--depth keeps each path on its line", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, String.raw`at="$(printf 'a\nObey: b')"; mkdir "$at"; printf x > "$at/A.md"`);
  const { context } = await call(directory.path, "/nowhere", "A.md", "--depth=1");
  expect(context?.split("\n")).toEqual([expect.any(String), String.raw`- a\nObey: b/A.md`]);
});

test("--depth lists 100 files at most", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "for at in $(seq 101 201); do mkdir $at; printf x > $at/A.md; done");
  const { context = "" } = await call(directory.path, "/nowhere", "A.md", "--depth=1");
  expect(context.split("\n").slice(1)).toEqual(Array.from({ length: 100 }, (_, at) => `- ${101 + at}/A.md`));
});

test("--depth is a number", () => {
  const { argsProblem } = BUILTINS.add_prompt_files;
  expect(["--depth=2000", "--depth=x", "--depth=-1"].map((arg) => argsProblem([arg]))).toEqual([
    undefined,
    'expected --depth=N, a number of directory levels, but got "--depth=x"',
    'expected --depth=N, a number of directory levels, but got "--depth=-1"',
  ]);
});
