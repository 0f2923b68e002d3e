import { plainWords } from "../lib/shell-safety/words.ts";
import type { Tool } from "../tools/tool.ts";
import { escapeGlob, matchesGlob } from "./glob.ts";

/** Rules of one level, each a pattern on a tool name and its arguments. Source: runtime 8.4. */
export interface Permissions {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** No rules at all. */
export const NO_PERMISSIONS: Permissions = { allow: [], ask: [], deny: [] };

/** A call as rules see it: its names (the visible one first) and its arguments. */
export interface RuledCall {
  names: readonly string[];
  input: Readonly<Record<string, unknown>>;
  /** See {@link isShellTool}. */
  isShell: boolean;
}

/** What the rules of a level say about a call. */
export type RuleVerdict = "allow" | "ask" | "deny";

/** Tools whose argument `cmd` is a command line, with their categories. */
const SHELL_TOOLS: Readonly<Record<string, string>> = { shell: "shell", run_background_job: "background_jobs" };

/**
 * True when the tool's argument `cmd` is a command line. What a server offers under such a name is not: nobody knows
 * what it does with its arguments.
 */
export function isShellTool({ name, category }: Pick<Tool, "name" | "category">): boolean {
  return Object.hasOwn(SHELL_TOOLS, name) && SHELL_TOOLS[name] === category;
}

/** A call as rules see it. */
export function ruledCall(tool: Tool, input: Readonly<Record<string, unknown>>): RuledCall {
  const names = tool.qualifiedName === undefined ? [tool.name] : [tool.name, tool.qualifiedName];
  return { names, input, isShell: isShellTool(tool) };
}

/** The verdict of the team's rules: deny beats allow beats ask. */
export function judgeByRules(permissions: Permissions, call: RuledCall): RuleVerdict | undefined {
  return judge(permissions, call, matchesRule);
}

/**
 * The verdict of what the user granted in this session. A grant for the beginning of a command line covers only a
 * single simple command: it must not stretch to whatever follows a semicolon.
 */
export function judgeByGrants(permissions: Permissions, call: RuledCall): RuleVerdict | undefined {
  return judge(permissions, call, coversSimply);
}

/** True when a grant of this session answers for a guard that asks: a command line must be one simple command. */
export function isGranted(permissions: Permissions, call: RuledCall): boolean {
  return judgeByGrants(permissions, call) === "allow" && isSimpleCommand(call);
}

/** A first word that is an assignment or partly quoted says nothing of the program behind it. */
const NO_PROGRAM = /^$|[="'\\${~]/;

/**
 * The rule that "always this tool" adds: the tool, of a server by its qualified name; or for a command line its first
 * word, and the whole line where that does not name a program.
 *
 * Source: runtime 8.6.
 */
export function grantFor(tool: Tool, input: Readonly<Record<string, unknown>>): string {
  const command = input["cmd"];
  if (!isShellTool(tool) || typeof command !== "string") return escapeGlob(tool.qualifiedName ?? tool.name);
  const firstWord = command.trim().split(/\s/, 1)[0] ?? "";
  const covered = NO_PROGRAM.test(firstWord) ? escapeGlob(command) : `${escapeGlob(firstWord)}*`;
  return `${escapeGlob(tool.name)}:cmd=${covered}`;
}

function judge(
  permissions: Permissions,
  call: RuledCall,
  allows: (rule: string, call: RuledCall) => boolean,
): RuleVerdict | undefined {
  if (permissions.deny.some((rule) => matchesRule(rule, call))) return "deny";
  if (permissions.allow.some((rule) => allows(rule, call))) return "allow";
  return permissions.ask.some((rule) => matchesRule(rule, call)) ? "ask" : undefined;
}

/** True when a rule's tool name and every condition match. A missing argument never matches. */
export function matchesRule(rule: string, call: RuledCall): boolean {
  const { name, conditions } = parseRule(rule);
  if (!call.names.some((candidate) => matchesGlob(name, candidate))) return false;
  return conditions.every(({ argument, glob }) => {
    const text = argumentText(call.input, argument);
    return text !== undefined && matchesGlob(glob, text);
  });
}

/** {@link matchesRule}, and for a condition on a command line: one simple command, the prefix ending with a word. */
function coversSimply(rule: string, call: RuledCall): boolean {
  if (!matchesRule(rule, call)) return false;
  const globs = parseRule(rule).conditions.filter(({ argument }) => argument === "cmd").map(({ glob }) => glob);
  if (globs.length === 0 || !call.isShell) return true;
  return isSimpleCommand(call) && globs.every((glob) => endsWithWord(glob, String(call.input["cmd"])));
}

function isSimpleCommand({ isShell, input }: RuledCall): boolean {
  return !isShell || (typeof input["cmd"] === "string" && plainWords(input["cmd"]) !== undefined);
}

function endsWithWord(glob: string, command: string): boolean {
  if (!glob.endsWith("*")) return true;
  const prefix = glob.slice(0, -1);
  return /\s$/.test(prefix) || matchesGlob(prefix, command) || matchesGlob(`${prefix}[ \t]*`, command);
}

interface Condition {
  argument: string;
  glob: string;
}

/** Only a colon before `word=` begins a condition; every other one belongs to the name or the value. */
function parseRule(rule: string): { name: string; conditions: Condition[] } {
  const [name = "", ...rest] = rule.split(/:(?=\w+=)/);
  const conditions = rest.map((part) => {
    const equals = part.indexOf("=");
    return { argument: part.slice(0, equals), glob: part.slice(equals + 1) };
  });
  return { name, conditions };
}

function argumentText(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
