/** A file that a line names, as `@FILE` or `/attach FILE`. */
export interface Mention {
  /** The possible paths, the likeliest first: a sentence may go on after a name with `.` or `)`. */
  readonly paths: readonly string[];
  /** True for `/attach`, which must name a file; an `@` may also belong to the text. */
  readonly isCommand: boolean;
}

/** A path: in quotation marks, or with a backslash before each space. */
const PATH = String.raw`"([^"\n]+)"|'([^'\n]+)'|((?:\\.|[^\s"'\\])(?:\\.|[^\s\\])*)`;
const MENTION = new RegExp(String.raw`(?<=^|[\s(])(@|/attach[ \t]+)(?:${PATH})`, "g");
const FIRST_PATH = new RegExp(String.raw`^(?:${PATH})(?:\s+|$)`);

/** Returns the files that a text names. */
export function mentionsIn(text: string): Mention[] {
  return [...text.matchAll(MENTION)].map(([, sign, double, single, bare = ""]) => {
    const quoted = double ?? single;
    const trimmed = bare.replace(/[.,;:!?)\]}'"]+$/, "");
    const paths =
      quoted === undefined ? [...new Set([bare, trimmed])].filter(Boolean).map((path) => unescape(path)) : [quoted];
    return { paths, isCommand: sign !== "@" };
  });
}

/** Splits a text into the path at its start and the rest; undefined if it starts with none. */
export function firstPath(text: string): { path: string; rest: string } | undefined {
  const [all, double, single, bare] = FIRST_PATH.exec(text) ?? [];
  if (all === undefined) return undefined;
  return { path: double ?? single ?? unescape(bare ?? ""), rest: text.slice(all.length).trim() };
}

/** Returns the mention of a file: `@FILE`, in quotation marks if it needs them. */
export function mentionOf(path: string): string {
  if (!/[\s"'\\()]/.test(path)) return `@${path}`;
  return path.includes('"') ? `@${path.replace(/[\s"'\\()]/g, "\\$&")}` : `@"${path}"`;
}

/** Removes the backslashes that a shell would remove. On Windows, a backslash separates folders. */
export function unescape(path: string, platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? path : path.replace(/\\(.)/g, "$1");
}
