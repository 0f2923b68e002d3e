import type { Channel, Dialect, HostEvent } from "../src/dialects/dialect.ts";
import { channels } from "../src/dialects/encode.ts";
import { DIALECTS } from "../src/dialects/names.ts";
import { EVENT_NAMES, type EventName } from "../src/protocol/events.ts";

/** Returns the page on what each host sends and takes, made from the rows of the dialects. */
export async function capabilitiesPage(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(DIALECTS).map(async ([name, { product, load }]) => ({ name, product, ...(await load()) })),
  );
  return [
    "# What each host sends and takes",
    "",
    "*Block* refuses the call, the prompt or the compaction. After a tool, a block gives the model feedback; on `stop` and `subagent_stop`,",
    "it keeps the agent going. *Only observed*: hooks run, and the host ignores the answer. No hook runs on an event for which hooksh has none.",
    "A verdict that a host does not take becomes stricter or is reported: [What a host cannot take](README.md#what-a-host-cannot-take).",
    "",
    "Each line has an event of hooksh, in parentheses the host's own, and what the host takes there.",
    "",
    "| dialect | product | denies a tool call | asks | rewrites | blocks a prompt | keeps going at a stop |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(({ name, product, dialect }) => overviewRow(name, product, dialect)),
    "",
    ...rows.flatMap(({ name, product, dialect }) => section(name, product, dialect)),
  ].join("\n");
}

function overviewRow(name: string, product: string, dialect: Dialect): string {
  const may = (event: EventName, channel: Channel) => {
    const able = eventsFor(dialect, event).filter(([, row]) => taken(row).includes(channel));
    if (able.length === 0) return "no";
    if (able.length < eventsFor(dialect, event).length) return "on some events";
    return able.every(([, row]) => channels(row, {}).includes(channel)) ? "yes" : "in some modes";
  };
  const cells = [
    may("pre_tool_use", "block"),
    may("pre_tool_use", "ask"),
    may("pre_tool_use", "rewrite"),
    may("user_prompt_submit", "block"),
    may("stop", "block"),
  ];
  return `| [\`${name}\`](#${name}) | ${product} | ${cells.join(" | ")} |`;
}

function section(name: string, product: string, dialect: Dialect): string[] {
  const rows = EVENT_NAMES.flatMap((event) => {
    const found = eventsFor(dialect, event);
    if (found.length === 0) return [];
    const byTaken = Map.groupBy(found, ([, row]) => takes(row));
    return [...byTaken].map(([taken, hosts]) => ({
      taken,
      line: `\`${event}\` (${hosts.map(([host]) => `\`${host}\``).join(", ")})`,
    }));
  });
  const observed = rows.filter(({ taken }) => taken === OBSERVED).map(({ line }) => line);
  const unmatched = Object.entries(dialect.events).filter(([, { is }]) => is.length === 0);
  return [
    `## ${name}`,
    "",
    `${product}. ${timeout(dialect)}`,
    "",
    ...rows.filter(({ taken }) => taken !== OBSERVED).map(({ taken, line }) => `- ${line}: ${taken}`),
    ...(observed.length > 0 ? [`- only observed: ${observed.join(", ")}`] : []),
    ...(unmatched.length > 0 ? [`- no event of hooksh: ${unmatched.map(([host]) => `\`${host}\``).join(", ")}`] : []),
    "",
  ];
}

/** What is said of an event whose answer the host ignores. */
const OBSERVED = "only observed";

function eventsFor(dialect: Dialect, event: EventName): [string, HostEvent][] {
  return Object.entries(dialect.events).filter(([, { is }]) => is.includes(event));
}

/** The channels that the host takes with at least one payload: an empty one, or one in Droid's mode `off`. */
function taken(row: HostEvent): readonly Channel[] {
  return [...new Set([...channels(row, {}), ...channels(row, { permission_mode: "off" })])];
}

function takes(row: HostEvent): string {
  const words = taken(row).filter((channel) => channel !== "notice");
  const some = words.map((word) => (channels(row, {}).includes(word) ? word : `${word} (in some modes)`));
  if (row.blockIsContext) some.push("a block as context");
  return some.length > 0 ? some.join(", ") : OBSERVED;
}

function timeout({ timeoutSeconds }: Dialect): string {
  return timeoutSeconds === undefined
    ? "Its timeout is unknown."
    : `By default it waits ${timeoutSeconds} seconds for a hook.`;
}
