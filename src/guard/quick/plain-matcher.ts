import { mcpForm } from "../../config/hooks/mcp-form.ts";
import { BUILT_IN_TOOLS, LIKE_MCP } from "../../config/toolsets/built-in-tools.ts";
import { simpleTest } from "../../pattern/simple-test.ts";

/** True for matchers that need no compiling, and about which loading says nothing. */
export function arePlainMatchers(matchers: readonly string[]): boolean {
  return matchers.every(isPlainMatcher);
}

function isPlainMatcher(matcher: string): boolean {
  if (matcher.includes("(")) return false; // its names are not all between two `|`
  const test = simpleTest(matcher);
  if (!test || matcher.split("|").some((part) => mcpForm(part) !== undefined)) return false;
  return LIKE_MCP.test(matcher) || BUILT_IN_TOOLS.some(test);
}
