import { lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import { loadAgentFile } from "../config/agent/load-agent.ts";
import { openSecrets } from "../config/user/secrets.ts";
import { openTrustStore } from "../config/user/trust-store.ts";
import { loadUserConfig, type UserConfig } from "../config/user/user-config.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "../lib/errors.ts";
import { keyLines } from "../model/catalog/key-pages.ts";
import { parseModelReference } from "../model/catalog/model-reference.ts";
import { PROPOSED_PROVIDERS } from "../runtime/team/check-team.ts";
import { quoteWord } from "../shell/quote-word.ts";
import { type FoundModel, findModel } from "./init/find-model.ts";
import { findProject, type Project } from "./init/find-project.ts";
import { ownName } from "./init/own-name.ts";
import { type StarterFiles, starterFiles } from "./init/starter-files.ts";

const FLAGS = {
  model: {
    kind: "value",
    hint: "MODEL",
    description: "The model of the agent, as provider/model (default: one that is found)",
  },
  "without-guards-stay": {
    kind: "switch",
    description: "Let the agent change its own file and guard (default: such calls are denied)",
  },
  force: { kind: "switch", description: "Replace files that exist" },
  print: { kind: "switch", description: "Print the files, and write nothing" },
} as const satisfies FlagSpecs;

/** `hooksh init`: writes an agent file with a guard and its tests, for what is found in the current directory. */
export const command = defineCommand({
  positionals: "[FILE]",
  description:
    "Writes an agent file (default: agent.yaml), a guard for its shell tool and the tests of the guard, for what it finds: API keys in\n" +
    "the environment, model servers on this machine, git, and how the project's tests run. Never replaces a file without --force.",
  flags: FLAGS,
  run,
});

type InitFlags = CommandInput<typeof FLAGS>["flags"];

async function run({ flags, positionals }: CommandInput<typeof FLAGS>): Promise<number> {
  if (positionals.length > 1) throw new UsageError(`init takes one file, not ${positionals.length}`);
  const cwd = process.cwd();
  const { directory, file } = targetOf(positionals[0], cwd);
  const env = processEnv();
  const directories = directoriesOf(flags);
  const lookup = openSecrets({ env, configDirectory: directories.config, cwd });
  const providers = flags.model === undefined ? {} : (await loadUserConfig(directories)).providers;
  const [model, project] = await Promise.all([
    findModel(flags.model, { lookup, env }, providers),
    findProject(cwd, env),
  ]);
  const files = starterFiles({
    name: file.replace(/\.ya?ml$/, ""),
    file,
    model,
    project,
    guardsStay: !flags["without-guards-stay"],
  });
  if (flags.print) {
    await print(
      Object.values(files)
        .map(({ name, text }) => `==> ${name} <==\n${text}`)
        .join("\n")
        .trimEnd(),
    );
    return EXIT_CODES.ok;
  }
  writeFiles(directory, Object.values(files), flags.force ?? false);
  await trustWritten(join(directory, files.agent.name), flags, providers);
  await print(report(files, { model, project, folder: relative(cwd, directory) }));
  return EXIT_CODES.ok;
}

/** Trusts the agent file if `hooksh run` finds it in its folder, so that it does not ask about what init wrote. */
async function trustWritten(path: string, flags: InitFlags, userProviders: UserConfig["providers"]): Promise<void> {
  const { filesToTrust } = await loadAgentFile(undefined, { cwd: dirname(path), userProviders });
  const store = openTrustStore(directoriesOf(flags));
  for (const file of filesToTrust) if (file.reference === path) store.add(file);
}

/** A file name that needs no quotes in YAML, in TypeScript or in a message. */
const FILE_NAME = /^[A-Za-z0-9_][\w.-]{0,99}\.ya?ml$/;

function targetOf(given: string | undefined, cwd: string): { directory: string; file: string } {
  const path = resolve(cwd, given ?? ".");
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return { directory: path, file: "agent.yaml" };
  const file = basename(path);
  if (!FILE_NAME.test(file) || /\.hooktest\.ya?ml$/.test(file))
    throw new UsageError(
      `init takes a file name that ends with .yaml, such as agent.yaml, not ${JSON.stringify(file)}`,
    );
  return { directory: dirname(path), file };
}

interface Found {
  model: FoundModel;
  project: Project;
  /** The folder of the files, from the current directory; empty if that is it. */
  folder: string;
}

function report({ agent, guard, tests }: StarterFiles, { model, project, folder }: Found): string {
  const typed = ownName(process.cwd());
  const path = (name: string) => quoteWord(join(folder, name));
  const sections = [
    [
      "Found",
      `  model  ${model.reference} (${model.reason})`,
      ...(project.protectedBranch === undefined
        ? []
        : [`  git    the branch ${project.protectedBranch} is protected from pushes`]),
      ...(project.tests ? [`  tests  ${project.tests.command} (${project.tests.file})`] : []),
    ],
    [
      "Wrote",
      ...table([
        [join(folder, agent.name), "the agent"],
        [join(folder, guard.name), "a guard: it decides which commands run"],
        [join(folder, tests.name), "the tests of the guard"],
      ]),
    ],
    keyAdvice(model),
    [
      "Next",
      ...table([
        [`${typed} test ${path(tests.name)}`, "see what the guard denies"],
        [
          `${typed} run ${path(agent.name)}`,
          canRun(model) ? "talk to the agent" : "talk to the agent, once it has a model",
        ],
        ...(model.reference === "auto" ? [[`${typed} demo`, "see a guard at work without a model"]] : []),
      ]),
    ],
  ];
  return sections
    .filter((section) => section.length > 0)
    .map((section) => section.join("\n"))
    .join("\n\n");
}

function keyAdvice({ reference, missing }: FoundModel): string[] {
  if (reference === "auto")
    return [
      "Before the agent can run, start a local model (Ollama, LM Studio, Docker Model Runner) or set one of",
      ...keyLines(PROPOSED_PROVIDERS).map((line) => `  ${line}`),
    ];
  if (missing.length === 0) return [];
  const lines = keyLines([parseModelReference(reference)?.provider ?? ""]);
  return ["Before the agent can run, set", ...(lines.length > 0 ? lines : missing).map((line) => `  ${line}`)];
}

function canRun({ reference, missing }: FoundModel): boolean {
  return reference !== "auto" && missing.length === 0;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const wide = Math.max(...rows.map(([first = ""]) => first.length));
  return rows.map(([first = "", second]) => `  ${first.padEnd(wide)}  ${second}`);
}

interface NewFile {
  name: string;
  text: string;
}

/**
 * Writes files into a directory, all or none: throws a {@link UserError} that names every file that exists already. With
 * `overwrite` it replaces them; a symbolic link is replaced, not followed.
 */
function writeFiles(directory: string, files: readonly NewFile[], overwrite: boolean): void {
  const existing = files.filter(({ name }) => lstatSync(join(directory, name), { throwIfNoEntry: false }));
  if (existing.length > 0 && !overwrite) {
    const names = existing.map(({ name }) => name).join(", ");
    throw new UserError(
      `${names}: ${existing.length === 1 ? "exists" : "exist"} already, so nothing was written; ` +
        "name another file, or replace with --force",
    );
  }
  for (const { name, text } of files) {
    const path = join(directory, name);
    try {
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { force: true });
      writeFileSync(path, text, { flag: "wx" });
    } catch (error) {
      throw new UserError(`${path}: cannot be written: ${errorText(error)}`, { cause: error });
    }
  }
}
