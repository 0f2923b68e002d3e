import { missingEvaluatorVariables } from "../../model/evaluators/ask-evaluator.ts";
import type { EvaluatorDefinition } from "../../model/evaluators/evaluator.ts";
import type { AgentFile } from "../agent/agent-file.ts";
import { hooksOf } from "../agent/agent-hooks.ts";
import { hooksOfAgent } from "../hooks/hook-sources.ts";
import type { HookEntry } from "../hooks/read-hooks.ts";

/** Names the unset variables that the evaluators of hooks need, a line for each evaluator. Throws a `ConfigError`. */
export async function missingEvaluatorKeys(
  file: AgentFile,
  user: readonly HookEntry[],
  lookup: (name: string) => string | undefined,
): Promise<string[]> {
  const hooks = await Promise.all(
    file.agents.map((agent) => hooksOfAgent(hooksOf(file, agent), { entries: [...user], snapshot: false })),
  );
  const asked = new Set<EvaluatorDefinition>(hooks.flat().flatMap(({ evaluator }) => evaluator?.definition ?? []));
  return [...asked].flatMap((definition) => {
    const missing = missingEvaluatorVariables(definition, lookup);
    return missing.length === 0
      ? []
      : [
          `not set: ${missing.join(", ")}: needed by evaluator ${JSON.stringify(definition.name)}: without it, its hooks block ` +
            "or take the default agent; set it in the environment, or in a file given with --env-from-file",
        ];
  });
}
