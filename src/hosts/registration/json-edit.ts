import { type Node, parseTree } from "jsonc-parser";

/** A member of an object, as it is added. */
export interface Member {
  key: string;
  value: unknown;
}

/** Returns the root of a text that is known to be valid. Throws if it is not. */
export function rootOf(text: string): Node {
  const root = parseTree(text);
  if (!root) throw new Error("the text holds no JSON value");
  return root;
}

export function memberOf(node: Node, key: string): Node | undefined {
  if (node.type !== "object") return undefined;
  return node.children?.find((property) => property.children?.[0]?.value === key)?.children?.[1];
}

/** Adds a member at the end of an object, or an element at the end of a list. All other bytes stay. */
export function addChild(text: string, container: Node, added: Member | { value: unknown }): string {
  const children = container.children ?? [];
  const last = children.at(-1);
  const close = container.offset + container.length - 1;
  const end = last ? last.offset + last.length : container.offset + 1;
  const tail = blankComments(text.slice(end, close));
  const keepsTrailingComma = tail.includes(",");
  // After the comments that follow the last child, so that they stay next to it.
  const at = end + text.slice(end, close).trimEnd().length;
  const layout = layoutOf(text, container);
  const item = render(added, layout);
  const isEmptyOnOneLine = !last && !tail.includes("\n");
  const inserted = `${layout.before}${item}${keepsTrailingComma ? "," : ""}${isEmptyOnOneLine ? layout.after : ""}`;
  const comma = last && !keepsTrailingComma ? "," : "";
  const rest = isEmptyOnOneLine && tail.trim() === "" ? text.slice(close) : text.slice(at);
  return `${text.slice(0, end)}${comma}${text.slice(end, at)}${inserted}${rest}`;
}

export function replaceValue(text: string, node: Node, value: unknown): string {
  const base = indentationOf(text, node.offset);
  const isOneLine = !text.slice(node.offset, node.offset + node.length).includes("\n");
  const rendered = isOneLine ? JSON.stringify(value) : pretty(value, base, unitOf(text), eolOf(text));
  return text.slice(0, node.offset) + rendered + text.slice(node.offset + node.length);
}

/** Removes a child of an object or a list with one of its commas: the inverse of {@link addChild}. */
export function removeChild(text: string, container: Node, child: Node): string {
  const children = container.children ?? [];
  const index = children.indexOf(child);
  const [previous, next] = [children[index - 1], children[index + 1]];
  const open = previous ? previous.offset + previous.length : container.offset + 1;
  const end = child.offset + child.length;
  const close = next ? next.offset : container.offset + container.length - 1;
  const before = blankComments(text.slice(open, child.offset));
  const after = blankComments(text.slice(end, close));
  const start = open + text.slice(open, child.offset).trimEnd().length;
  const commaAfter = after.indexOf(",");
  if (commaAfter >= 0) return text.slice(0, start) + text.slice(end + commaAfter + 1);
  if (previous) {
    const comma = open + before.indexOf(",");
    return text.slice(0, comma) + text.slice(comma + 1, Math.max(start, comma + 1)) + text.slice(end);
  }
  const isAlone = text.slice(open, child.offset).trim() === "" && after.trim() === "";
  return isAlone && text.slice(end, close).trim() === ""
    ? text.slice(0, open) + text.slice(close)
    : text.slice(0, start) + text.slice(end);
}

/** Replaces comments by blanks of the same length, keeping line breaks; the text has no strings. */
function blankComments(text: string): string {
  return text.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "));
}

/** The white space around a new child. */
interface Layout {
  before: string;
  /** Before the closing bracket of a container that was empty. */
  after: string;
  /** The indentation of the child; undefined if it stays on one line. */
  indent: string | undefined;
  unit: string;
  eol: string;
}

function layoutOf(text: string, container: Node): Layout {
  const [unit, eol] = [unitOf(text), eolOf(text)];
  const first = container.children?.[0];
  const base = indentationOf(text, container.offset);
  const inner = text.slice(container.offset, container.offset + container.length);
  if (first && !inner.includes("\n")) {
    const spaced = /[,:] /.test(inner) ? " " : "";
    return { before: spaced, after: "", indent: undefined, unit, eol };
  }
  const startsLine = first && text.slice(lineStart(text, first.offset), first.offset).trim() === "";
  const indent = startsLine ? indentationOf(text, first.offset) : base + unit;
  return { before: `${eol}${indent}`, after: `${eol}${base}`, indent, unit, eol };
}

function render(added: Member | { value: unknown }, { indent, unit, eol, before }: Layout): string {
  const space = indent === undefined && before === "" ? "" : " ";
  const value = indent === undefined ? JSON.stringify(added.value) : pretty(added.value, indent, unit, eol);
  return "key" in added ? `${JSON.stringify(added.key)}:${space}${value}` : value;
}

function pretty(value: unknown, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", `${eol}${indent}`);
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

function indentationOf(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? "";
}

/** Returns one step of the text's indentation: that of its first indented line. */
function unitOf(text: string): string {
  return /\n([ \t]+)["[{]/.exec(text)?.[1] ?? "  ";
}

function eolOf(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
