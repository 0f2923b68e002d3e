import { loadAgentFile } from "../config/load-agent.ts";
import { locateAgentFile } from "../config/agent-reference.ts";
import { readDocument, renderProblems } from "../config/document.ts";
import { checkHooksBlock } from "../config/hook-checks.ts";
import { aliasPath, loadUserConfig } from "../config/user.ts";
import { ConfigError, EXIT_CODES, UsageError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { isEventName } from "../protocol/events.ts";
import { type CommandInput, defineCommand } from "./command.ts";
import type { FlagSpecs } from "./flags.ts";
import { directoriesOf, print, printError, warn } from "./output.ts";
import { sourceContext } from "./sources.ts";

const FLAGS = {
  json: { kind: "switch", description: "Print an object a file" },
  "strict-version": { kind: "switch", description: "A key newer than the file's version is an error" },
} as const satisfies FlagSpecs;

/** What is wrong with a file. */
interface Verdict {
  file: string;
  problems: readonly string[];
  warnings: readonly string[];
}

/** `hooksh validate`: every problem of every file, without keys; only a reference to elsewhere is fetched. Source: config-and-cli 9.7. */
export const command = defineCommand({
  positionals: "FILE...",
  description:
    "Checks agent files and files that hold a hooks block: every key, every hook, every matcher, every reference. Prints one line a\n" +
    "problem, with its place. Needs no keys and starts nothing. Exits 1 when anything is wrong.",
  flags: FLAGS,
  async run({ flags, positionals, signal }) {
    if (positionals.length === 0) throw new UsageError("validate needs a file: hooksh validate FILE...");
    const directories = directoriesOf(flags);
    const user = await loadUserConfig(directories);
    const sources = sourceContext({ directories, cwd: process.cwd(), signal });
    let exitCode: number = EXIT_CODES.ok;
    for (const reference of positionals) {
      const strictVersion = flags["strict-version"] ?? false;
      const verdict = await validate(aliasPath(user, reference) ?? reference, { userProviders: user.providers, strictVersion, sources });
      if (verdict.problems.length > 0) exitCode = EXIT_CODES.failed;
      await show(verdict, flags);
    }
    return exitCode;
  },
});

async function validate(reference: string, options: Omit<Parameters<typeof loadAgentFile>[1], "cwd">): Promise<Verdict> {
  try {
    const hooks = await hooksProblems(reference);
    if (hooks) return { file: reference, problems: hooks, warnings: [] };
    const { warnings } = await loadAgentFile(reference, { ...options, cwd: process.cwd() });
    return { file: reference, problems: [], warnings };
  } catch (error) {
    if (error instanceof ConfigError) return { file: reference, problems: error.problems, warnings: [] };
    throw error;
  }
}

/** The problems of a file that holds a hooks block; undefined for an agent file. */
async function hooksProblems(reference: string): Promise<readonly string[] | undefined> {
  const found = locateAgentFile(reference, { cwd: process.cwd() });
  if (found.kind !== "file") return undefined;
  const document = await readDocument(found.path, found.shown);
  const keys = isObject(document.value) ? Object.keys(document.value) : [];
  if (keys.includes("agents") || !keys.some(isEventName)) return undefined;
  return renderProblems({ ...document, root: ["hooks"] }, checkHooksBlock(document.value, []));
}

async function show({ file, problems, warnings }: Verdict, flags: CommandInput<typeof FLAGS>["flags"]): Promise<void> {
  if (flags.json) {
    await print(JSON.stringify({ file, ok: problems.length === 0, problems: problems.map(toObject), warnings: warnings.map(toObject) }));
    return;
  }
  for (const warning of warnings) warn(warning);
  for (const problem of problems) printError(problem);
  if (problems.length === 0) await print(`${file}: ok`);
}

/** A located line taken apart; what has no place is only a message. */
function toObject(line: string): Record<string, unknown> {
  const [, file, row, column, message] = /^(.*?):(\d+):(\d+): ([\s\S]*)$/.exec(line) ?? [];
  return file === undefined ? { message: line } : { file, line: Number(row), column: Number(column), message };
}
