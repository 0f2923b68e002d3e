import { nearest } from "../../lib/text/nearest.ts";
import { compileMatcher } from "../../pattern/matcher.ts";
import { literalNames } from "../../pattern/plain-names.ts";
import { BUILT_IN_TOOLS, builtInToolFor } from "../toolsets/built-in-tools.ts";
import type { KnownTools } from "./known-tools.ts";

/** The tools that a matcher is compared with, and what a message calls them. */
export interface ComparedTools extends KnownTools {
  /** `tool of agent root`, `built-in tool`. */
  called: string;
  /** True if a name that looks like a tool of an MCP server cannot be judged. */
  exceptMcp: boolean;
}

const LIKE_MCP = /mcp|__|:/i;

/** More names than this are no help in a message. */
const MAX_LISTED = 12;

/** Why a matcher, or a name in it, matches none of the tools; undefined if it does match, or may. */
export function unmatchedTool(matcher: string, tools: ComparedTools): string | undefined {
  if (matcher === "" || matcher === "*") return undefined;
  const parts = literalNames(matcher) ?? [matcher];
  const unmatched = parts.filter((part) => !tools.names.some(matchesOf(part)));
  // One name of several may be for another agent; it is only a mistake if nothing has such a tool.
  const wrong =
    unmatched.length < parts.length ? unmatched.filter((part) => !BUILT_IN_TOOLS.includes(part)) : unmatched;
  const found = wrong.find((part) => !mayExist(part, tools));
  if (found === undefined) return undefined;
  const subject = parts.length === 1 ? "matcher" : `matcher ${JSON.stringify(matcher)}: the name`;
  return `${subject} ${JSON.stringify(found)} matches no ${tools.called}${advice(found, tools)}`;
}

/** A literal name in a rule; `*` matches any characters. */
const RULE_NAME = /^[\w:*./-]+$/;

/** Why the tool name of a permission rule matches none of the tools; undefined if it does match, or may. Case does not count. */
export function unmatchedRule(rule: string, tools: ComparedTools): string | undefined {
  const [name = ""] = rule.split(/:(?=\w+~?=)/);
  if (!RULE_NAME.test(name) || mayExist(name, tools)) return undefined;
  const pattern = new RegExp(`^${name.replace(/[.]/g, "\\.").replace(/\*+/g, ".*")}$`, "is");
  if (tools.names.some((tool) => pattern.test(tool))) return undefined;
  return `rule ${JSON.stringify(rule)} matches no ${tools.called}${advice(name, tools)}`;
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
  if (names.length === 0) return "; it has no tools";
  return names.length > MAX_LISTED ? "" : `; known are ${names.join(", ")}`;
}
