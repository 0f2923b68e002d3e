import type { HLJSApi, LanguageFn } from "highlight.js";
import type { Role, Theme } from "../../theme.ts";
import { LANGUAGES } from "./languages.ts";

/** Longer code is not highlighted. */
export const MAX_HIGHLIGHTED = 100_000;
/** Code with a longer line, such as a minified program, is not highlighted: some grammars take quadratic time for it. */
const MAX_LINE = 1000;
/** Most lines that a piece of code takes from those before it. */
const MAX_CONTEXT_LINES = 8;

export interface Highlighted {
  rows: string[];
  /** The lines that began what is still open at the end, such as a comment; undefined if nothing was highlighted. */
  open: readonly string[] | undefined;
}

/** The scopes of highlight.js (https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html) by role. */
const ROLE_OF_SCOPE: Readonly<Record<string, Role>> = {
  addition: "added",
  attr: "property",
  attribute: "property",
  built_in: "function",
  bullet: "bullet",
  char: "string",
  code: "code",
  comment: "comment",
  deletion: "removed",
  doctag: "comment",
  emphasis: "italic",
  formula: "string",
  keyword: "keyword",
  link: "link",
  literal: "number",
  meta: "meta",
  name: "tag",
  number: "number",
  property: "property",
  quote: "comment",
  regexp: "string",
  section: "heading",
  "selector-attr": "property",
  "selector-class": "property",
  "selector-id": "property",
  "selector-pseudo": "keyword",
  "selector-tag": "tag",
  string: "string",
  strong: "bold",
  symbol: "string",
  "template-tag": "keyword",
  "template-variable": "variable",
  title: "function",
  type: "type",
  variable: "variable",
};

let library: HLJSApi | undefined;
const loading = new Map<string, Promise<void>>();

/**
 * Loads highlight.js and a language by its name or an alias, once. Returns undefined if there is nothing to wait for:
 * the language is loaded or unknown. The promise never rejects; a language that fails to load stays plain.
 */
export function loadLanguage(language: string): Promise<void> | undefined {
  const row = rowOf(language);
  if (row === undefined || library?.getLanguage(row.name) !== undefined) return undefined;
  const known = loading.get(row.name);
  if (known !== undefined) return known;
  const promise = register(row.name, row.load).catch(() => undefined);
  loading.set(row.name, promise);
  return promise;
}

/**
 * Returns a piece of code in the colours of a theme; `context` is what the piece before returned as `open`. Code in a
 * language that is not loaded (`loadLanguage`), code of more than {@link MAX_HIGHLIGHTED} characters, and code with very
 * long lines is unchanged. Escapes no control characters.
 */
export function highlight(
  context: readonly string[],
  lines: readonly string[],
  language: string,
  theme: Theme,
): Highlighted {
  const all = [...context, ...lines];
  const html = theme.name === "none" || lines.length === 0 ? undefined : toHtml(all, language);
  if (html === undefined) return { rows: [...lines], open: undefined };
  const open = unclosedLines(html).map((line) => all[line] ?? "");
  return { rows: styleHtml(html, theme).slice(context.length), open: open.slice(-MAX_CONTEXT_LINES) };
}

function toHtml(lines: readonly string[], language: string): string | undefined {
  const name = rowOf(language)?.name;
  if (name === undefined || library?.getLanguage(name) === undefined) return undefined;
  const code = lines.join("\n");
  if (code.length > MAX_HIGHLIGHTED || lines.some(({ length }) => length > MAX_LINE)) return undefined;
  try {
    return library.highlight(code, { language: name, ignoreIllegals: true }).value;
  } catch {
    return undefined;
  }
}

function rowOf(language: string): { name: string; load: () => Promise<{ default: LanguageFn }> } | undefined {
  const word = (/^[\w+#.-]+/.exec(language)?.[0] ?? "").toLowerCase();
  return LANGUAGES.find(({ name, aliases }) => name === word || aliases.includes(word));
}

async function register(name: string, load: () => Promise<{ default: LanguageFn }>): Promise<void> {
  const [{ default: core }, { default: definition }] = await Promise.all([import("highlight.js/lib/core"), load()]);
  library ??= core;
  library.registerLanguage(name, definition);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** A span, its end, or the text between. */
const HTML_PART = /<span class="[^"]*">|<\/span>|[^<]+/g;

/** Returns the numbers of the lines where spans begin that are open at the end of the code. */
function unclosedLines(html: string): number[] {
  const code = html.replace(/(?:<\/span>)+$/, "");
  const starts: number[] = [];
  let line = 0;
  for (const [part] of code.matchAll(HTML_PART)) {
    if (part === "</span>") starts.pop();
    else if (part.startsWith("<")) starts.push(line);
    else line += part.split("\n").length - 1;
  }
  return [...new Set(starts)];
}

/** Turns the HTML of highlight.js, which holds nothing but spans, text and entities, into styled lines. */
function styleHtml(html: string, theme: Theme): string[] {
  const roles: (Role | undefined)[] = [];
  const rows = [""];
  for (const [part] of html.matchAll(HTML_PART)) {
    if (part === "</span>") roles.pop();
    else if (part.startsWith("<")) roles.push(roleOf(part));
    else
      addText(
        rows,
        part,
        roles.findLast((role) => role !== undefined),
        theme,
      );
  }
  return rows;
}

/** `<span class="hljs-title function_">` is a `title`. */
function roleOf(span: string): Role | undefined {
  const scope = /hljs-([\w-]+)/.exec(span)?.[1] ?? "";
  if (scope === "title" && /class_|inherited__/.test(span)) return "type";
  return ROLE_OF_SCOPE[scope];
}

function addText(rows: string[], html: string, role: Role | undefined, theme: Theme): void {
  const text = html.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
  for (const [index, line] of text.split("\n").entries()) {
    const styled = role === undefined ? line : theme.style(role, line);
    if (index > 0) rows.push(styled);
    else rows[rows.length - 1] += styled;
  }
}
