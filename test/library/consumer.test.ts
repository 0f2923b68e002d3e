import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";

const PROGRAM = `
import { contextOutput, Executor, newRegistry, parseHooks, type Builtin } from "hooksh";

const greet: Builtin = (input) => contextOutput(input.hook_event_name, "from the program");
const registry = newRegistry().registerBuiltin("greet", greet);
const hooks = await parseHooks(await Bun.file("hooks.yaml").text(), { registry });
const executor = new Executor(hooks, { registry });
console.log(JSON.stringify(await executor.dispatch("turn_start", {})));
`;

const HOOKS = `
turn_start:
  - { type: builtin, command: greet }
  - { type: builtin, command: ./own.ts }
  - { type: builtin, command: add_directory_listing }
  - { type: command, command: echo from a command }
`;

test("a project that has the package by its path uses it as hooksh, threads included", () => {
  const cwd = tempDir({
    "program.ts": PROGRAM,
    "hooks.yaml": HOOKS,
    "own.ts":
      'import { contextOutput } from "hooksh"; export default (input) => contextOutput(input.hook_event_name, "from an own hook");',
    "package.json": '{ "name": "consumer", "type": "module", "dependencies": { "hooksh": "file:../hooksh" } }',
  });
  mkdirSync(join(cwd, "node_modules"));
  symlinkSync(join(import.meta.dir, "../.."), join(cwd, "node_modules/hooksh"));
  const child = Bun.spawnSync([process.execPath, "program.ts"], { cwd, timeout: 240_000 });
  expect(child.stderr.toString()).toBe("");
  const { allowed, additional_context } = JSON.parse(child.stdout.toString());
  expect(allowed).toBe(true);
  expect(additional_context.split("\n")[0]).toBe("from the program");
  expect(additional_context).toContain("from an own hook");
  expect(additional_context).toContain("- hooks.yaml");
  expect(additional_context).toEndWith("from a command");
  expect(child.exitCode).toBe(0);
});
