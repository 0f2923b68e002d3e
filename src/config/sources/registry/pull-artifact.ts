import { gunzipSync } from "node:zlib";
import { ConfigError } from "../../../lib/errors.ts";
import { MAX_DOCUMENT_BYTES } from "../../yaml/document.ts";
import { digestOf, textOf } from "../content.ts";
import { UnreachableError } from "../send-request.ts";
import type { RemoteAgent, SourceContext } from "../source-context.ts";
import { type ArtifactStore, openArtifactStore } from "./artifact-store.ts";
import { type ImageReference, storeKey } from "./image-reference.ts";
import { type Descriptor, MANIFEST_ACCEPT, type Manifest, parseManifest } from "./manifest.ts";
import { openSession, type RegistrySession } from "./registry-session.ts";

/** An agent as a registry holds it. */
export interface Artifact {
  /** Of the manifest that the reference names. */
  digest: string;
  annotations: Readonly<Record<string, string>>;
  /** The agent file, byte for byte. */
  content: Uint8Array;
}

/** What pulling is done with. */
export interface PullOptions {
  /** The reference as the user knows it. */
  shown: string;
  context: SourceContext;
  /** Asks the registry for everything, whatever is stored. */
  force?: boolean;
}

const MANIFEST_LIMIT = 4 * 1024 * 1024;

/** Fetches an agent from a registry, or from the store of agents pulled before. Throws a {@link ConfigError}. */
export async function fetchFromRegistry(
  reference: ImageReference,
  shown: string,
  context: SourceContext,
): Promise<RemoteAgent> {
  const { digest, content } = await pullArtifact(reference, { shown, context });
  return { text: textOf(content, shown), shown, digest, host: reference.registry };
}

/**
 * An agent from a registry. A digest that is stored needs no network; a tag is asked for, and what is stored is used
 * where it still stands for the same, or where nobody answers. Everything is checked against its digest. Throws a
 * {@link ConfigError}.
 *
 * Source: config-and-cli 7.6, 7.7.
 */
export async function pullArtifact(reference: ImageReference, options: PullOptions): Promise<Artifact> {
  const store = openArtifactStore(options.context.directories);
  const session = openSession(reference, "pull", options.context);
  const stored = options.force ? undefined : await findStored(reference, store, session, options);
  return (
    (stored === undefined ? undefined : readStored(stored, store, options.shown)) ??
    download(reference, store, session, options)
  );
}

/** The digest of a stored agent that may be used; undefined when the registry has to be asked for the agent itself. */
async function findStored(
  reference: ImageReference,
  store: ArtifactStore,
  session: RegistrySession,
  { shown, context }: PullOptions,
) {
  if (reference.digest !== undefined) return reference.digest;
  const known = store.reference(storeKey(reference))?.digest;
  if (known === undefined) return undefined;
  const current = await currentDigest(reference, session);
  if (typeof current === "string") return current === known ? known : undefined;
  context.warn(`${shown}: ${current.reason}; the copy pulled before is used (${known})`);
  return known;
}

/** What the tag stands for now; empty when the registry does not say, a reason when it does not answer. */
async function currentDigest({ tag }: ImageReference, session: RegistrySession): Promise<string | { reason: string }> {
  try {
    const { status, headers } = await session.send(`manifests/${tag}`, {
      method: "HEAD",
      accept: MANIFEST_ACCEPT,
      limit: MANIFEST_LIMIT,
      what: "the manifest",
    });
    if (status === 429 || status >= 500) return { reason: `the registry answered ${status}` };
    return status === 200 ? (headers.get("docker-content-digest") ?? "") : "";
  } catch (error) {
    if (error instanceof UnreachableError) return { reason: error.message };
    throw error;
  }
}

function readStored(digest: string, store: ArtifactStore, shown: string): Artifact | undefined {
  const read = (wanted: string) => {
    const bytes = store.read(wanted);
    return bytes && parseManifest(bytes, shown);
  };
  const top = read(digest);
  const manifest = top?.kind === "index" ? read(top.first.digest) : top;
  if (manifest?.kind !== "agent") return undefined;
  const layer = store.read(manifest.layer.digest);
  return layer && { digest, annotations: manifest.annotations, content: unpack(layer, shown) };
}

async function download(
  reference: ImageReference,
  store: ArtifactStore,
  session: RegistrySession,
  { shown }: PullOptions,
): Promise<Artifact> {
  const top = await getManifest(reference.digest ?? reference.tag, reference.digest, session, shown);
  const inner =
    top.manifest.kind === "index"
      ? await getManifest(top.manifest.first.digest, top.manifest.first.digest, session, shown)
      : top;
  if (inner.manifest.kind !== "agent") throw new ConfigError(`${shown}: an image list inside an image list`);
  const { layer, annotations } = inner.manifest;
  const bytes = await getLayer(layer, session, shown);
  const content = unpack(bytes, shown);
  for (const kept of new Set([bytes, inner.bytes, top.bytes])) store.write(kept);
  const digest = digestOf(top.bytes);
  if (reference.digest === undefined) {
    store.setReference(storeKey(reference), {
      digest,
      annotations,
      size: content.length,
      time: new Date().toISOString(),
    });
  }
  return { digest, annotations, content };
}

async function getManifest(
  name: string,
  digest: string | undefined,
  session: RegistrySession,
  shown: string,
): Promise<{ bytes: Uint8Array; manifest: Manifest }> {
  const { status, headers, bytes } = await session.send(`manifests/${name}`, {
    accept: MANIFEST_ACCEPT,
    limit: MANIFEST_LIMIT,
    what: "the manifest",
  });
  if (status !== 200) throw new ConfigError(`${shown}: ${statusText(status)}`);
  const expected = digest ?? headers.get("docker-content-digest") ?? undefined;
  checkDigest("manifest", bytes, expected, shown);
  return { bytes, manifest: parseManifest(bytes, shown) };
}

async function getLayer({ digest, size }: Descriptor, session: RegistrySession, shown: string): Promise<Uint8Array> {
  if (size > MAX_DOCUMENT_BYTES)
    throw new ConfigError(`${shown}: the agent file is announced with ${size} bytes; at most 5 MiB are read`);
  const { status, bytes } = await session.send(`blobs/${digest}`, {
    limit: MAX_DOCUMENT_BYTES,
    what: "the agent file",
    mayRedirect: true,
  });
  if (status !== 200) throw new ConfigError(`${shown}: the agent file: ${statusText(status)}`);
  checkDigest("agent file", bytes, digest, shown);
  return bytes;
}

function checkDigest(what: string, bytes: Uint8Array, expected: string | undefined, shown: string): void {
  const actual = digestOf(bytes);
  if (expected !== undefined && expected !== actual) {
    throw new ConfigError(
      `${shown}: the registry sent another ${what} than it announced: expected ${expected}, got ${actual}`,
    );
  }
}

/** Some tools compress the layer on the way. Source: config-and-cli 7.6. */
function unpack(layer: Uint8Array, shown: string): Uint8Array {
  if (layer[0] !== 0x1f || layer[1] !== 0x8b) return layer;
  try {
    return gunzipSync(layer, { maxOutputLength: MAX_DOCUMENT_BYTES });
  } catch (error) {
    throw new ConfigError(`${shown}: the agent file cannot be unpacked, or is larger than 5 MiB`, { cause: error });
  }
}

/** What a status means to the user. */
export function statusText(status: number): string {
  if (status === 404) return "not found in the registry";
  if (status === 401 || status === 403) return "not found, or the registry needs a login (docker login)";
  if (status === 429) return "the registry allows no more requests for now; a login raises the limit";
  return `the registry answered ${status}`;
}
