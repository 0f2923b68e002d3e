import { basename, join } from "node:path";
import type { Env } from "../../lib/env.ts";
import type { Document } from "../yaml/document.ts";
import type { HookEntry } from "./read-hooks.ts";

/** The builtin that denies changes of guards. */
export const GUARDS_STAY = "guards_stay";

/**
 * Tells each hook with the builtin `guards_stay` which files the active hooks come from: the files that declare them,
 * and the scripts that they run. `documents`: further files that decide what an agent may do.
 */
export async function guardPolicy(
  entries: readonly HookEntry[],
  documents: readonly Document[],
  place: { workingDir: string; env: Env },
): Promise<HookEntry[]> {
  if (!entries.some(isGuard)) return [...entries];
  const { scriptOfHook } = await import("./hook-script.ts");
  const declared = [...documents, ...entries.flatMap(({ document }) => document ?? [])].flatMap(fileOf);
  const scripts = entries.flatMap((entry) => {
    const script = scriptOfHook(entry, place);
    return script === undefined || script.start === "name" ? [] : [script.path];
  });
  const files = [...new Set([...declared, ...scripts])];
  return entries.map((entry) => {
    if (!isGuard(entry)) return entry;
    const { hook } = entry;
    return { ...entry, hook: { ...hook, args: [...new Set([...hook.args, ...files])] } };
  });
}

function isGuard({ hook: { type, command } }: HookEntry): boolean {
  return type === "builtin" && command === GUARDS_STAY;
}

function fileOf({ file, directory }: Document): string[] {
  return directory === undefined ? [] : [join(directory, basename(file))];
}
