import { afterEach } from "bun:test";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { processEnv } from "../../src/lib/env.ts";
import { TOOLSETS, type ToolsetType } from "../../src/tools/index.ts";
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

/** A toolset of the table, made from an entry as it would stand in an agent file. */
export async function makeToolset(
  type: ToolsetType,
  workingDir: string,
  options: Record<string, unknown> = {},
  more: Partial<ToolsetContext> = {},
): Promise<Toolset> {
  const context = { workingDir, env: processEnv(), dataDir: join(workingDir, ".data"), log: () => {}, warn: () => {}, ...more };
  return TOOLSETS[type].create({ type, ...options }, context);
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
