import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isatty } from "node:tty";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import { type FlagSpecs, parseFlags } from "../cli/flags.ts";
import { GLOBAL_FLAGS } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "../lib/errors.ts";
import { RUN_FLAGS } from "../run/run-flags.ts";
import { readExample } from "./demo/read-example.ts" with { type: "macro" };
import { ownName } from "./init/own-name.ts";

const FILES = readExample("guarded-cleanup");

const TASK = "Free some disk space: get rid of the build folder.";

const INTRODUCTION = `
An agent is asked to free disk space. It may run any command without asking
(--yolo), but a hook checks every call of its shell tool: guard.ts lets
through only commands that delete nothing.

$ hooksh run agent.yaml --yolo --replay recording.yaml \\
    "${TASK}"`;

/** `hooksh demo`: runs the example `guarded-cleanup`, which the executable contains. */
export const command = defineCommand({
  positionals: "[DIR]",
  description:
    "Runs an agent that tries something its guard forbids. Needs no model and no key: the model's replies are recorded, everything\n" +
    "else is real. Works in a temporary directory, or in the new directory DIR, which it keeps for you to read and change.",
  flags: {},
  async run(input) {
    const [directory] = input.positionals;
    if (input.positionals.length > 1) throw new UsageError(`demo takes one directory, not ${input.positionals.length}`);
    const temporary = mkdtempSync(join(tmpdir(), "hooksh-demo-"));
    try {
      const typed = ownName(process.cwd()); // the run below changes the directory
      const project = directory === undefined ? join(temporary, "project") : resolve(directory);
      writeProject(project, directory ?? project);
      const code = await runDemo(project, temporary, input);
      if (code === EXIT_CODES.ok) await print(endingFor(project, directory, typed));
      return code;
    } finally {
      process.chdir(tmpdir()); // some systems keep the directory of a process
      rmSync(temporary, { recursive: true, force: true });
    }
  },
});

/** Writes the files of the example. Throws a {@link UserError} if the directory has files already. */
function writeProject(path: string, shown: string): void {
  if (existsSync(path) && readdirSync(path).length > 0)
    throw new UserError(`${shown}: not empty: name a new directory`);
  try {
    mkdirSync(join(path, "build"), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(path, name), text, { flag: "wx" });
    writeFileSync(join(path, "build/objects"), "main.o\n");
  } catch (error) {
    throw new UserError(`${shown}: cannot be written: ${errorText(error)}`, { cause: error });
  }
}

/** Runs the agent without the user's settings and hooks, and without a trace in the user's sessions and audit log. */
async function runDemo(
  project: string,
  temporary: string,
  { signal, onInterrupt, commands }: CommandInput<FlagSpecs>,
): Promise<number> {
  const own = ["config", "data", "cache"].flatMap((name) => {
    mkdirSync(join(temporary, name));
    return [`--${name}-dir`, join(temporary, name)];
  });
  const argv = [...own, "--quiet", "--yolo", "--replay", "recording.yaml"];
  const { flags } = parseFlags(argv, { ...RUN_FLAGS, ...GLOBAL_FLAGS });
  await print(isatty(1) ? INTRODUCTION : `${INTRODUCTION}\n`); // the terminal's first block begins with a blank line
  process.chdir(project);
  const { command: run } = await import("./run.ts");
  return run.run({ flags, positionals: ["agent.yaml", TASK], signal, onInterrupt, commands });
}

function endingFor(project: string, directory: string | undefined, typed: string): string {
  const kept =
    directory === undefined ? `\`${typed} demo DIR\` keeps the files in DIR` : `The files are in ${directory}`;
  return `
$ ls -A .trash
${readdirSync(join(project, ".trash")).join("\n")}

The folder was moved, not deleted, because of the hook in guard.ts.
${kept}, to read and change.

Next: \`${typed} init\` writes an agent and its guard for the project you are in.`;
}
