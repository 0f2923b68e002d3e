import * as v from "valibot";
import { ConfigError } from "../../../lib/errors.ts";
import { isDigest } from "../content.ts";

/** The media type of an agent: of its configuration, and of the artifact. Source: config-and-cli 7.6. */
export const AGENT_MEDIA_TYPE = "application/vnd.docker.agent.config.v1+json";

/** The media type of the manifest that is written. */
export const MANIFEST_MEDIA_TYPE = "application/vnd.oci.image.manifest.v1+json";

/** The media type of the agent file itself. */
export const LAYER_MEDIA_TYPE = "application/yaml";

/** The annotations of which an agent has at least one. Source: config-and-cli 7.6. */
export const VERSION_ANNOTATIONS = ["io.docker.agent.version", "io.docker.cagent.version"] as const;

/** The `Accept` header for manifests of every kind that is understood. */
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

/** What a registry holds under a digest. */
export type Descriptor = v.InferOutput<typeof DescriptorSchema>;

const ImageSchema = v.object({
  schemaVersion: v.literal(2),
  layers: v.array(DescriptorSchema),
  annotations: v.optional(v.record(v.string(), v.string()), {}),
});

const IndexSchema = v.object({ schemaVersion: v.literal(2), manifests: v.array(DescriptorSchema) });

/** A manifest read: an agent's, or a list whose first entry counts. */
export type Manifest =
  | { kind: "agent"; layer: Descriptor; annotations: Readonly<Record<string, string>> }
  | { kind: "index"; first: Descriptor };

/** Reads a manifest. Throws a {@link ConfigError} for what is none, and for an image that is no agent. */
export function parseManifest(bytes: Uint8Array, shown: string): Manifest {
  const value = parseJson(bytes, shown);
  const index = v.safeParse(IndexSchema, value);
  if (index.success) {
    const [first] = index.output.manifests;
    if (!first) throw new ConfigError(`${shown}: the image list is empty`);
    return { kind: "index", first };
  }
  const image = v.safeParse(ImageSchema, value);
  if (!image.success) throw new ConfigError(`${shown}: not an image manifest (${image.issues[0].message})`);
  const { layers, annotations } = image.output;
  if (!VERSION_ANNOTATIONS.some((name) => annotations[name] !== undefined)) {
    throw new ConfigError(`${shown}: an image, but not an agent; agents are pushed with hooksh push FILE ${shown}`);
  }
  const [layer] = layers;
  if (!layer) throw new ConfigError(`${shown}: holds no agent file`);
  return { kind: "agent", layer, annotations };
}

function parseJson(bytes: Uint8Array, shown: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new ConfigError(`${shown}: the manifest is not JSON`, { cause: error });
  }
}
