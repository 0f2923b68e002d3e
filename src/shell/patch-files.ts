/** A file that a patch in the form `*** Update File: PATH` changes. `move` is where an updated file goes. */
export interface PatchFile {
  path: string;
  change: "add" | "update" | "delete" | "move";
}

/** A line of a patch that names a file; in a command line it may begin with a quote, and end with `\\n`. */
const FILE_LINE = /(?:^|['"]|\\n)\*\*\* (?:(Update|Add|Delete) File|Move to): (.+?)(?=\r?$|\\n)/gm;

const CHANGES: Readonly<Record<string, PatchFile["change"]>> = { Update: "update", Add: "add", Delete: "delete" };

/** The files of a patch, in order. */
export function patchFiles(patch: string): PatchFile[] {
  return [...patch.matchAll(FILE_LINE)].map(([, kind = "", path = ""]) => ({ path, change: CHANGES[kind] ?? "move" }));
}

/** The file that a moved one replaces is overwritten. In the order of the list of effects. */
const EFFECTS = { delete: "fs-delete", add: "fs-overwrite", move: "fs-overwrite", update: "fs-modify" } as const;

/** The effects that a patch has on files, each once. */
export function patchEffects(files: readonly PatchFile[]): (typeof EFFECTS)[PatchFile["change"]][] {
  const changes = new Set(files.map(({ change }) => change));
  const kinds = (["delete", "add", "move", "update"] as const).filter((change) => changes.has(change));
  return [...new Set(kinds.map((change) => EFFECTS[change]))];
}
