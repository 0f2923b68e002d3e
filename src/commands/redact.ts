import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { print } from "../cli/print.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { GENERIC_LEVELS } from "../redaction/args.ts";
import type { GenericLevel } from "../redaction/redact.ts";
import { isTerminalInput, STANDARD_INPUT } from "./redact/redact-input.ts";

const FLAGS = {
  generic: {
    kind: "value",
    hint: "LEVEL",
    choices: GENERIC_LEVELS,
    description: "How hard to look for credentials that follow no vendor's format (default: on)",
  },
  label: { kind: "switch", description: "Name the kind of secret in each replacement: [REDACTED:github-pat]" },
  report: {
    kind: "switch",
    description: "Print file:line:column: kind for each secret instead of the text; searches folders",
  },
  check: { kind: "switch", description: "Like --report, but exit 1 if there is a secret" },
  "list-kinds": { kind: "switch", description: "Print every kind of secret and its group" },
  json: { kind: "switch", description: "With --report, --check or --list-kinds: print one JSON object per line" },
} as const satisfies FlagSpecs;

type RedactInput = CommandInput<typeof FLAGS>;

/** `hooksh redact`: applies the redaction of `redact_secrets` to files, or reports where they contain secrets. */
export const command = defineCommand({
  positionals: "[FILE...]",
  description:
    "Copies standard input or files to standard output with every secret replaced by [REDACTED], as redact_secrets does. All other\n" +
    "bytes stay the same. --report and --check print where secrets are, never the secrets themselves. Exits 0; 1 if a file cannot\n" +
    "be read or --check finds a secret; 64 on wrong usage; 141 if the reader of standard output closes it.",
  flags: FLAGS,
  run: runRedact,
});

async function runRedact({ flags, positionals, signal }: RedactInput): Promise<number> {
  checkFlags(flags, positionals);
  if (flags["list-kinds"]) return listKinds(flags.json ?? false);
  const isReport = flags.report || flags.check;
  const names = namesOf(positionals);
  const options = { generic: flags.generic as GenericLevel | undefined, label: flags.label, signal };
  if (!isReport) return (await import("./redact/filter-secrets.ts")).filterSecrets(names, options);
  const { reportSecrets } = await import("./redact/report-secrets.ts");
  const { found, failed } = await reportSecrets(names, { ...options, json: flags.json ?? false });
  if (signal.aborted) return EXIT_CODES.interrupted;
  return failed || (flags.check && found > 0) ? EXIT_CODES.failed : EXIT_CODES.ok;
}

function checkFlags(flags: RedactInput["flags"], names: readonly string[]): void {
  const isReport = flags.report || flags.check;
  if (flags["list-kinds"]) {
    const other = (["report", "check", "label", "generic"] as const).find((name) => flags[name] !== undefined);
    if (other !== undefined) throw new UsageError(`--${other} cannot be used with --list-kinds`);
    if (names.length > 0) throw new UsageError("--list-kinds takes no file");
  } else if (!isReport && flags.json) throw new UsageError("--json requires --report, --check or --list-kinds");
  if (isReport && flags.label)
    throw new UsageError("--label cannot be used with --report and --check, which name the kind anyway");
}

/**
 * Returns the given names, or `-` if there are none. Throws a {@link UsageError} if that would read from a terminal.
 */
function namesOf(names: readonly string[]): readonly string[] {
  if (names.length > 0) return names;
  if (isTerminalInput()) throw new UsageError("standard input is a terminal: name a file, or - to type the text");
  return [STANDARD_INPUT];
}

async function listKinds(json: boolean): Promise<number> {
  const { KIND_GROUPS } = await import("../redaction/kinds/kinds.ts");
  const kinds = KIND_GROUPS.flatMap(({ name, summary, ids }) => ids.map((kind) => ({ kind, group: name, summary })));
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  const lines = kinds.map((row) => (json ? JSON.stringify(row) : `${row.kind.padEnd(width)}  ${row.summary}`));
  await print(lines.join("\n"));
  return EXIT_CODES.ok;
}
