import { directoriesOf } from "../cli/global-flags.ts";
import { printError } from "../cli/print.ts";
import { openSecrets } from "../config/user/secrets.ts";
import { confirm, isInteractive } from "../hooks/trust-check.ts";
import { processEnv } from "../lib/env.ts";
import { findLocalModels } from "../model/local/find-local-models.ts";
import { NoModelError } from "../runtime/team/no-model-error.ts";
import { isForProgram } from "./run-flags.ts";
import type { RunInput } from "./run-plan.ts";

/**
 * Runs `run`. If no model of the agent can be used, says which local model could be instead, or how to see hooksh at
 * work without a model. At a terminal, asks whether to use that model, and runs again with it. Otherwise throws what
 * `run` throws.
 */
export async function orOtherModel(input: RunInput, run: (input: RunInput) => Promise<number>): Promise<number> {
  try {
    return await run(input);
  } catch (error) {
    if (!(error instanceof NoModelError)) throw error;
    const model = await localModel(input);
    const mayAsk = model !== undefined && isInteractive() && !isForProgram(input.flags) && !input.flags["dry-run"];
    if (!mayAsk) throw new NoModelError(`${error.message}\n${proposal(input, model)}`, { cause: error });
    printError(error.message);
    if (!(await confirm(`Use ${model}, which answers on this machine? [y/N] `, input.signal)))
      throw new NoModelError(proposal(input, model));
    input.flags.model.splice(0, input.flags.model.length, model); // in place: the order of list flags is kept for this object
    return run(input);
  }
}

/** Returns the first chat model of a local server that answers. */
async function localModel({ flags }: RunInput): Promise<string | undefined> {
  const env = processEnv();
  const lookup = openSecrets({ env, configDirectory: directoriesOf(flags).config, cwd: process.cwd() });
  const servers = await findLocalModels({ lookup, env });
  return servers.flatMap(({ provider, models }) => models.map((model) => `${provider}/${model}`))[0];
}

function proposal({ positionals: [reference = "default"] }: RunInput, model: string | undefined): string {
  if (model === undefined) return "to see an agent meet its guard without a model, run: hooksh demo";
  return `${model} answers on this machine; to use it, run: hooksh run ${reference} --model ${model}`;
}
