import { canonicalJson } from "../../lib/json.ts";
import type { HookEntry } from "./read-hooks.ts";

/**
 * Returns the same text for two hooks that are duplicates. Equal hooks of two files are, unless they depend on the folder
 * of their file or its evaluators. Examples do not count.
 */
export function hookIdentity({ hook, directory, evaluator }: HookEntry): string {
  const text = canonicalJson({ ...hook, examples: undefined, asks: evaluator });
  return /hook_dir/i.test(text) ? `${directory ?? ""}\0${text}` : text;
}
