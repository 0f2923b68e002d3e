import { escapeGlob } from "../../lib/files/glob.ts";
import { nearestName } from "../../lib/text/nearest.ts";
import { loadRules, type PlacedRule, type RulesBlock } from "./load-rules.ts";

/** The rules of a file that hold for the agents of a team. */
export interface TeamRules extends RulesBlock {
  /**
   * Set if the team takes agents from the file. `names`: the names of these agents in the team, by those in the file, as
   * far as they are known.
   */
  taken?: { names: ReadonlyMap<string, string> | undefined };
}

/**
 * Returns the rules of the files of a team. A file that agents are taken from adds no `allow`: like its permission rules,
 * its rules can only restrict what the team may do.
 */
export async function rulesOfTeam(files: readonly TeamRules[]): Promise<PlacedRule[]> {
  const loaded = await Promise.all(
    files.map(async (file) => {
      const rules = await loadRules(file);
      const { taken } = file;
      return taken ? Promise.all(rules.filter(isRestricting).map((rule) => inTeam(rule, taken.names))) : rules;
    }),
  );
  return loaded.flat();
}

/** Returns a notice for every agent that a rule of the user names and a team does not have. */
export async function agentNotices(
  rules: readonly PlacedRule[],
  agents: readonly { name: string }[],
): Promise<string[]> {
  const limited = rules.filter((rule) => rule.agents !== undefined);
  if (limited.length === 0) return [];
  const { matchesText } = await import("../../rules/evaluate/text-pattern.ts");
  const notices: string[] = [];
  for (const rule of limited) {
    for (const pattern of rule.agents ?? []) {
      if (agents.some(({ name }) => matchesText(pattern, name))) continue;
      const close = nearestName(
        pattern,
        agents.map(({ name }) => name),
      );
      const advice = close === undefined ? "" : `, did you mean ${JSON.stringify(close)}?`;
      notices.push(
        `${await rule.source()}: ${rule.name}: agents: no agent is called ${JSON.stringify(pattern)}${advice}`,
      );
    }
  }
  return notices;
}

function isRestricting({ verdict }: PlacedRule): boolean {
  return verdict !== "allow";
}

/** Names the agents of a rule as the team does. A rule whose agents cannot be told holds for all that are taken. */
async function inTeam(rule: PlacedRule, names: ReadonlyMap<string, string> | undefined): Promise<PlacedRule> {
  const { agents } = rule;
  if (agents === undefined) return rule;
  if (names === undefined) return { ...rule, agents: undefined };
  const { matchesText } = await import("../../rules/evaluate/text-pattern.ts");
  const own = [...names].filter(([name]) => agents.some((pattern) => matchesText(pattern, name)));
  return { ...rule, agents: own.map(([, name]) => escapeGlob(name)) };
}
