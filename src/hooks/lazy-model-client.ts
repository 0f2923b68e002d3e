import type { FlagSpecs, Flags } from "../cli/flags.ts";
import { type GLOBAL_FLAGS, openLog } from "../cli/global-flags.ts";
import type { AgentFile } from "../config/agent/agent-file.ts";
import type { ModelClient } from "../engine/handlers/model-handler.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";

/** The flags that replay recorded answers of models. */
export const REPLAY_FLAGS = {
  replay: {
    kind: "value",
    hint: "FILE",
    description: "Replay the answers of models that run --record=FILE recorded: no network, no key",
  },
  "replay-loose": {
    kind: "switch",
    description: "With --replay: answer an unrecorded request with the next recorded answer",
  },
  fake: { kind: "value", hint: "FILE", sets: "replay", now: "--replay FILE", description: "Replay recorded answers" },
  "fake-loose": {
    kind: "switch",
    sets: "replay-loose",
    now: "--replay-loose",
    description: "Answer an unrecorded request with the next recorded answer",
  },
} as const satisfies FlagSpecs;

/** The flags for the model hooks of a dispatch. */
export const MODEL_FLAGS = {
  "env-from-file": {
    kind: "list",
    hint: "FILE",
    description: "Read keys for model hooks from a file of NAME=VALUE lines; can be repeated",
  },
  ...REPLAY_FLAGS,
} as const satisfies FlagSpecs;

export interface ModelClientOptions {
  flags: Flags<typeof MODEL_FLAGS & typeof GLOBAL_FLAGS>;
  /** The agent file whose `models` and `providers` hooks may name. If undefined, they may name the user's providers. */
  file: AgentFile | undefined;
  directories: Directories;
  cwd: string;
}

/**
 * Returns a client for the model and evaluator hooks of a dispatch. It loads its code on the first question. Throws a {@link
 * UsageError}.
 */
export function lazyModelClient(options: ModelClientOptions): ModelClient {
  const { flags } = options;
  if (flags["replay-loose"] && flags.replay === undefined) throw new UsageError("--replay-loose requires --replay");
  let opened: ReturnType<typeof openClient> | undefined;
  const client = () => (opened ??= openClient(options));
  return {
    ask: async (...question) => (await client()).ask(...question),
    evaluate: async (...question) => (await client()).evaluate(...question),
  };
}

async function openClient({ flags, file: given, directories, cwd }: ModelClientOptions) {
  const [
    { loadUserConfig },
    { openSecrets },
    { resolveModel },
    { missingVariables },
    { openModelTraffic },
    { createHookModelClient },
  ] = await Promise.all([
    import("../config/user/user-config.ts"),
    import("../config/user/secrets.ts"),
    import("../config/models/named-models.ts"),
    import("../model/catalog/resolve.ts"),
    import("./model-traffic.ts"),
    import("../runtime/team/hook-model.ts"),
  ]);
  const user = await loadUserConfig(directories);
  const lookup = openSecrets({
    envFiles: flags["env-from-file"],
    env: processEnv(),
    configDirectory: directories.config,
    cwd,
  });
  const file = given ?? { models: {}, providers: user.providers };
  const traffic = await openModelTraffic({ replay: flags.replay, "replay-loose": flags["replay-loose"] });
  const offline = flags.replay !== undefined;
  const find = (name: string) => {
    const missing = (spec: Parameters<typeof missingVariables>[0][number]) =>
      offline ? [] : missingVariables([spec], lookup, file.providers);
    const [model] = resolveModel(name, { file, lookup, missing, userDefault: user.defaultModel });
    if (!model) throw new Error(`no model ${JSON.stringify(name)}`);
    return model.spec;
  };
  return createHookModelClient(find, {
    env: lookup,
    fetch: traffic.fetch,
    offline,
    providers: file.providers,
    log: openLog(flags, directories),
  });
}
