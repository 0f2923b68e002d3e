/** The provider of well-known models. */
const PROVIDER_OF: readonly (readonly [RegExp, string])[] = [
  [/^(?:gpt(?:-|$)|o\d|chatgpt-)/, "openai"],
  [/^claude(?:-|$)/, "anthropic"],
  [/^gemini(?:-|$)/, "google"],
  [/^(?:mistral|codestral|devstral)-/, "mistral"],
  [/^deepseek-/, "deepseek"],
  [/^grok(?:-|$)/, "xai"],
];

/** Returns the provider of a well-known model or family, which is easily mistaken for the provider itself. */
export function providerOf(name: string): string | undefined {
  return PROVIDER_OF.find(([pattern]) => pattern.test(name))?.[1];
}

/** Says how a well-known model that lacks its provider is written; undefined for any other. */
export function modelAdvice(model: string): string | undefined {
  const provider = providerOf(model);
  return provider && `did you mean "${provider}/${model}"?`;
}
