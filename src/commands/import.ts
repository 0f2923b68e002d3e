import { existsSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf, lastingDirectoriesOf } from "../cli/global-flags.ts";
import { print, printBytes, printError } from "../cli/print.ts";
import { HOST_FILES, type HostId, isHostId } from "../dialects/host-files.ts";
import type { HostPlace } from "../dialects/host-paths.ts";
import { dialectRow } from "../dialects/names.ts";
import { currentPlace } from "../hosts/registration/named-host.ts";
import { displayPath, existingFiles, readForeignFile } from "../hosts/translation/host-sources.ts";
import { type HostSources, type ImportResult, importHooks } from "../hosts/translation/import-hooks.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "../lib/errors.ts";
import { nearestName } from "../lib/text/nearest.ts";
import type { ImportCheck } from "./import/check-import.ts";
import { checkText, reportLine, reportSummary } from "./import/import-text.ts";

const FLAGS = {
  dialect: { kind: "value", hint: "HOST", description: "The agent whose hooks the FILE has (default: recognised)" },
  output: { kind: "value", alias: "o", hint: "FILE", description: "File to write (default: standard output)" },
  force: { kind: "switch", description: "Replace the file of --output if it exists" },
  json: {
    kind: "switch",
    description: "Print the report on standard output as one JSON object; for hooks, needs --output",
  },
  strict: { kind: "switch", description: "Exit 1 if something is lost, changed or not imported" },
  check: {
    kind: "switch",
    description:
      "Then run the agent's hooks and the imported ones on ten harmless and dangerous calls; exit 1 if a verdict differs",
  },
  from: {
    kind: "value",
    hint: "DIR",
    description: "docker-agent: directory with session.db, config.yaml or both (default: ~/.cagent, ~/.config/cagent)",
  },
  "dry-run": { kind: "switch", description: "docker-agent: print the report and write nothing" },
} as const satisfies FlagSpecs;

type ImportInput = CommandInput<typeof FLAGS>;

/**
 * `hooksh import`: turns the hooks of other agents into a hooks file of hooksh, and takes over the sessions and the user
 * configuration of docker-agent, whose hooks need no translation.
 */
export const command = defineCommand({
  positionals: "HOST|FILE... | docker-agent",
  description:
    "Reads the hooks of an agent from all its files (of the user, the project, the administrator), or from the files you name, and\n" +
    "writes them as a hooks file. Each hook keeps its command and gets the key dialect, so that it reads and answers what it was\n" +
    "written for. Reports each hook on standard error: mapped, mapped with loss, not mapped, or a duplicate. Changes no file of the\n" +
    "agent, and runs no hook without --check.\n" +
    "--check runs the commands of the hooks that judge tool calls, each in the agent and in hooksh: use it only for files that you\n" +
    "trust, because a repository may bring them. It executes none of the ten calls.\n" +
    `HOST: ${Object.keys(HOST_FILES).join(", ")}.\n` +
    "docker-agent: imports its sessions, aliases, settings and hooks into those of hooksh. Keeps what hooksh has, changes no file of\n" +
    "docker-agent, and reports what is not imported. Imported sessions and aliases run no tool without asking.",
  flags: FLAGS,
  run: runImport,
});

async function runImport(input: ImportInput): Promise<number> {
  const { flags, positionals, signal } = input;
  if (positionals.some(isDockerAgent)) return runDockerAgentImport(input);
  if (flags.from !== undefined || flags["dry-run"])
    throw new UsageError("--from and --dry-run are flags of import docker-agent");
  const dialect = hostFlag(flags.dialect);
  if (positionals.length === 0)
    throw new UsageError("import takes an agent or a file: hooksh import HOST|FILE, or hooksh import docker-agent");
  if (flags.json && flags.output === undefined)
    throw new UsageError("--json needs --output: standard output has the hooks");
  if (flags.force && flags.output === undefined) throw new UsageError("--force needs --output");
  const output = flags.output === undefined ? undefined : resolve(flags.output);
  if (output !== undefined && !flags.force && existsSync(output))
    throw new UserError(`${flags.output}: the file exists: name another one, or replace it with --force`);
  const place = currentPlace();
  // Every file is parsed before anything is written.
  const sources = await sourcesOf(positionals, dialect, place);
  const result = await importHooks(sources, place, signal);
  if (signal.aborted) return EXIT_CODES.interrupted;
  await writeHooks(result, positionals, output);
  const check = flags.check
    ? await (await import("./import/check-import.ts")).checkImport(result, sources, {
        directories: directoriesOf(flags),
        project: place.project,
        signal,
      })
    : undefined;
  if (signal.aborted) return EXIT_CODES.interrupted;
  await report(result, sources, place, { asJson: flags.json ?? false, check });
  const isChanged = result.rows.some(({ status }) => status === "lossy" || status === "unmapped");
  const isFailed = (flags.strict && isChanged) || (check && check.differences.length + check.unchecked.length > 0);
  return isFailed ? EXIT_CODES.failed : EXIT_CODES.ok;
}

/** `cagent` is docker-agent's earlier name. */
function isDockerAgent(name: string): boolean {
  return name === "docker-agent" || name === "cagent";
}

async function runDockerAgentImport({ flags, positionals }: ImportInput): Promise<number> {
  if (positionals.length > 1) throw new UsageError("import docker-agent takes no other agent or file");
  if (flags.output !== undefined || flags.force || flags.dialect !== undefined || flags.check)
    throw new UsageError(
      "import docker-agent takes no --output, --force, --dialect or --check: it writes no hooks file",
    );
  const { importDockerAgent } = await import("../hosts/docker-agent/import-docker-agent.ts");
  const dryRun = flags["dry-run"] ?? false;
  const directories = dryRun ? directoriesOf(flags) : lastingDirectoriesOf(flags, "config", "data");
  const report = await importDockerAgent({ from: flags.from, directories, dryRun });
  const text = await import("../hosts/docker-agent/docker-agent-text.ts");
  await print(flags.json ? text.importJson(report, dryRun) : text.importText(report, dryRun));
  return flags.strict && text.isIncomplete(report) ? EXIT_CODES.failed : EXIT_CODES.ok;
}

function hostFlag(name: string | undefined): HostId | undefined {
  if (name === undefined) return undefined;
  const host = hostNamed(name);
  if (host) return host;
  throw new UsageError(`--dialect takes ${Object.keys(HOST_FILES).join(", ")}, not ${JSON.stringify(name)}`);
}

/** Returns the host with a name of `--dialect`. */
function hostNamed(name: string): HostId | undefined {
  if (name === "antigravity") return "agy";
  return isHostId(name) ? name : undefined;
}

async function sourcesOf(
  names: readonly string[],
  dialect: HostId | undefined,
  place: HostPlace,
): Promise<HostSources[]> {
  const sources: HostSources[] = [];
  for (const name of names) {
    const host = hostNamed(name);
    if (host !== undefined) sources.push(await filesOf(host, place));
    else if (existsSync(name) || /[./\\]/.test(name)) {
      const { recognizeFile } = await import("../hosts/translation/recognize-file.ts");
      sources.push(await recognizeFile(resolve(name), dialect, place));
    } else {
      const close = nearestName(name, Object.keys(HOST_FILES));
      const cure = close === undefined ? `: ${Object.keys(HOST_FILES).join(", ")}` : `, did you mean ${close}?`;
      throw new UsageError(`${JSON.stringify(name)} is neither a file nor an agent${cure}`);
    }
  }
  return sources;
}

/** Reads every file of a host. Throws a `UserError` if one cannot be read or parsed. */
export async function filesOf(host: HostId, place: HostPlace): Promise<HostSources> {
  const found = existingFiles(host, place);
  return { host, files: await Promise.all(found.map(({ row, path }) => readForeignFile(row, path, place))) };
}

async function writeHooks(
  { hooks }: ImportResult,
  names: readonly string[],
  output: string | undefined,
): Promise<void> {
  const { hooksYaml } = await import("../hosts/translation/hooks-yaml.ts");
  const text = hooksYaml(
    hooks,
    `Written by hooksh import ${names.join(" ")}. The comment above each hook names the place it comes from.`,
  );
  if (output === undefined) return printBytes(Buffer.from(text));
  try {
    writeFileSync(output, text);
  } catch (error) {
    throw new UserError(`${output}: cannot be written: ${errorText(error)}`, { cause: error });
  }
}

async function report(
  result: ImportResult,
  sources: readonly HostSources[],
  place: HostPlace,
  { asJson, check }: { asJson: boolean; check: ImportCheck | undefined },
): Promise<void> {
  const notes = [...result.notes, ...general(result, sources, place)];
  if (asJson) return print(JSON.stringify({ hooks: result.rows, notes, ...(check && { check }) }, undefined, 2));
  for (const row of result.rows) printError(reportLine(row));
  for (const note of notes) printError(note);
  printError(reportSummary(result.rows));
  if (check) printError(checkText(check));
}

/** What holds for all imported hooks of a host. */
function general({ hooks }: ImportResult, sources: readonly HostSources[], place: HostPlace): string[] {
  const empty = sources
    .filter(({ files }) => files.length === 0)
    .map(({ host }) => `${dialectRow(host).product}: no file with hooks was found`);
  if (hooks.length === 0) return empty;
  const lines = [...empty];
  if (hooks.some(({ event, hook }) => event === "pre_tool_use" && hook.on_error === undefined))
    lines.push(
      "a pre_tool_use hook that fails denies the call in hooksh; most agents let the call run. Exit codes other than 0 and 2 are no " +
        "failure where other_exit_codes: allow is written: remove it from guards that must not fail open",
    );
  const files = [...new Set(sources.flatMap((source) => source.files.map(({ path }) => displayPath(path, place))))];
  lines.push(
    `the hooks are still in ${files.join(", ")}: when hooksh guards the agent, remove them there, or they run twice`,
  );
  return lines;
}
