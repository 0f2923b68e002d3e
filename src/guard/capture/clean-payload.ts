import { homeDirectory } from "../../lib/env.ts";
import { REDACTION_MARK } from "../../lib/secrets/redaction-mark.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { createCleaner } from "./cleaner.ts";

/**
 * Returns a payload as JSON text without what is private. The home directory becomes `$HOME`, `folders` become `$DIR`;
 * see docs/capture.md#the-files.
 */
export function cleanPayload(payload: Payload, folders: readonly string[]): string {
  const clean = createCleaner({
    paths: [...folders.map((path) => [path, "$DIR"] as const), [homeDirectory(), "$HOME"]],
    user: "$USER",
    machine: "$HOST",
    email: () => "[EMAIL]",
    secret: () => REDACTION_MARK,
  });
  return clean(payload, 2);
}
