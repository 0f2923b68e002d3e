import { ConfigError } from "../../../lib/errors.ts";
import { digestOf } from "../content.ts";
import type { SourceContext } from "../source-context.ts";
import type { ImageReference } from "./image-reference.ts";
import { AGENT_MEDIA_TYPE, LAYER_MEDIA_TYPE, MANIFEST_MEDIA_TYPE, NOT_AN_AGENT_IMAGE } from "./manifest.ts";
import { statusText } from "./pull-artifact.ts";
import { openSession, type RegistrySession } from "./registry-session.ts";

/** An agent to push: a manifest, and the two blobs it names. */
export interface AgentPackage {
  /** The digest of the manifest. */
  digest: string;
  manifest: Uint8Array;
  config: Uint8Array;
  layer: Uint8Array;
}

/** The maximum size of an answer to an upload, in bytes. */
const ANSWER_LIMIT = 256 * 1024;

/** Packs an unchanged agent file with annotations. */
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

/**
 * Pushes a package under a tag. Throws a {@link ConfigError} for a reference by digest, and if the registry rejects
 * it.
 */
export async function pushPackage(
  reference: ImageReference,
  packed: AgentPackage,
  { displayName, context }: { displayName: string; context: SourceContext },
): Promise<void> {
  if (reference.digest !== undefined) throw new ConfigError(`${displayName}: cannot push to a digest; name a tag`);
  const session = openSession(reference, "pull,push", context);
  for (const blob of [packed.config, packed.layer]) await pushBlob(blob, session, displayName);
  const { status, headers } = await session.send(`manifests/${reference.tag}`, {
    method: "PUT",
    contentType: MANIFEST_MEDIA_TYPE,
    body: packed.manifest,
    limit: ANSWER_LIMIT,
    what: "the answer of the registry",
  });
  if (status !== 201 && status !== 200) throw rejection(displayName, "the manifest", status);
  const stored = headers.get("docker-content-digest");
  if (stored !== null && stored !== packed.digest)
    throw new ConfigError(
      `${displayName}: the registry stored a manifest with another digest: ${stored} instead of ${packed.digest}`,
      { help: NOT_AN_AGENT_IMAGE },
    );
}

async function pushBlob(blob: Uint8Array, session: RegistrySession, displayName: string): Promise<void> {
  const digest = digestOf(blob);
  const common = { limit: ANSWER_LIMIT, what: "the answer of the registry" };
  const there = await session.send(`blobs/${digest}`, { ...common, method: "HEAD", mayRedirect: true });
  if (there.status === 200) return;
  const opened = await session.send("blobs/uploads/", { ...common, method: "POST", body: "" });
  const location = opened.headers.get("location");
  if (opened.status !== 202 || location === null) throw rejection(displayName, "the upload", opened.status);
  const target = uploadAddress(location, session.base, displayName);
  target.searchParams.set("digest", digest);
  const done = await session.send(target, {
    ...common,
    method: "PUT",
    contentType: "application/octet-stream",
    body: blob,
  });
  if (done.status !== 201 && done.status !== 204) throw rejection(displayName, "the upload", done.status);
}

function uploadAddress(location: string, base: URL, displayName: string): URL {
  if (!URL.canParse(location, base.href))
    throw new ConfigError(`${displayName}: the registry returned an invalid address for the upload`);
  return new URL(location, base);
}

function rejection(displayName: string, what: string, status: number): ConfigError {
  const why =
    status === 401 || status === 403 ? "it needs a login with permission to push (docker login)" : statusText(status);
  return new ConfigError(`${displayName}: the registry rejected ${what}: ${why}`);
}
