import type { DirectoryFlags } from "../../lib/directory-names.ts";

/** A command line of `dispatch` of which every flag is known here. */
export interface QuickLine {
  hooksFiles: readonly string[];
  dialect: string | undefined;
  event: string | undefined;
  /** What `--output result` prints, or what a hook would. */
  format: "hook" | "result";
  directories: DirectoryFlags;
  isAudited: boolean;
  isProved: boolean;
  guardsStay: boolean;
}

/** Flags that take a value, each at most once. */
const VALUES: readonly string[] = ["--dialect", "--event", "--output", "--deadline", "--config-dir", "--data-dir"];

const SWITCHES: readonly string[] = ["--no-audit", "--proof", "--guards-stay"];

/** A deadline that never passes while this part of a dispatch waits. */
const LATE_DEADLINE = /^[1-9]\d{0,5}s$/;

/**
 * Reads the words after the verb. Undefined for a command line that is not one of the plainest: with another flag, in
 * another form, or with an argument.
 */
export function readQuickLine(words: readonly string[]): QuickLine | undefined {
  const hooksFiles: string[] = [];
  const values = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (SWITCHES.includes(word)) {
      values.set(word, word);
      continue;
    }
    const value = words[++at] ?? "";
    if (value === "" || value.startsWith("-")) return undefined;
    if (word === "--hooks-file") hooksFiles.push(value);
    else if (VALUES.includes(word) && !values.has(word)) values.set(word, value);
    else return undefined;
  }
  const format = values.get("--output") ?? "hook";
  if (format !== "hook" && format !== "result") return undefined;
  const deadline = values.get("--deadline");
  if (deadline !== undefined && !LATE_DEADLINE.test(deadline)) return undefined;
  return {
    hooksFiles,
    dialect: values.get("--dialect"),
    event: values.get("--event"),
    format,
    directories: { config: values.get("--config-dir"), data: values.get("--data-dir") },
    isAudited: !values.has("--no-audit"),
    isProved: values.has("--proof"),
    guardsStay: values.has("--guards-stay"),
  };
}
