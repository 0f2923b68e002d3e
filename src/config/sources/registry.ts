import { textOf } from "./content.ts";
import { pullArtifact } from "./registry/pull.ts";
import type { ImageReference } from "./registry/reference.ts";
import type { RemoteAgent, SourceContext } from "./source.ts";

/** An agent from a registry, or from the store. Throws a `ConfigError`. Source: config-and-cli 7.5 to 7.7. */
export async function fetchFromRegistry(
  reference: ImageReference,
  shown: string,
  context: SourceContext,
): Promise<RemoteAgent> {
  const { digest, content } = await pullArtifact(reference, { shown, context });
  return { text: textOf(content, shown), shown, digest, host: reference.registry };
}
