import { UsageError } from "../../lib/errors.ts";
import type { Agent } from "./resolve-agent.ts";

/**
 * Applies `--model` flags: `provider/model` to all agents, `agent=provider/model` to one. Commas separate several; the
 * last one wins. Throws a {@link UsageError} for an unknown agent and for a flag without a model.
 */
export function applyModelOverrides(agents: readonly Agent[], flags: readonly string[]): readonly Agent[] {
  const overrides = flags
    .flatMap((flag) => flag.split(","))
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return overrides.reduce(applyOne, agents);
}

function applyOne(agents: readonly Agent[], override: string): readonly Agent[] {
  const equals = override.indexOf("=");
  const name = equals < 0 ? undefined : override.slice(0, equals).trim();
  const model = override.slice(equals + 1).trim();
  if (model === "")
    throw new UsageError(`--model ${JSON.stringify(override)}: expected provider/model or agent=provider/model`);
  if (name !== undefined && !agents.some((agent) => agent.name === name)) {
    const known = agents.map((agent) => agent.name).join(", ");
    throw new UsageError(`--model ${JSON.stringify(override)}: no agent ${JSON.stringify(name)}; defined are ${known}`);
  }
  return agents.map((agent) => (name === undefined || agent.name === name ? { ...agent, model } : agent));
}
