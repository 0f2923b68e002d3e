import * as v from "valibot";
import { ConfigError, type Help } from "../../../lib/errors.ts";
import { isDigest } from "../content.ts";

export const NOT_AN_AGENT_IMAGE: Help = {
  cause:
    "The content of the registry is not an agent, is too large, or does not have the digest that was asked for. hooksh never uses content with a wrong digest.",
  cure: "Check name, tag and digest. Push an agent with `hooksh agent push FILE IMAGE`.",
};

/** The media type of an agent's configuration, and the artifact type. */
export const AGENT_MEDIA_TYPE = "application/vnd.docker.agent.config.v1+json";

/** The media type of pushed manifests. */
export const MANIFEST_MEDIA_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** The media type of the agent file. */
export const LAYER_MEDIA_TYPE = "application/yaml";

/** The annotations that identify an agent. It has at least one of them. */
export const VERSION_ANNOTATIONS = ["io.docker.agent.version", "io.docker.cagent.version"] as const;

/** The `Accept` header with all supported kinds of manifest. */
export const MANIFEST_ACCEPT = [
  MANIFEST_MEDIA_TYPE,
  "application/vnd.docker.distribution.manifest.v2+json",
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");

const DescriptorSchema = v.object({
  digest: v.pipe(v.string(), v.check(isDigest, "expected sha256: and 64 hexadecimal digits")),
  size: v.pipe(v.number(), v.integer(), v.minValue(0)),
});

/** The digest and size of a blob or manifest. */
export type Descriptor = v.InferOutput<typeof DescriptorSchema>;

const ImageSchema = v.object({
  schemaVersion: v.literal(2),
  layers: v.array(DescriptorSchema),
  annotations: v.optional(v.record(v.string(), v.string()), {}),
});

const IndexSchema = v.object({ schemaVersion: v.literal(2), manifests: v.array(DescriptorSchema) });

/** The manifest of an agent, or an image list, whose first entry is used. */
export type Manifest =
  | { kind: "agent"; layer: Descriptor; annotations: Readonly<Record<string, string>> }
  | { kind: "index"; first: Descriptor };

/** Parses a manifest. Throws a {@link ConfigError} if it is invalid, or belongs to an image that is not an agent. */
export function parseManifest(bytes: Uint8Array, displayName: string): Manifest {
  const value = parseJson(bytes, displayName);
  const index = v.safeParse(IndexSchema, value);
  if (index.success) {
    const [first] = index.output.manifests;
    if (!first) throw new ConfigError(`${displayName}: the image list is empty`, { help: NOT_AN_AGENT_IMAGE });
    return { kind: "index", first };
  }
  const image = v.safeParse(ImageSchema, value);
  if (!image.success)
    throw new ConfigError(`${displayName}: not an image manifest (${image.issues[0].message})`, {
      help: NOT_AN_AGENT_IMAGE,
    });
  const { layers, annotations } = image.output;
  if (!VERSION_ANNOTATIONS.some((name) => annotations[name] !== undefined)) {
    throw new ConfigError(
      `${displayName}: an image, but not an agent; to push one, run hooksh agent push FILE ${displayName}`,
      { help: NOT_AN_AGENT_IMAGE },
    );
  }
  const [layer] = layers;
  if (!layer)
    throw new ConfigError(`${displayName}: the artifact contains no agent file`, { help: NOT_AN_AGENT_IMAGE });
  return { kind: "agent", layer, annotations };
}

function parseJson(bytes: Uint8Array, displayName: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new ConfigError(`${displayName}: the manifest is not JSON`, { cause: error, help: NOT_AN_AGENT_IMAGE });
  }
}
