import { parseDocument } from "../../../src/config/yaml/document.ts";
import { hasNoRepeatedKeys } from "../../../src/config/yaml/repeated-keys.ts";
import { parseYaml } from "../../../src/config/yaml/yaml-text.ts";
import { ConfigError } from "../../../src/lib/errors.ts";

/** Loads a text and returns its value or the errors. */
export async function load(text: string): Promise<{ value?: unknown; errors?: readonly string[] }> {
  try {
    return { value: (await parseDocument(text, "f")).value };
  } catch (error) {
    if (error instanceof ConfigError) return { errors: error.problems };
    throw error;
  }
}

/** Undefined if loading gives the same value as the parser that knows positions, and as Bun's parser if it is used. */
export async function disagreement(text: string): Promise<string | undefined> {
  const { value, errors } = await load(text);
  const slow = parseYaml(text.startsWith("\uFEFF") ? text.slice(1) : text);
  if (errors) return hasNoRepeatedKeys(text) ? `certified, but ${errors.join()}` : undefined;
  if (slow.errors.length > 0) return `loaded, but ${slow.errors[0]?.message}`;
  if (!Bun.deepEquals(value, slow.value, true)) return "loaded with another value";
  if (hasNoRepeatedKeys(text) && !Bun.deepEquals(Bun.YAML.parse(text), slow.value, true))
    return "certified with another value";
  return undefined;
}
