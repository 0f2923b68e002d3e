import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";

const SYSTEMS: Partial<Record<string, string>> = { darwin: "MacOS", win32: "Windows", linux: "Linux" };

/** Go's names where they differ from Node's: docker-agent, which this follows, is written in Go. */
const ARCHITECTURES: Partial<Record<string, string>> = { ia32: "386", mipsel: "mipsle", ppc64: "ppc64le" };

/** Adds the working directory, whether it is in a git repository, the operating system and the processor. */
export const run = defineBuiltin(async (input) => {
  if (input.cwd === "") return undefined;
  const lines = [
    "<env>",
    `Working directory: ${input.cwd}`,
    `Is directory a git repo: ${(await isInRepository(input.cwd)) ? "Yes" : "No"}`,
    `Operating System: ${SYSTEMS[process.platform] ?? process.platform}`,
    `CPU Architecture: ${ARCHITECTURES[process.arch] ?? process.arch}`,
    "</env>",
  ];
  const title = "Here is useful information about the environment you are running in:";
  return contextOutput(input.hook_event_name, [title, ...lines.map((line) => `\t${line}`)].join("\n"));
});

/** A linked worktree and a submodule have a `.git` file in place of the directory. */
async function isInRepository(cwd: string): Promise<boolean> {
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const found = await stat(join(at, ".git")).catch(() => undefined); // does not exist, or must not be read
    if (found?.isDirectory() || found?.isFile()) return true;
    if (dirname(at) === at) return false;
  }
}
