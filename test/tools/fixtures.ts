import { afterEach } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnv } from "../../src/lib/env.ts";
import { ConfigError } from "../../src/lib/errors.ts";
import { rowOf, type ToolsetEntry, type ToolsetTypeName } from "../../src/tools/index.ts";
import type { ToolContext, ToolResult, Toolset, ToolsetContext } from "../../src/tools/tool.ts";

const temporary: string[] = [];

afterEach(() => {
  for (const directory of temporary.splice(0)) rmSync(directory, { recursive: true, force: true });
});

/** A new empty directory without symbolic links in its path; removed after the test. */
export function temporaryDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "hooksh-tools-")));
  temporary.push(directory);
  return directory;
}

/** What a call in `workingDir` is given. */
export function toolContext(workingDir: string, more: Partial<ToolContext> = {}): ToolContext {
  return { sessionId: "s1", workingDir, env: processEnv(), signal: new AbortController().signal, ...more };
}

/** What the check of an entry finds, one line each: `path: message`. */
export async function problemsOf(entry: ToolsetEntry): Promise<string[]> {
  const problems: string[] = [];
  const report = {
    problem: (path: readonly (string | number)[], message: string) =>
      void problems.push(`${path.join(".")}: ${message}`),
    defined: (path: readonly (string | number)[], kind: string, wanted: string, names: readonly string[]) => {
      if (!names.includes(wanted)) problems.push(`${path.join(".")}: no ${kind} ${JSON.stringify(wanted)}`);
    },
  };
  await rowOf(entry).check?.(entry, report, { mcps: [], sources: [] });
  return problems;
}

/** A toolset of the table, checked and made from an entry whose keys have been parsed: times are in milliseconds. */
export async function makeToolset(
  type: ToolsetTypeName,
  workingDir: string,
  options: Record<string, unknown> = {},
  more: Partial<ToolsetContext> = {},
): Promise<Toolset> {
  const context = {
    workingDir,
    env: processEnv(),
    dataDir: join(workingDir, ".data"),
    log: () => {},
    warn: () => {},
    ...more,
  };
  const entry: ToolsetEntry = { type, ...options };
  const problems = await problemsOf(entry);
  if (problems.length > 0) throw new ConfigError(problems);
  const load = rowOf(entry).load;
  if (!load) throw new Error(`${type} has no implementation`);
  return (await load()).create(entry, context);
}

/** Calls a tool of a toolset by its name. */
export async function call(
  toolset: Toolset,
  name: string,
  input: Record<string, unknown>,
  context: ToolContext,
): Promise<ToolResult> {
  const tool = toolset.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool.run(input, context);
}
