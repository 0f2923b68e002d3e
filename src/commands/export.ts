import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, printBytes, printError, warn } from "../cli/print.ts";
import { loadUserHooks } from "../config/hooks/hook-sources.ts";
import { SCOPE_FLAGS, scopeOf } from "../hosts/registration/host-flags.ts";
import { installTarget } from "../hosts/registration/host-plan.ts";
import { currentPlace, dialectOf, HOST_IDS, namedHost } from "../hosts/registration/named-host.ts";
import { dispatchCall, ownProgram } from "../hosts/registration/own-command.ts";
import { chosenDirectories } from "../hosts/registration/policy.ts";
import { type ExportResult, exportHooks } from "../hosts/translation/export-hooks.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "../lib/errors.ts";
import { reportLine, reportSummary } from "./import/import-text.ts";

const FLAGS = {
  ...SCOPE_FLAGS,
  file: { kind: "value", hint: "HOOKS", description: "Hooks file to export (default: your own hooks)" },
  output: { kind: "value", alias: "o", hint: "FILE", description: "File to write; a folder for cline and cline-sdk" },
  force: { kind: "switch", description: "Replace files that exist" },
  json: { kind: "switch", description: "Print the report on standard output as one JSON object; needs --output" },
  strict: { kind: "switch", description: "Exit 1 if a hook or rule is lost or changed" },
} as const satisfies FlagSpecs;

type ExportInput = CommandInput<typeof FLAGS>;

/** `hooksh export`: turns hooks into the configuration of another agent. */
export const command = defineCommand({
  positionals: "HOST",
  description:
    "Writes hooks as a configuration file of another agent, on standard output. Hooks with the dialect of that agent become its own\n" +
    "entries; all others run through hooksh dispatch, registered as hooksh install does it. Reports each hook and rule on standard error.\n" +
    "Touches no file of the agent: install edits those.\n" +
    `HOST: ${HOST_IDS.join(", ")}.`,
  flags: FLAGS,
  run: runExport,
});

async function runExport({ flags, positionals }: ExportInput): Promise<number> {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new UsageError(`export takes one host: ${HOST_IDS.join(", ")}`);
  if (flags.json && flags.output === undefined)
    throw new UsageError("--json needs --output: standard output has the hooks");
  const host = namedHost(name);
  const place = currentPlace();
  const target = installTarget(host, scopeOf(flags), place);
  if (target.file.nesting === "file" && flags.output === undefined)
    throw new UsageError(`${host} has one file for each event: name a folder for them with --output`);
  const directories = directoriesOf(flags);
  const hooksFile = flags.file === undefined ? undefined : resolve(flags.file);
  const hooksFiles = flags.file === undefined ? [] : [flags.file];
  // With a file, only its hooks are exported: the user's own hooks run in addition to any configuration.
  const loaded = await loadUserHooks({
    directories,
    warn,
    hooksFiles,
    cwd: place.project,
    noUserHooks: hooksFile !== undefined,
  });
  const call = { program: ownProgram(), dialect: host, hooksFile, directories: chosenDirectories(flags) };
  const dialect = await dialectOf(host);
  const callOf = (event: string) => dispatchCall(dialect, target.files, { ...call, event });
  const result = await exportHooks(loaded.entries, target, place, callOf, loaded.rules);
  await writeFiles(result, flags);
  await report(result, flags.json ?? false);
  const isChanged = result.rows.some(({ status }) => status === "lossy" || status === "unmapped");
  return flags.strict && isChanged ? EXIT_CODES.failed : EXIT_CODES.ok;
}

async function writeFiles({ files }: ExportResult, { output, force }: ExportInput["flags"]): Promise<void> {
  if (output === undefined) {
    for (const { text } of files) await printBytes(Buffer.from(text));
    return;
  }
  const named = files.map(({ name, text }) => ({
    path: name === undefined ? resolve(output) : join(resolve(output), name),
    name,
    text,
  }));
  const existing = force ? [] : named.filter(({ path }) => existsSync(path)).map(({ path }) => path);
  if (existing.length > 0)
    throw new UserError(`${existing.join(", ")}: exists: name another place, or replace it with --force`);
  for (const { path, name, text } of named) {
    try {
      if (name !== undefined) mkdirSync(resolve(output), { recursive: true });
      writeFileSync(path, text);
      if (name !== undefined) chmodSync(path, 0o755);
    } catch (error) {
      throw new UserError(`${path}: cannot be written: ${errorText(error)}`, { cause: error });
    }
  }
}

async function report({ rows, notes }: ExportResult, asJson: boolean): Promise<void> {
  if (asJson) return print(JSON.stringify({ hooks: rows, notes }, undefined, 2));
  for (const row of rows) printError(reportLine(row, row.event));
  for (const note of notes) printError(note);
  printError(reportSummary(rows));
}
