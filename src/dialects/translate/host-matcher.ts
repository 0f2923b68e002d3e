import { compileMatcher, literalNames } from "../../pattern/pattern.ts";
import { type MatcherRule, type ToolNames, translateMatcher } from "./matcher.ts";

/** The matcher of a host; undefined if the hook needs none. */
export type HostMatcher = { matcher: string | undefined } | { problem: string };

/**
 * Writes a matcher of hooksh for a host: the one that {@link translateMatcher} translated to it, else one that matches
 * the same tools. Has a problem if the host cannot express it.
 */
export function hostMatcher(own: string, rule: MatcherRule, tools: readonly ToolNames[]): HostMatcher {
  if (own === "" || own === "*") return { matcher: undefined };
  const isForeign = withoutOwnNames(own.split("|"), tools) !== own;
  const original = originals(own, rule, tools).find(
    (text) => !(isForeign && text === own) && isTranslation(text, own, rule, tools),
  );
  if (original !== undefined) return { matcher: original };
  const names = literalNames(own);
  if (names) return listed(names, rule, tools);
  if (rule.kind === "glob" || rule.kind === "exact")
    return { problem: `matcher ${JSON.stringify(own)}: the host takes no regular expressions` };
  return { matcher: `^(?:${[own, ...hostNames(own, tools)].join("|")})$` };
}

function isTranslation(text: string, own: string, rule: MatcherRule, tools: readonly ToolNames[]): boolean {
  const translated = translateMatcher(text, rule, tools);
  return "matcher" in translated && translated.matcher === own;
}

/** Matchers of the host from which {@link translateMatcher} may have made a matcher. */
function originals(own: string, rule: MatcherRule, tools: readonly ToolNames[]): string[] {
  const found = /^\.\*\(\?:([\s\S]*?)\)\.\*(?:\||$)/.exec(own)?.[1];
  const caseless = /^\(\?i:([\s\S]*?)\)(?:\||$)/.exec(own)?.[1];
  const parts = own.split("|");
  const words = [found, caseless, ...leading(parts), withoutOwnNames(parts, tools)].filter(
    (text) => text !== undefined,
  );
  const plain = words.flatMap((text) => [text, unquoted(text)]);
  const globs = plain.map((text) => text.replaceAll(".*", "*").replaceAll(/(?<!\\)\./g, "?"));
  const marked = rule.marked ? plain.flatMap((text) => [`re:${text}`, `/${text}/`]) : [];
  const servers = rule.servers ? globs.map((text) => text.replace(/\/\*$/, "")) : [];
  return [...(rule.servers && own.startsWith("[^@:]") ? ["@builtin"] : []), ...servers, ...plain, ...globs, ...marked];
}

/** The first parts of an alternation, shortest first. */
function leading(parts: readonly string[]): string[] {
  return parts.map((_part, index) => parts.slice(0, index + 1).join("|"));
}

function withoutOwnNames(parts: readonly string[], tools: readonly ToolNames[]): string {
  const own = new Set(
    tools.flatMap(({ is, also = [], names }) => [is, ...also].filter((name) => !names.includes(name))),
  );
  return parts.filter((part) => !own.has(part) && !part.startsWith("mcp:")).join("|");
}

function unquoted(text: string): string {
  return text.replace(/\\([^A-Za-z0-9])/g, "$1");
}

/** Names in the words of the host: its tools for hooksh's names, `mcp__server__tool` for `mcp:server:tool`. */
function listed(names: readonly string[], rule: MatcherRule, tools: readonly ToolNames[]): HostMatcher {
  const words = names.flatMap((name) => {
    const rows = tools.filter(({ is, also = [] }) => is === name || also.includes(name));
    if (rows.length > 0) return rows.flatMap((row) => row.names);
    const [, server, tool] = /^mcp:([^:]+):(.+)$/.exec(name) ?? [];
    if (server === undefined) return [name];
    return [rule.servers ? `@${server}/${tool}` : `mcp__${server}__${tool}`];
  });
  const unique = [...new Set(words)];
  const [only] = unique;
  if (unique.length === 1 && only !== undefined && rule.kind !== "regex") return { matcher: only };
  if (rule.kind === "exact-or-regex" || rule.kind === "anchored") return { matcher: unique.join("|") };
  if (rule.kind === "regex") return { matcher: `^(?:${unique.join("|")})$` };
  if (rule.marked) return { matcher: `re:${unique.join("|")}` };
  return rule.glob === "globset"
    ? { matcher: `{${unique.join(",")}}` }
    : { problem: `matcher ${JSON.stringify(names.join("|"))}: the host takes one name` };
}

/** The host's names of the tools that a matcher matches by hooksh's names. */
function hostNames(own: string, tools: readonly ToolNames[]): string[] {
  const matches = compileMatcher(own);
  const rows = tools.filter(
    ({ is, also = [], names }) => matches([is, ...also]) && !names.every((name) => matches([name])),
  );
  return [...new Set(rows.flatMap(({ names }) => names))];
}
