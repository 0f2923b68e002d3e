import * as v from "valibot";
import { flag, optional, sinceVersion, text, textList, withoutEffect } from "../../lib/schema/keys.ts";
import { TOOLSETS, type ToolsetEntry } from "../../tools/index.ts";
import type { ToolsetRow } from "../../tools/toolset-row.ts";

/** The keys that all toolsets have. */
const common = {
  tools: optional(textList),
  instruction: sinceVersion(2, text),
  readonly: sinceVersion(10, flag),
  defer: withoutEffect(v.union([flag, textList]), 3, "the model gets all tools at once"),
  model: sinceVersion(6, text),
  models: withoutEffect(textList, 6, "choose the model with --model or /model"),
  toon: withoutEffect(text, 2, "results stay as they are"),
  name: sinceVersion(3, text),
};

/** A checked entry of an agent's `toolsets`. The row of its type in TOOLSETS defines its other keys. */
export type ToolsetConfig = ToolsetEntry;

/** An entry of `toolsets`. */
export const ToolsetSchema = v.pipe(
  v.variant("type", toolsetOptions()),
  v.transform((entry) => entry as ToolsetConfig),
);

/** An entry of `mcps`: an `mcp` toolset in which `type` is optional. */
export const McpSchema = v.strictObject({ type: optional(v.literal("mcp")), ...common, ...TOOLSETS.mcp.keys });

/** A checked entry of `mcps`. */
export type McpConfig = v.InferOutput<typeof McpSchema>;

function toolsetOptions() {
  return Object.entries<ToolsetRow>(TOOLSETS).map(([type, { keys, facts = {} }]) =>
    v.pipe(v.strictObject({ type: v.literal(type), ...common, ...keys }), v.metadata({ ...facts })),
  );
}
