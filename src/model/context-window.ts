/** Tokens that fit into a context window, by the beginning of a model's name; the first that matches counts. */
const WINDOWS: readonly (readonly [prefix: string, tokens: number])[] = [
  ["gpt-3.5", 16_385],
  ["gpt-4.1", 1_047_576],
  ["gpt-4o", 128_000],
  ["gpt-4-turbo", 128_000],
  ["gpt-5-chat", 128_000],
  ["gpt-5", 400_000],
  ["gpt-oss", 131_072],
  ["o1", 200_000],
  ["o3", 200_000],
  ["o4", 200_000],
  ["claude", 200_000],
  ["gemini", 1_048_576],
  ["mistral", 128_000],
  ["deepseek", 128_000],
  ["llama-3.3", 131_072],
];

/**
 * Tokens a model's context window holds: what `provider_opts.context_size` declares, else what is known of the
 * model's family, else 0. The family is looked for behind the last slash of the name.
 *
 * Source: config-and-cli 6.8.
 */
export function contextWindow(model: string, options: Readonly<Record<string, unknown>> = {}): number {
  const declared = options["context_size"];
  if (typeof declared === "number" && declared > 0) return declared;
  const name = model.toLowerCase().split("/").at(-1) ?? "";
  return WINDOWS.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 0;
}
