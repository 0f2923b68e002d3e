import { parseArgs } from "node:util";
import { type DrivenProgram, drivenTable } from "../../scripts/docs-driven.ts";
import { CASES, type Verdict } from "./cases.ts";
import { HOSTS } from "./drivers/index.ts";
import type { Host } from "./host.ts";
import { folderOf } from "./programs.ts";
import { recordTools } from "./record-tools.ts";
import { keepResults } from "./results.ts";
import { tryCase, versionOf } from "./try-case.ts";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true, default: CASES.map(({ name }) => name) },
    write: { type: "boolean", default: false },
    "record-tools": { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});
const hosts = pick("host", positionals.length > 0 ? positionals : HOSTS.map(({ name }) => name), HOSTS);
const cases = pick("case", flags.only, CASES);

const driven: DrivenProgram[] = [];
for (const host of hosts) {
  const bin = folderOf(host.command, process.env["HOOKSH_TEST_HOSTS"]);
  if (bin === undefined)
    console.error(`${host.name}: left out, there is no command "${host.command}" (${host.package})`);
  else if (flags["record-tools"]) await record(host, bin);
  else driven.push(await drive(host, bin));
}
if (flags["record-tools"]) process.exit(0);
console.log(drivenTable({ cases, programs: driven }));
const failed = driven.flatMap(({ results }) => Object.values(results)).filter(({ ok }) => !ok).length;
console.error(`${driven.length} programs, ${cases.length} cases, ${failed} failed`);
process.exit(failed > 0 || driven.length === 0 ? 1 : 0);

/** Returns the items with the given names. */
function pick<T extends { name: string }>(kind: string, names: readonly string[], items: readonly T[]): T[] {
  const unknown = names.find((name) => !items.some((item) => item.name === name));
  if (unknown === undefined) return items.filter(({ name }) => names.includes(name));
  throw new Error(`no ${kind} "${unknown}"; there are ${items.map(({ name }) => name).join(", ")}`);
}

/** Drives one program through all cases, one after the other. */
async function drive(host: Host, bin: string): Promise<DrivenProgram> {
  const version = await versionOf(host, bin, flags);
  const results: Record<string, Verdict> = {};
  const program = {
    host: host.name,
    package: host.package,
    version,
    date: new Date().toISOString().slice(0, 10),
    results,
  };
  for (const each of cases) {
    const verdict = await tryCase(host, each, bin, flags);
    console.error(`${host.name} ${version}, ${each.name}: ${verdict.ok ? "" : "FAILED: "}${verdict.text}`);
    results[each.name] = verdict;
    if (flags.write) keepResults(program);
  }
  return program;
}

/** Records the tools of one program. */
async function record(host: Host, bin: string): Promise<void> {
  const { version, tools } = await recordTools(host, bin, flags);
  console.error(`${host.name} ${version}: ${Object.keys(tools).length} tools`);
}
