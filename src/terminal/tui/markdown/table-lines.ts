export type Alignment = "left" | "center" | "right";

/** Returns the cells of a table row; a `\|` is part of a cell. */
export function splitCells(line: string): string[] {
  const cells: string[] = [];
  let cell = "";
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (character === "\\" && line[at + 1] === "|") {
      cell += "|";
      at += 1;
    } else if (character === "|") {
      cells.push(cell.trim());
      cell = "";
    } else cell += character;
  }
  cells.push(cell.trim());
  if (cells.length > 1 && cells[0] === "") cells.shift();
  if (cells.length > 1 && cells.at(-1) === "") cells.pop();
  return cells;
}

/** Returns the columns' alignments if the line can stand below a table's header, such as `|---|:-:|`. */
export function alignmentsOf(line: string): Alignment[] | undefined {
  if (!line.includes("-") || !/^[ |:-]+$/.test(line)) return undefined;
  const cells = splitCells(line);
  if (!cells.every((cell) => /^:?-+:?$/.test(cell))) return undefined;
  return cells.map((cell) => {
    if (!cell.endsWith(":")) return "left";
    return cell.startsWith(":") ? "center" : "right";
  });
}

/** True if `header` and the line below it begin a table. */
export function isTableStart(header: string, below: string): boolean {
  if (!header.includes("|")) return false;
  return alignmentsOf(below)?.length === splitCells(header).length;
}
