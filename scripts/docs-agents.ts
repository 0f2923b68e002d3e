import type { Dialect } from "../src/dialects/dialect.ts";
import { channels } from "../src/dialects/encode.ts";
import type { HostMute } from "../src/dialects/host-file.ts";
import { type HostId, hostFiles } from "../src/dialects/host-files.ts";
import { dialectOf, dialectsOf, HOST_IDS, productOf } from "../src/hosts/registration/named-host.ts";
import { registrationFor } from "../src/hosts/registration/registration.ts";
import { EVENT_NAMES, type EventName } from "../src/protocol/events.ts";
import results from "../test/hosts/results.json";
import { AGENT_TRAPS, RECORDED } from "./agent-traps.ts";
import type { DrivenResults } from "./docs-driven.ts";

/** The page of every host, by its path from the root. */
export async function agentPages(): Promise<Record<string, string>> {
  const pages = await Promise.all(HOST_IDS.map(async (host) => [pagePath(host), await agentPage(host)] as const));
  return Object.fromEntries(pages);
}

/** One line for each host, for the list in docs/agents/list.md. */
export function agentList(): string {
  const rows = HOST_IDS.map(
    (host) =>
      `| [${productOf(host)}](${host}.md) | ${dialectsOf(host)
        .map((name) => `\`${name}\``)
        .join(", ")} | ${triedAs(host)} |`,
  );
  return [
    "# The agents",
    "",
    "The agents that hooksh can guard, each with a page: how to register your hooks, what they can refuse, what they cannot, and the traps. What",
    "holds for all of them is in [One policy for every agent](README.md). *Tried* is the version that [ran for real](driven.md), or whose payloads",
    "were recorded.",
    "",
    "`hooksh install` shows the change and asks before it writes; with `--dry-run` it only shows it. It prints what the agent cannot do for the",
    "events of your hooks. `hooksh status` says whether the hooks are in force, and `hooksh uninstall` removes them.",
    "",
    "| agent | dialects | tried |",
    "|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

function pagePath(host: HostId): string {
  return `docs/agents/${host}.md`;
}

async function agentPage(host: HostId): Promise<string> {
  const dialect = await dialectOf(host);
  return [
    `# ${productOf(host)}`,
    "",
    `Dialect \`${host}\`${otherDialects(host)}. ${triedText(host)} Documentation of its hooks: <${hostFiles(host).source}>.`,
    "",
    ...installSection(host),
    ...guardedSection(dialect),
    ...gapSection(host, dialect),
    ...trapSection(host),
  ].join("\n");
}

function otherDialects(host: HostId): string {
  const others = dialectsOf(host).filter((name) => name !== host);
  return others.length === 0 ? "" : `, and ${others.map((name) => `\`${name}\``).join(", ")} in another form`;
}

function installSection(host: HostId): string[] {
  const { files, trust = {} } = hostFiles(host);
  const scopes = files.filter(
    ({ install, scope }) => install !== undefined && (scope === "user" || scope === "project"),
  );
  const commands = scopes.map(({ scope, path, install }) => {
    const file = typeof install === "string" ? path.replace(/[^/]*$/, install) : path;
    const command = `hooksh install ${host} --${scope} --file hooks.yaml`;
    return `${command.padEnd(58)}# ${file}`;
  });
  return [
    "## Install",
    "",
    "<!-- test: setup",
    "echo 'rules: [{ include: \"builtin:git-safety\" }]' > hooks.yaml",
    "-->",
    "<!-- test: yes -->",
    "```sh",
    ...commands,
    "```",
    "",
    ...Object.values(trust).map((text) => `- ${sentence(text)}`),
    ...(Object.keys(trust).length > 0 ? [""] : []),
  ];
}

/** Ends a text with a full stop and capitalises it, except for a product that writes its own name in lower case. */
function sentence(text: string): string {
  if (/^(goose|opencode) /.test(text)) return `${text}.`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

const GUARDED: Readonly<Partial<Record<EventName, string>>> = {
  pre_tool_use: "tool calls",
  permission_request: "permission requests",
  user_prompt_submit: "prompts",
  pre_compact: "compactions",
  stop: "stops (a block keeps the agent going)",
  subagent_stop: "the stops of sub-agents",
};

function guardedSection({ events }: Dialect): string[] {
  const rows = Object.entries(GUARDED).flatMap(([event, what]) => {
    const hosts = Object.entries(events).filter(
      ([, row]) => row.is.includes(event as EventName) && channels(row, {}).includes("block"),
    );
    return hosts.length === 0 ? [] : [`- ${what}: ${hosts.map(([name]) => `\`${name}\``).join(", ")}`];
  });
  return ["## What is guarded", "", ...rows, ""];
}

function gapSection(host: HostId, dialect: Dialect): string[] {
  const { gaps } = registrationFor(dialect, hostFiles(host), new Set(EVENT_NAMES));
  // What the host has no event for is in the capabilities, and the page of all agents says it of prompt_file_guard.
  const other = gaps.filter((gap) => !gap.includes(": the host has no such event; "));
  const withoutHost = (gap: string) => gap.slice(`${host}: `.length);
  return [
    "## What cannot be done",
    "",
    ...other.map((gap) => `- ${withoutHost(gap).replace(/^([a-z_]+)/, "`$1`")}`),
    `- only the events of [the whole list](capabilities.md#${host}) exist`,
    "",
  ];
}

function trapSection(host: HostId): string[] {
  const { mutes, notes = [], eventNotes = {} } = hostFiles(host);
  const lines = [
    ...mutes.map(muteLine),
    ...[...notes, ...Object.values(eventNotes)].map(sentence),
    ...(AGENT_TRAPS[host] ?? []),
  ];
  const unique = [...new Set(lines)];
  return unique.length === 0
    ? []
    : ["## When hooks do not run, and other traps", "", ...unique.map((line) => `- ${line}`), ""];
}

function muteLine({ key, value, effect }: HostMute): string {
  const setting = `\`${key.join(".")}\``;
  return `${setting}${value === undefined ? "" : ` is \`${JSON.stringify(value)}\``}: ${effect}.`;
}

function triedAs(host: HostId): string {
  const driven = (results as DrivenResults).programs.filter((program) => program.host === host);
  if (driven.length > 0) return driven.map(({ version, date }) => `${version}, driven ${date}`).join("; ");
  const recorded = RECORDED[host];
  return recorded === undefined ? "test vectors only" : `${recorded}, recorded payloads`;
}

function triedText(host: HostId): string {
  const driven = (results as DrivenResults).programs.filter((program) => program.host === host);
  const recorded = RECORDED[host];
  if (driven.length > 0)
    return `[Driven](driven.md): version ${driven.map(({ version, date }) => `${version} on ${date}`).join(", ")}.`;
  return recorded === undefined
    ? "Tested with payloads from its documentation or source."
    : `Tested with payloads that version ${recorded} sent.`;
}
