import { writeFileSync } from "node:fs";
import { isatty } from "node:tty";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { painter, shouldUseColors } from "../cli/paint.ts";
import { isTerminalOutput, print, printStyled, warn } from "../cli/print.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, errorText, InputError, UsageError, UserError } from "../lib/errors.ts";
import { optimizeForLongRun } from "../lib/platform.ts";
import { parseDuration } from "../lib/text/duration.ts";
import { filterTrees } from "../records/trace/filter-spans.ts";
import { type OpenedTrace, openTrace } from "../records/trace/open-trace.ts";

const FLAGS = {
  session: { kind: "value", hint: "ID", description: "Only this session: its id, or the first 6 characters or more" },
  html: {
    kind: "optional",
    hint: "FILE",
    description: "Write a page for a browser, with everything in the trace, to FILE or standard output",
  },
  perfetto: {
    kind: "optional",
    hint: "FILE",
    description: "Write a trace for ui.perfetto.dev to FILE or standard output",
  },
  json: { kind: "switch", description: "Print the spans and the durations of hooks as JSON" },
  all: { kind: "switch", description: "Show every span; do not fold repeats" },
  min: { kind: "value", hint: "DURATION", description: "Only spans that take at least this long, such as 5ms" },
  errors: { kind: "switch", description: "Only spans that failed or were denied" },
} as const satisfies FlagSpecs;

type TraceFlags = CommandInput<typeof FLAGS>["flags"];

/** `hooksh trace`: shows a trace as a waterfall in the terminal, as a page, or as a file for Perfetto. */
export const command = defineCommand({
  positionals: "[FILE]",
  description:
    "Shows what an agent and its hooks did, and how long each step took. FILE holds OTLP/JSON, as hooksh and other\n" +
    "tools write it; - is standard input. Without FILE, the trace is the file that HOOKSH_TRACE or settings.trace\n" +
    "names, else the newest in the data directory. A session without a trace is shown from the audit log: only its hooks.",
  flags: FLAGS,
  run: showTrace,
});

/** The output of each flag that selects one. */
const OUTPUTS = ["html", "perfetto", "json"] as const;

async function showTrace({ flags, positionals }: CommandInput<typeof FLAGS>): Promise<number> {
  const [file, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError(`trace takes one file; the output goes to --html=FILE or --perfetto=FILE`);
  const outputs = OUTPUTS.filter((name) => flags[name] !== undefined && flags[name] !== false);
  if (outputs.length > 1) throw new UsageError(`--${outputs[0]} and --${outputs[1]} exclude each other`);
  optimizeForLongRun();
  const filter = { least: leastOf(flags), errors: flags.errors };
  const trace = await openTrace({ file, session: flags.session, env: processEnv(), directories: directoriesOf(flags) });
  for (const note of trace.notes) warn(note);
  if (trace.roots.length === 0) throw new InputError(`${trace.title}: no spans`);
  const { roots, removed } = filterTrees(trace.roots, filter);
  await show({ ...trace, roots }, flags, removed);
  return EXIT_CODES.ok;
}

async function show(trace: OpenedTrace, flags: TraceFlags, removed: number): Promise<void> {
  if (flags.html !== undefined) {
    const { renderPage } = await import("../records/trace/render-page.ts");
    await write(flags.html, "html", renderPage(trace));
  } else if (flags.perfetto !== undefined) {
    const { toPerfetto } = await import("../records/trace/perfetto.ts");
    await write(flags.perfetto, "perfetto", JSON.stringify(toPerfetto(trace.roots)));
  } else if (flags.json) {
    const { toPageData } = await import("../records/trace/to-page-data.ts");
    await print(JSON.stringify(toPageData(trace.roots, trace), undefined, 2));
  } else {
    const { renderTrace } = await import("../records/trace/render-trace.ts");
    const colors = isatty(1) && shouldUseColors(processEnv(), flags["no-color"]);
    const columns = process.stdout.columns || Number(processEnv()["COLUMNS"]) || 80;
    await printStyled(renderTrace(trace, { columns, paint: painter(colors), all: flags.all === true, removed }));
  }
}

/** Writes to the file that a flag names, readable by its owner only, or to standard output if it names none. */
async function write(file: string, flag: string, text: string): Promise<void> {
  if (file !== "") return writeOwn(file, text);
  if (isTerminalOutput()) throw new UsageError(`--${flag} prints no text to read: use --${flag}=FILE, or redirect it`);
  await print(text);
}

function writeOwn(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    throw new UserError(`${file}: cannot be written: ${errorText(error)}`, { cause: error });
  }
}

function leastOf({ min }: TraceFlags): number | undefined {
  if (min === undefined) return undefined;
  const least = parseDuration(min);
  if (least === undefined) throw new UsageError(`--min takes a duration such as 5ms or 2s, not ${JSON.stringify(min)}`);
  return least;
}
