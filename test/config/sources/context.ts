import type { SourceContext } from "../../../src/config/sources/source-context.ts";
import type { Env } from "../../../src/lib/env.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** A context with directories of its own that keeps what it is warned of. */
export function sourceContext(
  env: Env = {},
  more: Partial<SourceContext> = {},
): SourceContext & { data: string; warnings: string[] } {
  const data = tempDir();
  const warnings: string[] = [];
  const home = tempDir();
  return {
    env: { HOME: home, PATH: process.env["PATH"] ?? "", ...env },
    lookup: (name) => env[name],
    directories: { data },
    warn: (message) => void warnings.push(message),
    data,
    warnings,
    ...more,
  };
}

/** What a promise was rejected with, as text; fails when it was not. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => {
      throw new Error("expected a rejection");
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
