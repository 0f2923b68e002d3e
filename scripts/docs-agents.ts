import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dialect } from "../src/dialects/dialect.ts";
import { channels } from "../src/dialects/encode.ts";
import type { HostMute } from "../src/dialects/host-file.ts";
import { type HostId, hostFiles } from "../src/dialects/host-files.ts";
import { installTarget, planFiles } from "../src/hosts/registration/host-plan.ts";
import { dialectOf, dialectsOf, HOST_IDS, productOf } from "../src/hosts/registration/named-host.ts";
import { dispatchCall } from "../src/hosts/registration/own-command.ts";
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
    "The agents that hooksh can guard, each with a page: how to register your hooks, what they can refuse, and what they cannot. *Tried* is the",
    "version that [ran for real](driven.md); the others are tested with documented and recorded payloads.",
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
    `How to guard ${productOf(host)} with hooksh: registering your hooks, what they can refuse, and the traps. Its dialect is \`${host}\`${otherDialects(host)}. The host's own documentation: <${hostFiles(host).source}>.`,
    "",
    ...installSection(host),
    ...guardedSection(dialect),
    ...gapSection(host, dialect),
    ...trapSection(host),
    ...triedSection(host),
    ...sampleSection(host, dialect),
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
    "echo 'pre_tool_use: [{ hooks: [{ type: command, command: ./guard.sh }] }]' > hooks.yaml",
    "-->",
    "<!-- test: yes -->",
    "```sh",
    ...commands,
    "```",
    "",
    "hooksh shows the change and asks before it writes. `hooksh status` says whether the hooks are in force; `hooksh uninstall` removes them.",
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
  return ["## What is guarded", "", "Hooks can refuse:", "", ...rows, ""];
}

function gapSection(host: HostId, dialect: Dialect): string[] {
  const { gaps } = registrationFor(dialect, hostFiles(host), new Set(EVENT_NAMES));
  const absent = gaps.filter((gap) => gap.endsWith("the host has no such event; these hooks do not run"));
  const other = gaps.filter((gap) => !absent.includes(gap));
  const withoutHost = (gap: string) => gap.slice(`${host}: `.length);
  return [
    "## What cannot be done",
    "",
    "`hooksh install` prints these lines for the events that your hooks use:",
    "",
    ...other.map((gap) => `- ${withoutHost(gap).replace(/^([a-z_]+)/, "`$1`")}`),
    ...(absent.length > 0
      ? [`- no such event: ${absent.map((gap) => `\`${withoutHost(gap).split(":")[0]}\``).join(", ")}`]
      : []),
    "",
    `The whole table: [${host}](capabilities.md#${host}).`,
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

function triedSection(host: HostId): string[] {
  const driven = (results as DrivenResults).programs.filter((program) => program.host === host);
  const recorded = RECORDED[host];
  const text =
    driven.length > 0
      ? `The released program, version ${driven.map(({ version, date }) => `${version} on ${date}`).join(", ")}: [Agents driven for real](driven.md) has the results.`
      : recorded === undefined
        ? "Tested with payloads made from the host's documentation or source, not with the program itself."
        : `Tested with payloads that version ${recorded} sent, not with the program itself.`;
  return ["## Tried versions", "", text, ""];
}

function sampleSection(host: HostId, dialect: Dialect): string[] {
  const place = {
    home: "/home/you",
    project: join(tmpdir(), "hooksh-no-such-project"),
    env: {},
    platform: "linux",
  } as const;
  const scope = hostFiles(host).files.some((file) => file.scope === "project" && file.install) ? "project" : "user";
  const target = installTarget(host, scope, place);
  const { events } = registrationFor(dialect, target.files, new Set<EventName>(["pre_tool_use"]));
  const calls = events.map((event) =>
    dispatchCall(dialect, target.files, {
      program: ["/usr/local/bin/hooksh"],
      dialect: host,
      event,
      hooksFile: "/home/you/hooks.yaml",
    }),
  );
  const files = planFiles(target, calls).filter(({ after }) => after !== undefined);
  const shown = files.flatMap(({ path, after = "" }) => [
    "",
    `\`${path.replace(`${place.project}/`, "").replace("/home/you/", "~/")}\`:`,
    "",
    ...(target.file.format === "executable" ? ["<!-- test: file hook.sh -->"] : []),
    `\`\`\`${language(path, target.file.format)}`,
    after.trimEnd(),
    "```",
  ]);
  return ["## What install writes", "", "For a policy with a `pre_tool_use` hook:", ...shown, ""];
}

function language(path: string, format: string): string {
  if (path.endsWith(".json")) return "json";
  return { toml: "toml", module: "js", executable: "sh", json: "json", jsonc: "jsonc" }[format] ?? "";
}
