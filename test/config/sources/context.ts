import type { SourceContext } from "../../../src/config/sources/source-context.ts";
import type { Env } from "../../../src/lib/env.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** A context with new directories that collects warnings. */
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

/** Returns the error text of a rejected promise. Throws if it is not rejected. */
export async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => {
      throw new Error("expected a rejection");
    },
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
