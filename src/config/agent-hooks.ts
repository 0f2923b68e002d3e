import { ConfigError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import type { Directories } from "../lib/env.ts";
import { readDocument } from "./document.ts";
import type { AgentDefaults, AgentHooks } from "./hook-sources.ts";

/** The hooks block and shorthands of one agent of an agent file; the default agent when no name is given. */
export async function loadAgentHooks(
  reference: string,
  name: string | undefined,
  _options: { directories: Directories; warn: (message: string) => void },
): Promise<AgentHooks> {
  const document = await readDocument(reference);
  const agents = isObject(document.value) && isObject(document.value["agents"]) ? document.value["agents"] : {};
  const chosen = name ?? (Object.hasOwn(agents, "root") ? "root" : Object.keys(agents)[0]);
  const agent = chosen === undefined ? undefined : agents[chosen];
  if (chosen === undefined || !isObject(agent)) throw new ConfigError(`${reference}: no agent ${JSON.stringify(name ?? "")}`);
  return { document, path: ["agents", chosen, "hooks"], value: agent["hooks"], defaults: agent as AgentDefaults };
}
