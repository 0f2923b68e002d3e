import { ConfigError } from "../../lib/errors.ts";
import { parseModelReference, splitAlloy } from "../../model/catalog/model-reference.ts";
import type { ModelSpec } from "../../model/catalog/spec.ts";
import type { AgentFile } from "../agent/agent-file.ts";
import { type AutoOptions, autoModel } from "./auto-model.ts";
import type { ModelConfig } from "./model-schema.ts";

/** A model ready for the client that speaks to it; the defaults of its provider are still to be filled in. */
export interface NamedModel {
  /** As it was referred to: the name of an entry, or `provider/model`. */
  name: string;
  spec: ModelSpec;
  /** The entry of `models`, for what no client needs (title, compaction ...). Absent for an inline reference. */
  config?: ModelConfig;
}

/** What the meaning of a reference depends on. */
export interface ModelContext extends AutoOptions {
  file: Pick<AgentFile, "models" | "providers">;
}

/**
 * The models that a reference stands for: one, or the members of an alloy, each as often as it is named. Throws a
 * {@link ConfigError} for a name that is not defined and a `first_available` of which nothing is.
 *
 * Source: config-and-cli 6.1 to 6.3.
 */
export function resolveModel(reference: string, context: ModelContext): NamedModel[] {
  return expand(reference, context, []);
}

function expand(reference: string, context: ModelContext, above: readonly string[]): NamedModel[] {
  const members = splitAlloy(reference);
  if (members.length === 0) throw new ConfigError("model: expected a name, provider/model or auto");
  return members.flatMap((member) => expandOne(member, context, above));
}

function expandOne(name: string, context: ModelContext, above: readonly string[]): NamedModel[] {
  const { models } = context.file;
  const config = Object.hasOwn(models, name) ? models[name] : undefined;
  if (!config) return [{ name, spec: inline(name, context) }];
  if (above.includes(name)) throw new ConfigError(`models.${name}: refers to itself: ${[...above, name].join(" -> ")}`);
  const way = [...above, name];
  if (config.first_available) return firstAvailable(name, config, context, way);
  if (config.provider === undefined) return expand(config.model ?? "", context, way);
  const parallel = config.parallel_tool_calls ?? context.file.providers[config.provider]?.parallel_tool_calls ?? true;
  return [
    {
      name,
      config,
      spec: { ...config, provider: config.provider, model: config.model ?? "", parallel_tool_calls: parallel },
    },
  ];
}

function inline(name: string, context: ModelContext): ModelSpec {
  if (name === "auto") return autoModel(context);
  const reference = parseModelReference(name);
  if (reference) return reference;
  const known = Object.keys(context.file.models);
  throw new ConfigError(
    `no model ${JSON.stringify(name)}; ${known.length > 0 ? `defined are ${known.join(", ")}` : "none is defined"}`,
  );
}

/** The first candidate that lacks nothing; it takes over the selector's name and description. */
function firstAvailable(
  name: string,
  config: ModelConfig,
  context: ModelContext,
  above: readonly string[],
): NamedModel[] {
  const lacking: string[] = [];
  for (const candidate of config.first_available ?? []) {
    const models = expand(candidate, context, above);
    const missing = [...new Set(models.flatMap(({ spec }) => context.missing(spec)))];
    if (missing.length === 0) {
      const description = config.description === undefined ? {} : { description: config.description };
      return models.map((model) => ({ ...model, name, config: { ...model.config, ...description } }));
    }
    lacking.push(`${candidate} lacks ${missing.join(", ")}`);
  }
  throw new ConfigError(`models.${name}: no model is available: ${lacking.join("; ")}`);
}
