import { compileMatcher } from "../../pattern/pattern.ts";
import {
  type Flavor,
  type GlobKind,
  quoteLiteral,
  type Translation,
  translateExpression,
  translateGlob,
} from "./regular-expression.ts";

/** How a host reads the matcher of a hook. */
export interface MatcherRule {
  /**
   * `regex`: found anywhere in the name. `anchored`: matches the whole name. `exact-or-regex`: exact names in the
   * characters of `exact`, else `regex`. `glob`: matches the whole name. `exact`: the one name.
   */
  kind: "regex" | "anchored" | "exact-or-regex" | "glob" | "exact";
  flavor?: Flavor;
  glob?: GlobKind;
  /** Exact names and their separators: a matcher of only these characters is a list of names. */
  exact?: { characters: RegExp; separator: RegExp };
  /** The texts that match every tool; an absent matcher always does. */
  every: readonly string[];
  /** Upper and lower case are the same. */
  ignoresCase?: true;
  /** Words that match further tools of the host. */
  aliases?: Readonly<Record<string, string>>;
  /** `@server`, `@server/tool` and `@builtin` name tools of MCP servers and all others. */
  servers?: true;
  /** A text between slashes, or after `re:`, is a regular expression that matches the whole name. */
  marked?: RegExp;
}

/** A tool of the host and its names in hooksh. */
export interface ToolNames {
  /** The name in hooksh. */
  is: string;
  /** The names in the host. */
  names: readonly string[];
  /** Further names of hooksh's tools that it matches. */
  also?: readonly string[];
  /** Set if the row is for some calls of the tool. */
  when?: unknown;
}

/** A matcher for hooksh; `notes` says where it matches more tools of the host. */
export interface TranslatedMatcher {
  /** Empty for every tool. */
  matcher: string;
  notes: string[];
}

/**
 * Translates a matcher so that it matches the same tools of the host, and the same tools of any other agent by hooksh's
 * names. Has a problem if the host's matcher matches nothing or cannot be expressed.
 */
export function translateMatcher(
  text: string | undefined,
  rule: MatcherRule,
  tools: readonly ToolNames[],
): TranslatedMatcher | { problem: string } {
  if (text === undefined || rule.every.includes(text)) return { matcher: "", notes: [] };
  const translated = hostPattern(text, rule);
  if ("problem" in translated) return { problem: `matcher ${JSON.stringify(text)}: ${translated.problem}` };
  const { pattern } = translated;
  const matches = compileMatcher(pattern);
  const widened = tools.filter(({ names }) => names.some((name) => matches([name])));
  // Some command lines write files; a guard of commands is no guard of files for that.
  const own = widened.flatMap(({ is, also = [], when }) =>
    is === "shell" && when !== undefined ? [is] : [is, ...also],
  );
  const extra = [...new Set([...own.map(quoteLiteral), ...qualified(pattern)])].filter(
    (name) => !pattern.split("|").includes(name),
  );
  return { matcher: [pattern, ...extra].join("|"), notes: siblings(widened, matches, tools) };
}

/** Returns the pattern that matches the same tools as the host's matcher, by the host's names alone. */
export function hostPattern(text: string, rule: MatcherRule): Translation {
  const translated = ownPattern(text, rule);
  return "problem" in translated ? translated : { pattern: withAliases(translated.pattern, rule) };
}

function ownPattern(text: string, rule: MatcherRule): Translation {
  const marked = rule.marked?.exec(text)?.[1];
  if (marked !== undefined) return caseless(translateExpression(marked, rule.flavor ?? "js"), rule);
  if (rule.servers && text.startsWith("@")) return serverPattern(text, rule);
  if (rule.kind === "exact") return { pattern: quoteLiteral(text) };
  if (rule.kind === "glob") return caseless(translateGlob(text, rule.glob ?? "globset"), rule);
  if (rule.kind === "exact-or-regex" && rule.exact?.characters.test(text))
    return exactNames(text, rule.exact.separator);
  const translated = translateExpression(text, rule.flavor ?? "js");
  if ("problem" in translated || rule.kind === "anchored") return translated;
  return { pattern: `.*(?:${translated.pattern}).*` };
}

function exactNames(text: string, separator: RegExp): Translation {
  const names = text
    .split(separator)
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length === 0
    ? { problem: "it names no tool" }
    : { pattern: [...new Set(names)].map(quoteLiteral).join("|") };
}

/** Adds the tools for which the words in the pattern are aliases. */
function withAliases(pattern: string, { aliases = {} }: MatcherRule): string {
  const matches = compileMatcher(pattern);
  const targets = Object.keys(aliases).flatMap((word) => (matches([word]) ? [aliases[word] ?? word] : []));
  return [pattern, ...new Set(targets)]
    .filter((part, index, all) => index === 0 || !all[0]?.split("|").includes(part))
    .join("|");
}

function caseless(translated: Translation, { ignoresCase }: MatcherRule): Translation {
  return "problem" in translated || !ignoresCase ? translated : { pattern: `(?i:${translated.pattern})` };
}

/** A name without `@` at its start and without a colon belongs to no server. */
const BUILT_IN_NAME = "[^@:][^:]*";

function serverPattern(text: string, { glob = "globset" }: MatcherRule): Translation {
  if (text === "@builtin") return { pattern: BUILT_IN_NAME };
  const [server = "", tool] = text.slice(1).split(/\/(.*)/s);
  const [serverPart, toolPart] = [translateGlob(server, glob), translateGlob(tool ?? "*", glob)];
  if ("problem" in serverPart) return serverPart;
  if ("problem" in toolPart) return toolPart;
  return { pattern: `@${serverPart.pattern}/${toolPart.pattern}|mcp:${serverPart.pattern}:${toolPart.pattern}` };
}

/** The names of tools of MCP servers in hooksh's form, for a pattern in the form `mcp__server__tool`. */
function qualified(pattern: string): string[] {
  if (!pattern.includes("mcp__")) return [];
  const isList = /^[\w|-]+$/.test(pattern);
  const parts = isList ? pattern.split("|").filter((name) => name.startsWith("mcp__")) : [pattern];
  return parts.filter((part) => /mcp__.*__/.test(part)).map((part) => part.replace("mcp__", "mcp:").replace("__", ":"));
}

/** Tools of the host that the matcher matches by hooksh's names alone. */
function siblings(
  widened: readonly ToolNames[],
  matches: (names: readonly string[]) => boolean,
  tools: readonly ToolNames[],
): string[] {
  const own = new Set(widened.flatMap(({ is, also = [] }) => [is, ...also]));
  const added = tools
    .filter(({ is, also = [] }) => [is, ...also].some((name) => own.has(name) || matches([name])))
    .flatMap(({ names }) => names)
    .filter((name) => !matches([name]));
  return added.length === 0 ? [] : [`the matcher now also matches ${[...new Set(added)].join(", ")}`];
}
