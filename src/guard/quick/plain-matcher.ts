import { mcpForm } from "../../config/hooks/mcp-form.ts";
import { BUILT_IN_TOOLS, LIKE_MCP } from "../../config/toolsets/built-in-tools.ts";
import { literalNames } from "../../pattern/literal-names.ts";
import { matchesPlainly } from "./matches-plainly.ts";

/** Names, and beginnings of names, separated by `|`. */
const PLAIN = /^(?:[\w:-]+|[\w:-]*\.\*)(?:\|(?:[\w:-]+|[\w:-]*\.\*))*$/;

/** In characters. A longer pattern may be refused for its size; a list of names never is. */
const LONGEST_PATTERN = 200;

/** True for matchers that are valid, that {@link matchesPlainly} reads, and about which loading says nothing. */
export function arePlainMatchers(matchers: readonly string[]): boolean {
  return matchers.every(isPlainMatcher);
}

function isPlainMatcher(matcher: string): boolean {
  if (!PLAIN.test(matcher) || matcher.split("|").some((part) => mcpForm(part) !== undefined)) return false;
  if (matcher.length > LONGEST_PATTERN && literalNames(matcher) === undefined) return false;
  return LIKE_MCP.test(matcher) || BUILT_IN_TOOLS.some((tool) => matchesPlainly(matcher, [tool]));
}
