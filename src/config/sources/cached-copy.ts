import { join } from "node:path";
import { MAX_DOCUMENT_BYTES } from "../yaml/document.ts";
import { digestOf } from "./content.ts";
import { tryReadFile, writePrivateFile } from "./private-file.ts";
import type { SourceContext } from "./source-context.ts";

/** The last fetched content of a URL or file: its bytes, and the server's `ETag`. */
export interface CachedCopy {
  bytes: Uint8Array | undefined;
  etag: string | undefined;
  save(bytes: Uint8Array, etag: string | null | undefined): void;
}

/** Opens the copy for a key, in `url_cache` of the data directory. */
export function openCachedCopy(key: string, { directories }: SourceContext): CachedCopy {
  const path = join(directories.data, "url_cache", digestOf(key).slice("sha256:".length));
  const bytes = tryReadFile(path);
  const etag = bytes && tryReadFile(`${path}.etag`);
  return {
    bytes: bytes && bytes.length <= MAX_DOCUMENT_BYTES ? bytes : undefined,
    etag: etag && Buffer.from(etag).toString("utf8"),
    save: (fresh, tag) => {
      // The tag is cleared first: an old tag with new bytes would make the server call them unchanged forever.
      writePrivateFile(`${path}.etag`, "");
      writePrivateFile(path, fresh);
      writePrivateFile(`${path}.etag`, tag ?? "");
    },
  };
}
