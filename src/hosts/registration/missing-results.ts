import type { PlacedRule } from "../../config/rules/load-rules.ts";
import type { HostId } from "../../dialects/host-files.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import type { Directories } from "../../lib/env.ts";
import type { PastEvent } from "../../rules/rule.ts";
import { dialectOf, HOST_IDS, productOf } from "./named-host.ts";

/** True if a rule asks whether an earlier call ended well, which only a host with result events says. */
function asksForResults({ history: { after = [], unlessAfter = [] } }: Pick<PlacedRule, "history">): boolean {
  return [...after, ...unlessAfter].some(asksForResult);
}

function asksForResult({ ok, since }: PastEvent): boolean {
  return ok !== undefined || (since !== undefined && asksForResult(since));
}

/** Returns a line for each rule that asks a host for results which it does not send. */
export async function missingResults(host: HostId, rules: readonly PlacedRule[]): Promise<string[]> {
  const asking = rules.filter(asksForResults);
  if (asking.length === 0) return [];
  const { events } = await dialectOf(host);
  if (Object.values(events).some(({ is }) => is.includes("post_tool_use"))) return [];
  return Promise.all(
    asking.map(
      async (rule) =>
        `${await rule.source()}: rule ${rule.name} asks for ok of earlier calls, but ${productOf(host)} sends no results: there none counts as ended`,
    ),
  );
}

/** {@link missingResults} of every host in which hooksh is registered. */
export async function missingResultsOfHosts(
  rules: readonly PlacedRule[],
  place: HostPlace,
  directories: Directories,
): Promise<string[]> {
  const lines: string[] = [];
  for (const host of HOST_IDS) {
    const found = await missingResults(host, rules);
    if (found.length === 0) continue;
    const { hostStatus } = await import("./host-status.ts");
    const { registered } = await hostStatus(host, place, directories);
    if (registered.length > 0) lines.push(...found);
  }
  return lines;
}
