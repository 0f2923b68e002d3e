import type { Dialect } from "../../dialects/dialect.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { compileMatcher, literalNames } from "../../pattern/pattern.ts";
import { BUILT_IN_TOOLS, builtInToolFor, LIKE_MCP } from "../toolsets/built-in-tools.ts";
import type { KnownTools } from "./known-tools.ts";

/** The tools that a matcher is compared with, and their name in messages. */
export interface ComparedTools extends KnownTools {
  /** `tool of agent root` or `built-in tool`. */
  called: string;
  /** True if a name that looks like a tool of an MCP server may exist. */
  exceptMcp: boolean;
}

/** A longer list of names does not help in a message. */
const MAX_LISTED = 12;

/** Says why a matcher, or a name in it, matches no tool; undefined if it matches or might match. */
export function unmatchedTool(matcher: string, tools: ComparedTools): string | undefined {
  if (matcher === "" || matcher === "*") return undefined;
  const parts = literalNames(matcher) ?? [matcher];
  const unmatched = parts.filter((part) => !tools.names.some(matchesOf(part)));
  // If other names match, an unmatched one may be meant for another agent, unless no toolset of hooksh has such a tool.
  const wrong =
    unmatched.length < parts.length
      ? unmatched.filter((part) => !BUILT_IN_TOOLS.includes(part) && !parts.includes(builtInToolFor(part) ?? ""))
      : unmatched;
  const found = wrong.find((part) => !mayExist(part, tools));
  if (found === undefined) return undefined;
  const subject = parts.length === 1 ? "matcher" : `matcher ${JSON.stringify(matcher)}: the name`;
  return `${subject} ${JSON.stringify(found)} matches no ${tools.called}${advice(found, tools)}`;
}

/**
 * Returns how bad it is that a matcher matches no tool of an agent: a remark if other agents have its tools, fatal if no
 * part of it can name a tool. `every` has the tools of all agents and of hooksh.
 */
export function unmatchedLevel(matcher: string, every: ComparedTools): "remark" | "warning" | "fatal" {
  const parts = literalNames(matcher) ?? [matcher];
  const known = parts.filter((part) => mayExist(part, every) || every.names.some(matchesOf(part)));
  if (known.length === parts.length) return "remark";
  return known.length > 0 || every.mayHaveMore ? "warning" : "fatal";
}

/** True if a matcher names only tools of other agents that do nothing that a tool of hooksh does. */
export async function isForOtherAgents(matcher: string): Promise<boolean> {
  const { classOf } = await import("../../dialects/tools.ts");
  return everyName(matcher, (dialect, name) => classOf(dialect, name) !== undefined);
}

/** True if a matcher names only tools of other agents: it fits what they send, whether hooksh has such a tool or not. */
export async function fitsOtherAgents(matcher: string): Promise<boolean> {
  const { classOf } = await import("../../dialects/tools.ts");
  return everyName(
    matcher,
    (dialect, name) => dialect.tools.some(({ names }) => names.includes(name)) || classOf(dialect, name) !== undefined,
  );
}

/** True if each name in a matcher is one that some dialect knows. */
async function everyName(matcher: string, knows: (dialect: Dialect, name: string) => boolean): Promise<boolean> {
  const names = literalNames(matcher);
  if (!names) return false;
  const { DIALECTS } = await import("../../dialects/names.ts");
  const loaded = await Promise.all(Object.values(DIALECTS).map((row) => row.load()));
  return names.every((name) => loaded.some(({ dialect }) => knows(dialect, name)));
}

/** A tool name in a rule, in which `*` matches any characters. */
const RULE_NAME = /^[\w:*./-]+$/;

/**
 * Says why the tool name of a permission rule matches no tool, ignoring case; undefined if it matches or might match.
 */
export function unmatchedRule(rule: string, tools: ComparedTools): string | undefined {
  const name = toolOfRule(rule);
  if (!RULE_NAME.test(name) || mayExist(name, tools)) return undefined;
  const pattern = patternOfRule(name);
  if (tools.names.some((tool) => pattern.test(tool))) return undefined;
  return `rule ${JSON.stringify(rule)} matches no ${tools.called}${advice(name, tools)}`;
}

function toolOfRule(rule: string): string {
  return rule.split(/:(?=\w+~?=)/)[0] ?? "";
}

function patternOfRule(name: string): RegExp {
  return new RegExp(`^${name.replace(/[^\w*]/g, "\\$&").replace(/\*+/g, ".*")}$`, "is");
}

/** True if a rule and a matcher can apply to one call: of a known tool, or of one that either of them describes. */
export function canShareTool(rule: string, matcher: string, { names }: KnownTools): boolean {
  const name = toolOfRule(rule);
  const isOfRule = patternOfRule(name);
  const described = [name.replaceAll("*", "x"), ...matcher.split("|").map((part) => part.replace(/\.[*+]/g, "x"))];
  return [...names, ...described].some((tool) => isOfRule.test(tool) && matchesOf(matcher)(tool));
}

function matchesOf(matcher: string): (name: string) => boolean {
  const matches = compileMatcher(matcher);
  return (name) => matches([name]);
}

function mayExist(part: string, { mayHaveMore, exceptMcp }: ComparedTools): boolean {
  if (exceptMcp && LIKE_MCP.test(part)) return true;
  return mayHaveMore && builtInToolFor(part) === undefined;
}

function advice(part: string, { names }: ComparedTools): string {
  const close = builtInToolFor(part) ?? nearest(part, names) ?? nearest(part, BUILT_IN_TOOLS);
  if (close !== undefined && close !== part) return `; did you mean ${JSON.stringify(close)}?`;
  if (names.length === 0) return "; the agent has no tools";
  return names.length > MAX_LISTED ? "" : `; known tools are ${names.join(", ")}`;
}
