import { tempDir } from "./temp-dir.ts";

/**
 * A directory with an agent of these models, the first of them its own and the others its fallbacks; `keys` are the
 * agent's.
 */
export function conversationAgent(models: Record<string, object>, keys: Record<string, unknown> = {}): string {
  const [model, ...fallbacks] = Object.keys(models);
  const fallback = fallbacks.length > 0 ? { fallback: { models: fallbacks, retries: -1, cooldown: "1ms" } } : {};
  const root = {
    model,
    description: "Test agent",
    instruction: "Help.",
    toolsets: [{ type: "shell" }],
    ...fallback,
    ...keys,
  };
  return tempDir({ "agent.yaml": JSON.stringify({ agents: { root }, models }) });
}
