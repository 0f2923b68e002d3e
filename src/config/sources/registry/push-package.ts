import { ConfigError } from "../../../lib/errors.ts";
import { digestOf } from "../content.ts";
import type { SourceContext } from "../source-context.ts";
import type { ImageReference } from "./image-reference.ts";
import { AGENT_MEDIA_TYPE, LAYER_MEDIA_TYPE, MANIFEST_MEDIA_TYPE } from "./manifest.ts";
import { statusText } from "./pull-artifact.ts";
import { openSession, type RegistrySession } from "./registry-session.ts";

/** What is pushed: a manifest and the two things it names. */
export interface AgentPackage {
  /** Of the manifest. */
  digest: string;
  manifest: Uint8Array;
  config: Uint8Array;
  layer: Uint8Array;
}

/** The answers to an upload say little. */
const LIMIT = 256 * 1024;

/** Packs an agent file, byte for byte, with annotations. Source: config-and-cli 7.6. */
export function packAgent(layer: Uint8Array, annotations: Readonly<Record<string, string>>): AgentPackage {
  const layerDigest = digestOf(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture: "amd64",
      os: "linux",
      config: {},
      rootfs: { type: "layers", diff_ids: [layerDigest] },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: MANIFEST_MEDIA_TYPE,
      artifactType: AGENT_MEDIA_TYPE,
      config: { mediaType: AGENT_MEDIA_TYPE, digest: digestOf(config), size: config.length },
      layers: [{ mediaType: LAYER_MEDIA_TYPE, digest: layerDigest, size: layer.length }],
      annotations,
    }),
  );
  return { digest: digestOf(manifest), manifest, config, layer };
}

/** Pushes a package under a tag. Throws a {@link ConfigError} for a reference by digest, and for what is refused. */
export async function pushPackage(
  reference: ImageReference,
  packed: AgentPackage,
  { shown, context }: { shown: string; context: SourceContext },
): Promise<void> {
  if (reference.digest !== undefined) throw new ConfigError(`${shown}: a digest cannot be pushed to; name a tag`);
  const session = openSession(reference, "pull,push", context);
  for (const blob of [packed.config, packed.layer]) await pushBlob(blob, session, shown);
  const { status, headers } = await session.send(`manifests/${reference.tag}`, {
    method: "PUT",
    contentType: MANIFEST_MEDIA_TYPE,
    body: packed.manifest,
    limit: LIMIT,
    what: "the answer of the registry",
  });
  if (status !== 201 && status !== 200) throw refused(shown, "the manifest", status);
  const stored = headers.get("docker-content-digest");
  if (stored !== null && stored !== packed.digest)
    throw new ConfigError(`${shown}: the registry stored another manifest: ${stored} in place of ${packed.digest}`);
}

async function pushBlob(blob: Uint8Array, session: RegistrySession, shown: string): Promise<void> {
  const digest = digestOf(blob);
  const common = { limit: LIMIT, what: "the answer of the registry" };
  const there = await session.send(`blobs/${digest}`, { ...common, method: "HEAD", mayRedirect: true });
  if (there.status === 200) return;
  const opened = await session.send("blobs/uploads/", { ...common, method: "POST", body: "" });
  const location = opened.headers.get("location");
  if (opened.status !== 202 || location === null) throw refused(shown, "the upload", opened.status);
  const target = uploadAddress(location, session.base, shown);
  target.searchParams.set("digest", digest);
  const done = await session.send(target, {
    ...common,
    method: "PUT",
    contentType: "application/octet-stream",
    body: blob,
  });
  if (done.status !== 201 && done.status !== 204) throw refused(shown, "the upload", done.status);
}

function uploadAddress(location: string, base: URL, shown: string): URL {
  if (!URL.canParse(location, base.href))
    throw new ConfigError(`${shown}: the registry names no usable place for the upload`);
  return new URL(location, base);
}

function refused(shown: string, what: string, status: number): ConfigError {
  const why = status === 401 || status === 403 ? "needs a login that may push (docker login)" : statusText(status);
  return new ConfigError(`${shown}: ${what} was refused: ${why}`);
}
