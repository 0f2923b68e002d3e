import { join } from "node:path";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { digestOf } from "./content.ts";
import { tryReadFile, writePrivateFile } from "./private-file.ts";
import type { SourceContext } from "./source-context.ts";

/** What was fetched before under a name: its bytes, and the tag by which the server knows them. */
export interface CachedCopy {
  bytes: Uint8Array | undefined;
  etag: string | undefined;
  keep(bytes: Uint8Array, etag: string | null | undefined): void;
}

/** The copy kept under a key, below `url_cache` in the data directory. Source: config-and-cli 7.3, 7.4. */
export function openCachedCopy(key: string, { directories }: SourceContext): CachedCopy {
  const path = join(directories.data, "url_cache", digestOf(key).slice("sha256:".length));
  const bytes = tryReadFile(path);
  const etag = bytes && tryReadFile(`${path}.etag`);
  return {
    bytes: bytes && bytes.length <= MAX_DOCUMENT_BYTES ? bytes : undefined,
    etag: etag && Buffer.from(etag).toString("utf8"),
    keep: (fresh, tag) => {
      // The tag goes first: an old tag beside new bytes would keep them for ever.
      writePrivateFile(`${path}.etag`, "");
      writePrivateFile(path, fresh);
      writePrivateFile(`${path}.etag`, tag ?? "");
    },
  };
}
