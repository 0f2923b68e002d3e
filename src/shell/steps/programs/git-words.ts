import { joinPath } from "../../paths/working-directory.ts";

/** Options of git before its subcommand that take a value. */
const VALUED = new Set("-C -c --git-dir --work-tree --namespace --exec-path --config-env".split(" "));

/** Reads the words of git up to its subcommand. */
export function readGit(texts: readonly string[]): { directory: string; verb: string; rest: readonly string[] } {
  let directory = "";
  for (let at = 0; at < texts.length; at++) {
    const text = texts[at] ?? "";
    if (text === "-C" || text === "--work-tree") directory = joinPath(directory, texts[at + 1] ?? "");
    else if (text.startsWith("--work-tree=")) directory = joinPath(directory, text.slice("--work-tree=".length));
    if (VALUED.has(text)) at++;
    else if (!text.startsWith("-")) return { directory, verb: text, rest: texts.slice(at + 1) };
  }
  return { directory, verb: "", rest: [] };
}
