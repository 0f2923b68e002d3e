/** Writes the list of parts in docs/design/levels.md: their level from the imports, their purpose from the comment at the door of each part. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { levelsOf, partGraph, partOf, readImports } from "./import-graph.ts";

/** The first paragraph of the comment that a file begins with, if the comment describes the part of the file. */
const DOOR = /^\/\*\*\n((?: \* .*\n)+)(?: \*.*\n)*? \* @packageDocumentation\n \*\//;

/** Returns the rows of the table of parts, the highest level first. Throws for a part without exactly one door. */
export function partRows(): string[] {
  const imports = readImports();
  const doors = Map.groupBy([...imports.keys()].flatMap(doorOf), ({ part }) => part);
  const rows = [...levelsOf(partGraph(imports))].map(([part, level]) => {
    const [door, ...others] = doors.get(part) ?? [];
    if (!door || others.length > 0)
      throw new Error(`${part}: needs one file that begins with a comment with @packageDocumentation`);
    return { level, part, row: [level, code(part), door.text, code(door.file.slice(part.length + 1))] };
  });
  rows.sort((one, other) => other.level - one.level || one.part.localeCompare(other.part));
  return [
    "| level | part | what it is for | its door |",
    "|---|---|---|---|",
    ...rows.map(({ row }) => `| ${row.join(" | ")} |`),
  ];
}

function doorOf(file: string): { part: string; file: string; text: string }[] {
  const part = partOf(file);
  const comment = DOOR.exec(readFileSync(join(import.meta.dir, "..", file), "utf8"))?.[1];
  if (part === undefined || comment === undefined) return [];
  const text = comment
    .replaceAll(/^ \* ?/gm, "")
    .trim()
    .replaceAll(/\s+/g, " ");
  return [{ part, file, text }];
}

function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}
