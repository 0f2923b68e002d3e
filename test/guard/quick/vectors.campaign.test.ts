/**
 * Every vector of test/conformance, and of the folders that the variable VECTORS names (with `:` between them), both ways:
 * as they are, in the form of a hook, and, where a hook would answer, with hooks that say nothing.
 */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { bothWaysApart } from "../../helpers/both-ways.ts";

/** The parts of a vector that say how it is run, in the words of both kinds of files. */
interface Vector {
  name: string;
  hooks?: unknown;
  event?: object;
  events?: object[];
  input?: string;
  stdin?: string;
  files?: Record<string, string>;
  prepare?: string;
  setup?: string;
  env?: Record<string, string>;
  args?: string[];
  run?: unknown;
  server?: unknown;
}

const folders = [
  join(import.meta.dir, "../../conformance"),
  ...(process.env["VECTORS"] ?? "").split(":").filter(Boolean),
];

/** What a command of a hook is replaced by, so that the way to silence is taken whatever the vector is about. */
const QUIET = "cat >/dev/null; :";

function silenced(hooks: unknown): unknown {
  if (Array.isArray(hooks)) return hooks.map(silenced);
  if (typeof hooks !== "object" || hooks === null) return hooks;
  const copy = Object.entries(hooks).map(([key, value]) => [key, key === "command" ? QUIET : silenced(value)]);
  return Object.fromEntries(copy);
}

function isUsable({ hooks, run, server }: Vector): boolean {
  return hooks !== undefined && run === undefined && server === undefined;
}

async function expectSame(vector: Vector, hooks: unknown, more: readonly string[]): Promise<void> {
  const { event, events, input, stdin, files = {}, prepare, setup, env = {}, args = [] } = vector;
  const raw = input ?? stdin ?? (events ?? [event ?? {}]).map((one) => JSON.stringify(one)).join("\n");
  const call = { hooks, event: raw, files, env, args: [...args, ...more], prepare: prepare ?? setup };
  const { quick, engine } = await bothWaysApart(call);
  expect(quick).toEqual(engine);
}

for (const folder of folders) {
  for (const file of [...new Bun.Glob("*.yaml").scanSync(folder)].sort()) {
    const vectors = (Bun.YAML.parse(readFileSync(join(folder, file), "utf8")) as Vector[]).filter(isUsable);
    describe(`both ways: ${basename(file, ".yaml")}`, () => {
      test.each(vectors.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
        const isPlain = !(one.args ?? []).includes("--output");
        await expectSame(one, one.hooks, isPlain ? ["--output", "result"] : []);
        await expectSame(one, silenced(one.hooks), []);
      });
    });
  }
}
