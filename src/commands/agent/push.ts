import { basename, resolve } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import type { CommandInput } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { directoriesOf } from "../../cli/global-flags.ts";
import { print, warn } from "../../cli/print.ts";
import { sourceContext } from "../../cli/source-context.ts";
import { type LoadedAgentFile, loadAgentFile } from "../../config/agent/load-agent.ts";
import { selfContainedText } from "../../config/agent/self-contained.ts";
import { parseImageReference } from "../../config/sources/registry/image-reference.ts";
import { VERSION_ANNOTATIONS } from "../../config/sources/registry/manifest.ts";
import { packAgent, pushPackage } from "../../config/sources/registry/push-package.ts";
import { loadUserConfig } from "../../config/user/user-config.ts";
import { MAX_DOCUMENT_BYTES } from "../../config/yaml/document.ts";
import { EXIT_CODES, UsageError } from "../../lib/errors.ts";
import { readUserFileSync } from "../../lib/files/read-file.ts";
import { redactText } from "../../redaction/redact.ts";

export const PUSH_FLAGS = {
  "dry-run": { kind: "switch", description: "Print the manifest without pushing it" },
} as const satisfies FlagSpecs;

type PushInput = Pick<CommandInput<typeof PUSH_FLAGS>, "flags" | "positionals" | "signal">;

/** Checks, packs and pushes the file. Throws a `ConfigError` or a {@link UsageError}. */
export async function runPush({ flags, positionals, signal }: PushInput): Promise<number> {
  const [path, reference, ...more] = positionals;
  if (path === undefined || reference === undefined || more.length > 0)
    throw new UsageError("agent push takes a file and an image reference: hooksh agent push FILE IMAGE");
  const image = parseImageReference(reference);
  if (!image)
    throw new UsageError(
      `agent push takes an image reference, [REGISTRY/]NAME[:TAG], not ${JSON.stringify(reference)}`,
    );
  if (image.digest !== undefined) throw new UsageError(`${reference}: cannot push to a digest; name a tag`);
  const cwd = process.cwd();
  const directories = directoriesOf(flags);
  const { providers } = await loadUserConfig(directories);
  const file = await loadAgentFile(path, { cwd, userProviders: providers });
  const text = await selfContainedText(file);
  if (redactText(text) !== text) warn(`${path}: seems to contain a secret; anyone who can pull the agent can read it`);
  const packed = packAgent(bytesOf(text, file), annotationsOf(file));
  if (flags["dry-run"]) {
    await print(Buffer.from(packed.manifest).toString("utf8"));
    return EXIT_CODES.ok;
  }
  await pushPackage(image, packed, { displayName: reference, context: sourceContext({ directories, cwd, signal }) });
  await print(`${reference}: ${packed.digest}`);
  return EXIT_CODES.ok;
}

/** Returns the bytes of the author's file if nothing was changed, so that its byte-order mark is kept. */
function bytesOf(text: string, { document, folder }: LoadedAgentFile): Uint8Array {
  const written =
    folder === undefined
      ? undefined
      : readUserFileSync(resolve(folder, basename(document.file)), { limit: MAX_DOCUMENT_BYTES });
  return written && new TextDecoder().decode(written) === text ? written : Buffer.from(text);
}

/** Returns the annotations of the manifest: versions, date, and the metadata of the agent file. */
function annotationsOf({ document, metadata }: LoadedAgentFile): Record<string, string> {
  const optional = {
    "org.opencontainers.image.authors": metadata.author,
    "org.opencontainers.image.licenses": metadata.license,
    "org.opencontainers.image.revision": metadata.version,
    "io.docker.agent.tags": metadata.tags?.join(","),
  };
  return {
    ...Object.fromEntries(VERSION_ANNOTATIONS.map((name) => [name, version])),
    "io.hooksh.version": version,
    "org.opencontainers.image.created": new Date().toISOString().replace(/\.\d+Z$/, "Z"),
    "org.opencontainers.image.description": `OCI artifact containing ${basename(document.file)}`,
    ...Object.fromEntries(Object.entries(optional).filter((entry): entry is [string, string] => Boolean(entry[1]))),
  };
}
