const COLUMNS = 80;
const INDENT = "  ";

/** A text of several words, indented, in lines of 80 columns. */
export function folded(text: string): string {
  const lines: string[] = [];
  let line = INDENT;
  for (const word of text.split(" ")) {
    if (line.length > INDENT.length && line.length + word.length >= COLUMNS) {
      lines.push(line.trimEnd());
      line = INDENT + INDENT;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join("\n");
}
