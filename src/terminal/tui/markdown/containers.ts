import type { Container } from "./leaf.ts";

/** Quotes and list items nest no deeper than this; further markers are shown as text. */
const MAX_DEPTH = 16;
/** Text indented by this many columns is code. */
export const CODE_INDENT = 4;

const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-+*]|\d{1,9}[.)])( +|$)/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;

/** What a line holds after the markers of its containers. */
export interface OpenedLine {
  containers: readonly Container[];
  /** Number of containers that were open before. */
  matched: number;
  rest: string;
}

/** Returns the open containers that a line continues, and the line without their markers. */
export function matchContainers(open: readonly Container[], line: string): OpenedLine {
  let rest = line;
  let matched = 0;
  for (const container of open) {
    const next = continueContainer(container, rest);
    if (next === undefined) break;
    rest = next;
    matched += 1;
  }
  return { containers: open.slice(0, matched), matched, rest };
}

/** Opens the quotes and list items that begin on a line. `inParagraph` is true if the line could continue a paragraph. */
export function openContainers(line: OpenedLine, inParagraph: boolean): OpenedLine {
  const containers = [...line.containers];
  let rest = line.rest;
  while (containers.length < MAX_DEPTH) {
    const opened = openContainer(rest, inParagraph && containers.length === line.matched);
    if (opened === undefined) break;
    containers.push(opened.container);
    rest = opened.rest;
  }
  return { containers, matched: line.matched, rest };
}

export function isRule(line: string): boolean {
  return RULE.test(line);
}

export function indentOf(line: string): number {
  let indent = 0;
  while (line[indent] === " ") indent += 1;
  return indent;
}

function continueContainer(container: Container, line: string): string | undefined {
  if (container.kind === "quote") {
    const marker = QUOTE.exec(line)?.[0];
    return marker === undefined ? undefined : line.slice(marker.length);
  }
  const indent = indentOf(line);
  if (indent === line.length) return "";
  if (indent >= container.indent) return line.slice(container.indent);
  return indent >= 2 && isOtherList(container.marker, line) ? line.slice(indent) : undefined;
}

/** True for `  - b` below `1. a`: models nest lists with two columns even where Markdown asks for three. */
function isOtherList(marker: string, line: string): boolean {
  const other = ITEM.exec(line)?.[2];
  return other !== undefined && isOrdered(other) !== isOrdered(marker);
}

function isOrdered(marker: string): boolean {
  return marker.length > 1;
}

function openContainer(line: string, inParagraph: boolean): { container: Container; rest: string } | undefined {
  const quote = QUOTE.exec(line)?.[0];
  if (quote !== undefined) return { container: { kind: "quote" }, rest: line.slice(quote.length) };
  const [whole, before = "", marker, space = ""] = ITEM.exec(line) ?? [];
  if (whole === undefined || marker === undefined || isRule(line)) return undefined;
  const rest = line.slice(whole.length);
  if (inParagraph && (rest === "" || (isOrdered(marker) && Number.parseInt(marker, 10) !== 1))) return undefined;
  const spaces = rest === "" || space.length > CODE_INDENT ? 1 : space.length;
  const indent = before.length + marker.length + spaces;
  return { container: { kind: "item", marker, indent }, rest: line.slice(indent) };
}
