import { nearestName } from "../../lib/text/nearest.ts";
import { PROVIDERS } from "./providers.ts";

/** Says what to write instead of the name of a provider that is not defined. `own` are the names that the user defined. */
export function providerAdvice(name: string, own: readonly string[]): string {
  const close = name.length > 2 ? nearestName(name, [...own, ...Object.keys(PROVIDERS)]) : undefined;
  if (close !== undefined) return `did you mean ${JSON.stringify(close)}?`;
  const defined = own.length > 0 ? `defined are ${own.join(", ")}; ` : "";
  const server = `providers: {${name}: {base_url: "http://127.0.0.1:8000/v1"}}`;
  return (
    `${defined}hooksh has openai, anthropic, google, ollama and others (docs/providers.md); define a server of your own ` +
    `in the agent file or config.yaml: ${server}`
  );
}
