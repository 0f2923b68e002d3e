import { isatty } from "node:tty";
import { scanEntries } from "../audit/scan-entries.ts";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { painter, shouldUseColors, supportsEscapes } from "../cli/paint.ts";
import { print } from "../cli/print.ts";
import { timeFlag } from "../cli/time-flag.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { compileEagerly } from "../lib/platform.ts";
import { SINCE_FORMS } from "../lib/text/parse-since.ts";
import { isEventName, unknownEvent } from "../protocol/events.ts";
import { AUDIT_FLAGS } from "../records/audit/audit-flags.ts";
import { StatsCollector } from "../records/stats/collect-stats.ts";
import type { HookFigures } from "../records/stats/stats-report.ts";
import { renderStats, type StatsTerminal } from "../records/stats/stats-text.ts";

const DEFAULT_SINCE = "7d";

const ORDERS = {
  p95: ({ p95_ms }: HookFigures) => p95_ms,
  p50: ({ p50_ms }: HookFigures) => p50_ms,
  max: ({ max_ms }: HookFigures) => max_ms,
  total: ({ total_ms }: HookFigures) => total_ms,
  runs: ({ runs }: HookFigures) => runs,
  failed: ({ failed }: HookFigures) => failed,
  blocked: ({ blocked }: HookFigures) => blocked,
  name: () => 0,
} as const;

type SortKey = keyof typeof ORDERS;

const SORT_KEYS = Object.keys(ORDERS) as readonly SortKey[];

const FLAGS = {
  since: {
    kind: "value",
    hint: "TIME",
    description: `Only entries since then: ${SINCE_FORMS} (default: ${DEFAULT_SINCE})`,
  },
  session: AUDIT_FLAGS.session,
  hook: { kind: "value", hint: "NAME", description: "Only the hook with this name, or that runs this script" },
  event: { kind: "value", hint: "EVENT", description: "Only hooks of this event" },
  agent: AUDIT_FLAGS.agent,
  host: AUDIT_FLAGS.host,
  sort: {
    kind: "value",
    hint: "KEY",
    choices: SORT_KEYS,
    description: "Order of the hooks (default: p95); all but name begin with the largest",
  },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

/** `hooksh stats`: how often hooks ran, how long they took, and how often they failed or denied. */
export const command = defineCommand({
  positionals: "",
  description:
    "Prints figures from the audit log for each hook and event: runs, failures, what it denied or asked about, the\n" +
    "median (p50), 95th percentile (p95) and maximum of its duration, and runs that took 80 % of its timeout or more;\n" +
    "how often rules hit, the distribution of the durations, and the share of the sessions' time that hooks took. A\n" +
    "session lasts from its first entry to its last.",
  flags: FLAGS,
  run: runStats,
});

async function runStats({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  if (positionals.length > 0) throw new UsageError("stats takes no arguments, only flags");
  const { session, agent, host, hook, event } = flags;
  if (event !== undefined && !isEventName(event)) throw new UsageError(unknownEvent(event));
  const since = timeFlag("since", flags.since ?? DEFAULT_SINCE, Date.now());
  const directories = directoriesOf(flags);
  compileEagerly();
  const collector = new StatsCollector({ hook, event });
  const counts = await scanEntries(directories.data, { since, session, agent, host, signal }, (entry) =>
    collector.add(entry),
  );
  const report = collector.report(since, counts);
  const sorted = { ...report, hooks: sortFigures(report.hooks, (flags.sort as SortKey | undefined) ?? "p95") };
  await print(flags.json ? JSON.stringify(sorted) : renderStats(sorted, terminalOf(flags["no-color"])));
  return EXIT_CODES.ok;
}

/** The widths that the output adapts to. */
const COLUMNS = { least: 40, most: 200, unknown: 80 } as const;

function terminalOf(noColor: boolean | undefined): StatsTerminal {
  const env = processEnv();
  const columns = isatty(1) ? process.stdout.columns : Number(env["COLUMNS"]);
  return {
    columns: Math.min(COLUMNS.most, Math.max(COLUMNS.least, columns || COLUMNS.unknown)),
    style: supportsEscapes(env) ? "blocks" : "ascii",
    paint: painter(isatty(1) && shouldUseColors(env, noColor)),
  };
}

/** Sorts figures by a key, the largest first, and equal ones by name and event. */
function sortFigures(figures: readonly HookFigures[], key: SortKey): HookFigures[] {
  const order = ORDERS[key];
  const text = ({ hook, event, source }: HookFigures) => [hook, event, source].join("\0");
  return figures.toSorted((a, b) => order(b) - order(a) || (text(a) < text(b) ? -1 : 1));
}
