import { isObject } from "../../lib/json.ts";
import { ATTRIBUTES } from "../../trace/names.ts";
import { attribute, type SpanNode } from "./span-tree.ts";

/** The maximum length of a preview, in UTF-16 units. */
const LONGEST = 120;
/** Longer arguments are not parsed for a preview. */
const LONGEST_PARSED = 64 * 1024;

/** Returns a few words on the subject of a span; "" if the trace holds none. */
export function previewOf(node: SpanNode): string {
  if (node.kind === "tool") return argumentText(attribute(node, ATTRIBUTES.toolArguments)).slice(0, LONGEST);
  if (node.kind === "model")
    return tokenText(attribute(node, ATTRIBUTES.inputTokens), attribute(node, ATTRIBUTES.outputTokens));
  return "";
}

/** The first text among the arguments of a call, such as its command or path. */
function argumentText(json: string): string {
  if (json.length > LONGEST_PARSED) return "";
  try {
    const value: unknown = JSON.parse(json);
    const texts = isObject(value) ? Object.values(value).filter((item) => typeof item === "string") : [];
    return texts[0] ?? "";
  } catch {
    return ""; // no content was recorded, or another tool wrote something else
  }
}

function tokenText(input: string, output: string): string {
  if (input === "" && output === "") return "";
  return `${short(input)} → ${short(output)} tokens`;
}

/** A count in three digits: `950`, `1.2k`, `48k`. */
function short(digits: string): string {
  const count = Number(digits);
  return count >= 1000 ? `${Number((count / 1000).toPrecision(2))}k` : String(count || 0);
}
