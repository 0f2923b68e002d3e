import { gunzipSync } from "node:zlib";
import { ConfigError } from "../../../lib/errors.ts";
import { MAX_DOCUMENT_BYTES } from "../../yaml/document.ts";
import { digestOf, textOf } from "../content.ts";
import { UnreachableError } from "../send-request.ts";
import type { RemoteAgent, SourceContext } from "../source-context.ts";
import { type ArtifactStore, openArtifactStore } from "./artifact-store.ts";
import { type ImageReference, storeKey } from "./image-reference.ts";
import { type Descriptor, MANIFEST_ACCEPT, type Manifest, NOT_AN_AGENT_IMAGE, parseManifest } from "./manifest.ts";
import { openSession, type RegistrySession } from "./registry-session.ts";

/** An agent in a registry. */
export interface Artifact {
  /** The digest of the manifest that the reference names. */
  digest: string;
  annotations: Readonly<Record<string, string>>;
  /** The agent file, byte for byte. */
  content: Uint8Array;
}

/** Options of {@link pullArtifact}. */
export interface PullOptions {
  /** The reference in messages. */
  displayName: string;
  context: SourceContext;
  /** Downloads everything, even what is stored. */
  force?: boolean;
}

const MANIFEST_LIMIT = 4 * 1024 * 1024;

/** {@link pullArtifact} for loading an agent. */
export async function fetchFromRegistry(
  reference: ImageReference,
  displayName: string,
  context: SourceContext,
): Promise<RemoteAgent> {
  const { digest, content } = await pullArtifact(reference, { displayName, context });
  return { text: textOf(content, displayName), displayName, digest, host: reference.registry };
}

/**
 * Returns an agent from a registry. A stored digest needs no network. For a tag it asks the registry for the digest,
 * and uses the stored agent if the digest is the same or the registry does not answer. Checks all content against its
 * digest. Throws a {@link ConfigError}.
 */
export async function pullArtifact(reference: ImageReference, options: PullOptions): Promise<Artifact> {
  const store = openArtifactStore(options.context.directories);
  const session = openSession(reference, "pull", options.context);
  const stored = options.force ? undefined : await findStored(reference, store, session, options);
  return (
    (stored === undefined ? undefined : readStored(stored, store, options.displayName)) ??
    download(reference, store, session, options)
  );
}

/** Returns the digest of the stored agent to use; undefined if the agent has to be downloaded. */
async function findStored(
  reference: ImageReference,
  store: ArtifactStore,
  session: RegistrySession,
  { displayName, context }: PullOptions,
) {
  if (reference.digest !== undefined) return reference.digest;
  const known = store.reference(storeKey(reference))?.digest;
  if (known === undefined) return undefined;
  const current = await currentDigest(reference, session);
  if (typeof current === "string") return current === known ? known : undefined;
  context.warn(`${displayName}: ${current.reason}; using the copy pulled before (${known})`);
  return known;
}

/** Returns the current digest of a tag: empty if the registry does not tell, a reason if it does not answer. */
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

function readStored(digest: string, store: ArtifactStore, displayName: string): Artifact | undefined {
  const read = (manifestDigest: string) => {
    const bytes = store.read(manifestDigest);
    return bytes && parseManifest(bytes, displayName);
  };
  const top = read(digest);
  const manifest = top?.kind === "index" ? read(top.first.digest) : top;
  if (manifest?.kind !== "agent") return undefined;
  const layer = store.read(manifest.layer.digest);
  return layer && { digest, annotations: manifest.annotations, content: unpack(layer, displayName) };
}

async function download(
  reference: ImageReference,
  store: ArtifactStore,
  session: RegistrySession,
  { displayName }: PullOptions,
): Promise<Artifact> {
  const top = await getManifest(reference.digest ?? reference.tag, reference.digest, session, displayName);
  const inner =
    top.manifest.kind === "index"
      ? await getManifest(top.manifest.first.digest, top.manifest.first.digest, session, displayName)
      : top;
  if (inner.manifest.kind !== "agent")
    throw new ConfigError(`${displayName}: an image list inside an image list is not supported`, {
      help: NOT_AN_AGENT_IMAGE,
    });
  const { layer, annotations } = inner.manifest;
  const bytes = await getLayer(layer, session, displayName);
  const content = unpack(bytes, displayName);
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
  displayName: string,
): Promise<{ bytes: Uint8Array; manifest: Manifest }> {
  const { status, headers, bytes } = await session.send(`manifests/${name}`, {
    accept: MANIFEST_ACCEPT,
    limit: MANIFEST_LIMIT,
    what: "the manifest",
  });
  if (status !== 200) throw new ConfigError(`${displayName}: ${statusText(status)}`);
  const expected = digest ?? headers.get("docker-content-digest") ?? undefined;
  checkDigest("manifest", bytes, expected, displayName);
  return { bytes, manifest: parseManifest(bytes, displayName) };
}

async function getLayer(
  { digest, size }: Descriptor,
  session: RegistrySession,
  displayName: string,
): Promise<Uint8Array> {
  if (size > MAX_DOCUMENT_BYTES)
    throw new ConfigError(`${displayName}: the agent file has ${size} bytes; the limit is 5 MiB`, {
      help: NOT_AN_AGENT_IMAGE,
    });
  const { status, bytes } = await session.send(`blobs/${digest}`, {
    limit: MAX_DOCUMENT_BYTES,
    what: "the agent file",
    mayRedirect: true,
  });
  if (status !== 200) throw new ConfigError(`${displayName}: the agent file: ${statusText(status)}`);
  checkDigest("agent file", bytes, digest, displayName);
  return bytes;
}

function checkDigest(what: string, bytes: Uint8Array, expected: string | undefined, displayName: string): void {
  const actual = digestOf(bytes);
  if (expected !== undefined && expected !== actual) {
    throw new ConfigError(
      `${displayName}: the ${what} from the registry has a wrong digest: expected ${expected}, got ${actual}`,
      { help: NOT_AN_AGENT_IMAGE },
    );
  }
}

/** Decompresses a layer if needed: some tools compress it. */
function unpack(layer: Uint8Array, displayName: string): Uint8Array {
  if (layer[0] !== 0x1f || layer[1] !== 0x8b) return layer;
  try {
    return gunzipSync(layer, { maxOutputLength: MAX_DOCUMENT_BYTES });
  } catch (error) {
    throw new ConfigError(`${displayName}: the agent file cannot be decompressed, or is larger than 5 MiB`, {
      cause: error,
      help: NOT_AN_AGENT_IMAGE,
    });
  }
}

/** Explains the status of an answer to the user. */
export function statusText(status: number): string {
  if (status === 404) return "not found in the registry";
  if (status === 401 || status === 403) return "not found, or the registry needs a login (docker login)";
  if (status === 429) return "the registry's rate limit is reached; log in (docker login) to raise it";
  return `the registry answered ${status}`;
}
