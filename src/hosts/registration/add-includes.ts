import { Document, isMap, isSeq, parseDocument as parseNodes, type YAMLSeq } from "yaml";
import { parseDocument } from "../../config/yaml/document.ts";
import { UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { isDeepEqual } from "../../lib/platform.ts";
import { addChild, memberOf, rootOf } from "./json-edit.ts";

/**
 * Returns the text of a hooks file, in YAML or JSON, with further entries `include: builtin:SET` at the end of its rules.
 * Every other line stays as it is. Throws a `ConfigError` if the file is not valid, and a {@link UserError} if the entries
 * cannot be added without changing something else.
 */
export async function addIncludes(text: string, file: string, sets: readonly string[]): Promise<string> {
  const { value } = await parseDocument(text, file);
  const before = value ?? {};
  const rules = isObject(before) ? (before["rules"] ?? []) : undefined;
  const added = sets.map((set) => ({ include: `builtin:${set}` }));
  if (!isObject(before) || !Array.isArray(rules))
    throw new UserError(`${file}: cannot add rules: expected a mapping with a list of rules`);
  const wanted = { ...before, rules: [...rules, ...added] };
  for (const edit of text.trimStart().startsWith("{") ? [inJson, inNodes] : [inLines, inNodes]) {
    const edited = edit(text, added);
    if (edited !== undefined && (await readsAs(edited, file, wanted))) return edited;
  }
  throw new UserError(
    `${file}: cannot add rules without changing others; write yourself below rules: ${sets.map((set) => `- include: builtin:${set}`).join(", ")}`,
  );
}

/** Returns the ready-made sets that a file includes already. */
export async function includedSets(text: string, file: string): Promise<string[]> {
  const { value } = await parseDocument(text, file);
  const rules = isObject(value) && Array.isArray(value["rules"]) ? value["rules"] : [];
  return rules.flatMap((rule) => {
    const name = isObject(rule) ? rule["include"] : undefined;
    return typeof name === "string" ? [name.replace(/^builtin:/, "")] : [];
  });
}

type Include = { include: string };

async function readsAs(text: string, file: string, wanted: unknown): Promise<boolean> {
  try {
    return isDeepEqual((await parseDocument(text, file)).value, wanted);
  } catch {
    return false;
  }
}

function inJson(text: string, added: readonly Include[]): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const root = rootOf(text);
  if (!memberOf(root, "rules")) return addChild(text, root, { key: "rules", value: added });
  return added.reduce((edited, value) => {
    const rules = memberOf(rootOf(edited), "rules");
    return rules?.type === "array" ? addChild(edited, rules, { value }) : edited;
  }, text);
}

/** Adds lines below the last rule, or a list at the end of the file. */
function inLines(text: string, added: readonly Include[]): string | undefined {
  const document = parseNodes(text, { keepSourceTokens: true });
  const rules = document.get("rules", true);
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  if (isSeq(rules)) {
    const { srcToken, items } = rules as YAMLSeq.Parsed;
    const last = items.at(-1);
    if (srcToken?.type !== "block-seq" || last === undefined) return undefined;
    const end = last.range[1];
    const at = text[end - 1] === "\n" ? end : text.indexOf("\n", end) + 1 || text.length;
    const lines = linesOf(added, " ".repeat(srcToken.indent), eol);
    return `${endedLine(text.slice(0, at), eol)}${lines}${text.slice(at)}`;
  }
  if (isMap(document.contents) && document.contents.has("rules")) return undefined;
  return `${endedLine(text, eol)}rules:${eol}${linesOf(added, "  ", eol)}`;
}

function endedLine(text: string, eol: string): string {
  return text === "" || text.endsWith("\n") ? text : text + eol;
}

function linesOf(added: readonly Include[], indent: string, eol: string): string {
  return added.map(({ include }) => `${indent}- include: ${include}${eol}`).join("");
}

/** Writes the whole file anew, with its comments. */
function inNodes(text: string, added: readonly Include[]): string | undefined {
  const parsed = parseNodes(text);
  const document = parsed.contents === null ? new Document({}) : parsed;
  if (!isMap(document.contents)) return undefined;
  const rules = document.get("rules", true);
  if (isSeq(rules)) for (const each of added) rules.add(document.createNode(each));
  else document.set("rules", document.createNode(added));
  return document.toString({ lineWidth: 0 });
}
