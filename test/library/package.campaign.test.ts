import { beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { devDependencies, version } from "../../package.json" with { type: "json" };
import { tempDir } from "../helpers/temp-dir.ts";

const root = join(import.meta.dir, "../..");
const page = readFileSync(join(root, "docs/library.md"), "utf8");
const tsc = join(root, "node_modules/typescript/bin/tsc");

/** The packages of which the library needs none before it uses them. */
const HEAVY = ["openai", "@anthropic-ai/sdk", "@modelcontextprotocol/sdk", "@octokit/rest"];

/** What `npm install` of the tarball brings, besides the package itself. */
const INSTALLED = [
  "@marcbachmann/cel-js",
  "@valibot/to-json-schema",
  "ajv",
  "citty",
  "ignore",
  "jsonc-parser",
  "toml-eslint-parser",
  "valibot",
  "yaml",
];

/** An empty project with the packed package and what it depends on. */
const project = tempDir();
let packedFiles: string[] = [];

function run(command: readonly string[], cwd: string, env: Record<string, string | undefined> = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], {
    cwd,
    env: { ...process.env, ...env },
    timeout: 240_000,
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

function link(name: string, folder: string): void {
  const target = join(folder, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(root, "node_modules", name), target);
}

beforeAll(() => {
  const packed = run(["npm", "pack", "--json", "--pack-destination", project], root);
  expect(packed.stderr).not.toContain("npm error");
  const [{ filename, files }] = JSON.parse(packed.stdout.slice(packed.stdout.indexOf("[\n"))) as [
    { filename: string; files: { path: string }[] },
  ];
  packedFiles = files.map(({ path }) => path);
  const home = join(project, "node_modules/hooksh");
  mkdirSync(home, { recursive: true });
  expect(run(["tar", "-xzf", join(project, filename), "--strip-components=1"], home).exitCode).toBe(0);
  for (const name of INSTALLED) link(name, project);
  writeFileSync(join(project, "package.json"), '{ "name": "consumer", "type": "module" }');
});

test("the tarball holds the modules, their maps and declarations, and nothing else", () => {
  const kinds = packedFiles.map((file) => file.replace(/^dist\/package\/(?:.*\/)?[^./]+/, ""));
  expect([...new Set(kinds)].sort()).toEqual([".d.ts", ".js", ".js.map", "LICENSE", "README.md", "package.json"]);
  for (const file of packedFiles.filter((name) => name.endsWith(".js.map"))) {
    const { sources } = JSON.parse(readFileSync(join(project, "node_modules/hooksh", file), "utf8"));
    expect(sources.filter((source: string) => source.startsWith("/"))).toEqual([]);
  }
});

describe("docs/library.md", () => {
  const programs = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""], index) => ({
    name: `program-${index + 1}.ts`,
    code,
  }));

  test("has an example of every exported name, of which hooksh has at most 42", async () => {
    const code = programs.map((program) => program.code).join("\n");
    const names = new Map(
      ["index", "hook", "snapshot"].map((module) => {
        const text = readFileSync(join(project, `node_modules/hooksh/dist/package/types/${module}.d.ts`), "utf8");
        const lists = [...text.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
        const functions = [...text.matchAll(/^export declare function (\w+)/gm)].map(([, name = ""]) => name);
        return [module, [...lists.map((name) => name.replace("type ", "").trim()), ...functions].filter(Boolean)];
      }),
    );
    expect(names.get("index")?.length).toBeLessThanOrEqual(42);
    expect(names.get("index")?.length).toBeGreaterThan(25);
    const unused = [...names.values()].flat().filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
    expect(unused).toEqual([]);
  });

  test.each(programs)("$name prints what its comments say", ({ name, code }) => {
    writeFileSync(join(project, name), code);
    const printed = [...code.matchAll(/console\.log\(.*\);? \/\/ (.*)$/gm)].map(([, text]) => text);
    const { stdout, stderr } = run([process.execPath, name], project);
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual(printed.map(String));
  });

  test("its programs type-check", () => {
    link("@types/bun", project);
    link("bun-types", project);
    link("@types/node", project);
    link("undici-types", project);
    const files = readdirSync(project).filter((name) => name.startsWith("program-"));
    expect(files.length).toBe(programs.length);
    expect(typeErrors({ types: ["bun"], lib: ["ESNext"] }, files)).toBe("");
  });
});

test("the tables of docs/library.md list the options that the types have", () => {
  const rows = (heading: string) => {
    const [, section = ""] = page.split(heading);
    const [table = ""] = /^\|(?:.*\n\|)*.*/m.exec(section) ?? [];
    const names = [...table.matchAll(/^\| `(\w+)/gm)].map(([, name = ""]) => name);
    expect(names).not.toBeEmpty();
    return JSON.stringify(Object.fromEntries(names.map((name) => [name, true])));
  };
  writeFileSync(
    join(project, "options.ts"),
    `import type { DispatchOptions, ExecutorOptions } from "hooksh";
    export const executor: Record<keyof ExecutorOptions, true> = ${rows("`Executor` takes these options")};
    export const dispatch: Record<keyof DispatchOptions | "details", true> = ${rows("## Options of a dispatch")};`,
  );
  expect(typeErrors({ types: ["bun"], lib: ["ESNext"] }, ["options.ts"])).toBe("");
});

test("the test of docs/own-hooks.md runs and type-checks beside the guard of that page", () => {
  const text = readFileSync(join(root, "docs/own-hooks.md"), "utf8");
  const blocks = [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
  const [guard = ""] = blocks;
  const unitTest = blocks.find((code) => code.includes("testHook")) ?? "";
  writeFileSync(join(project, "guard.ts"), guard);
  writeFileSync(join(project, "guard.test.ts"), unitTest);
  const ran = run([process.execPath, "test", "./guard.test.ts"], project);
  expect(ran.stderr).toContain(" 1 pass\n 0 fail\n");
  expect(ran.exitCode).toBe(0);
  expect(typeErrors({ types: ["bun"], lib: ["ESNext"] }, ["guard.test.ts", "guard.ts"])).toBe("");
});

describe("a strict project", () => {
  const CODE = `
import { Executor, parseHooks, type Builtin, type ExecutorOptions } from "hooksh";
import { type BuiltinContext, defineHook, deny } from "hooksh/hook";
import { listCheckpoints } from "hooksh/snapshot";

const options: ExecutorOptions = {};
const executor = new Executor(await parseHooks("stop: []"), options);
export const decision: "allow" | "ask" | "deny" | undefined = (
  await executor.dispatch("pre_tool_use", { tool_name: "shell" })
).decision;
export const aborted = (context: BuiltinContext): boolean => context.signal.aborted;
export const guard: Builtin = defineHook("pre_tool_use", (input) => deny(input, String(input.tool_input?.["cmd"])));
export const list = listCheckpoints;
// @ts-expect-error pre_tool_use adds no context
export const none = (await executor.dispatch("pre_tool_use", { tool_name: "shell" })).additional_context;
// @ts-expect-error compiled hooks are not public
export const hooks = executor.hooks;
`;
  test.each([
    { module: "nodenext", types: [], lib: ["ESNext"] },
    { module: "nodenext", types: ["node"], lib: ["ESNext"] },
    { module: "nodenext", types: ["bun"], lib: ["ESNext"] },
    { module: "esnext", moduleResolution: "bundler", types: [], lib: ["ESNext"] },
    { module: "esnext", moduleResolution: "bundler", types: [], lib: ["ESNext", "DOM"] },
    { module: "esnext", moduleResolution: "bundler", types: ["bun"], lib: ["ESNext"] },
  ])("type-checks with %j", (options) => {
    writeFileSync(join(project, "strict.ts"), CODE);
    expect(typeErrors(options, ["strict.ts"])).toBe("");
  });

  test("a runtime's own AbortSignal is accepted, and nothing else", () => {
    writeFileSync(
      join(project, "signal.ts"),
      `import { Executor } from "hooksh";
      const executor = new Executor([]);
      await executor.dispatch("stop", {}, { signal: AbortSignal.timeout(1) });
      // @ts-expect-error no signal
      await executor.dispatch("stop", {}, { signal: 5 });`,
    );
    expect(typeErrors({ module: "nodenext", types: ["node"], lib: ["ESNext"] }, ["signal.ts"])).toBe("");
    expect(typeErrors({ module: "nodenext", types: [], lib: ["ESNext", "DOM"] }, ["signal.ts"])).toBe("");
  });
});

/** What the compiler says of files of the project; empty if nothing. */
function typeErrors(options: object, files: readonly string[]): string {
  const compilerOptions = { target: "ESNext", module: "nodenext", strict: true, skipLibCheck: false, noEmit: true };
  const config = { compilerOptions: { ...compilerOptions, exactOptionalPropertyTypes: true, ...options }, files };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
  return run([process.execPath, tsc, "-p", "."], project).stdout;
}

describe("under Bun", () => {
  test("importing hooksh loads no heavy package, and runs commands, builtins, threads and own hooks", () => {
    writeFileSync(
      join(project, "hooks.yaml"),
      `
turn_start:
  - { type: builtin, command: ./own.ts }
  - { type: builtin, command: add_directory_listing }
  - { type: command, command: echo from a command }
`,
    );
    writeFileSync(
      join(project, "own.ts"),
      `import { contextOutput, defineHook } from "hooksh/hook";
      export default defineHook("turn_start", (input) => contextOutput(input.hook_event_name, "from an own hook"));`,
    );
    writeFileSync(
      join(project, "consumer.ts"),
      `import { Executor, parseHooks } from "hooksh";
      const loaded = Object.keys(require.cache).filter((file) => /${HEAVY.map((name) => name.replace("/", "\\/")).join("|")}|valibot|yaml/.test(file));
      const hooks = await parseHooks(await Bun.file("hooks.yaml").text());
      const result = await new Executor(hooks).dispatch("turn_start", {});
      console.log(JSON.stringify({ loaded, result }));`,
    );
    const { stdout, stderr } = run([process.execPath, "consumer.ts"], project);
    expect(stderr).toBe("");
    const { loaded, result } = JSON.parse(stdout);
    expect(loaded).toEqual([]);
    expect(result.allowed).toBe(true);
    expect(result.additional_context).toContain("from an own hook");
    expect(result.additional_context).toContain("- hooks.yaml");
    expect(result.additional_context).toEndWith("from a command");
  });

  test("the bin is hooksh, and says in one line what to install for a model", () => {
    const home = tempDir();
    const bin = join(project, "node_modules/hooksh/dist/package/bin.js");
    const program = (...args: string[]) =>
      run([process.execPath, "--no-install", bin, ...args], project, { HOME: home, OPENAI_API_KEY: "key" });
    expect(program("version").stdout).toBe(`hooksh ${version}\n`);
    expect(program("schema", "hooks").stdout).toContain("pre_tool_use");
    writeFileSync(join(project, "agent.yaml"), "agents: { root: { model: openai/gpt-4o, instruction: be brief } }\n");
    const { exitCode, stderr } = program("run", "agent.yaml", "hello");
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('the package "openai" is not installed: npm install openai');
  });
});

describe.if(Bun.which("node") !== null)("under Node.js", () => {
  test("hooksh and hooksh/snapshot say in one line that they need Bun", () => {
    for (const name of ["hooksh", "hooksh/snapshot"]) {
      const { exitCode, stderr } = run(
        ["node", "--input-type=module", "-e", `await import("${name}").catch((error) => console.error(error.message))`],
        project,
      );
      expect(stderr).toBe("hooksh needs Bun 1.4.5 or newer: run this program with bun (https://bun.sh)\n");
      expect(exitCode).toBe(0);
    }
    const bin = join(project, "node_modules/hooksh/dist/package/bin.js");
    expect(run(["node", bin, "version"], project)).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: expect.stringMatching(/^hooksh needs Bun .*\n$/),
    });
  });

  test("hooksh/hook works", () => {
    const code = `import { deny, runsOnly } from "hooksh/hook";
      console.log(runsOnly("ls -l", ["ls *"]), JSON.stringify(deny({ hook_event_name: "pre_tool_use" }, "no")));`;
    const { stdout, stderr } = run(["node", "--input-type=module", "-e", code], project);
    expect(stderr).toBe("");
    expect(stdout).toBe(
      'true {"hook_specific_output":{"hook_event_name":"pre_tool_use","permission_decision":"deny","permission_decision_reason":"no"}}\n',
    );
  });
});

test("hooksh/hook is small and imports no package", () => {
  const text = readFileSync(join(project, "node_modules/hooksh/dist/package/hook.js"), "utf8");
  expect(text.match(/^import .* from "(?!node:path").*$|\bimport\(|\brequire\(/gm)).toBeNull();
  expect(text.length).toBeLessThan(130_000);
});

test("every heavy package is an optional peer in the range that the repository tests", () => {
  const manifest = JSON.parse(readFileSync(join(project, "node_modules/hooksh/package.json"), "utf8"));
  expect(Object.keys(manifest.dependencies)).toEqual(INSTALLED);
  for (const name of HEAVY) {
    expect(manifest.peerDependenciesMeta[name]).toEqual({ optional: true });
    const tested = devDependencies[name as keyof typeof devDependencies];
    expect(Bun.semver.satisfies(tested, manifest.peerDependencies[name])).toBe(true);
  }
  expect(Bun.semver.satisfies(devDependencies.bun, manifest.peerDependencies.bun)).toBe(true);
});
