/**
 * Reads an example while the program is bundled, or when its sources run: the import of this module has `type: "macro"`,
 * so its result is inlined as text.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the text of each file of a folder below `examples`, by file name. */
export function readExample(folder: string): Record<string, string> {
  const path = join(import.meta.dir, "../../../examples", folder);
  return Object.fromEntries(readdirSync(path).map((name) => [name, readFileSync(join(path, name), "utf8")]));
}
