import { escapeGlob, matchesGlob } from "../../lib/files/glob.ts";
import { compilePattern, type Pattern } from "../../pattern/pattern.ts";
import type { CommandLine } from "../../shell/command-line.ts";
import {
  type CommandPattern,
  compileCommandPattern,
  coversCommand,
  hitsCommand,
  readForShell,
  runsEach,
} from "../../shell/command-pattern.ts";
import { readPlainCommand } from "../../shell/plain-command.ts";
import type { Tool } from "../../tools/tool.ts";
import { commandArgumentOf, isToolOf } from "../../tools/tool-names.ts";

/** Rules of one level, each a pattern on a tool name and its arguments. */
export interface Permissions {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

export const NO_PERMISSIONS: Permissions = { allow: [], ask: [], deny: [] };

/** A call as rules see it: its names (the visible one first), its arguments and its commands. */
export interface CallForRules {
  names: readonly string[];
  input: Readonly<Record<string, unknown>>;
  /** The command line of a shell tool, and its commands, which are parsed when a rule needs them. */
  shell: { text: string; line: () => CommandLine } | undefined;
}

/** The verdict of the rules of one level on a call. */
export type RuleVerdict = "allow" | "ask" | "deny";

/**
 * True if the tool's argument `cmd` is a command line. False for a server's tool of the same name, because only the
 * server knows what it does with its arguments.
 */
export function isShellTool({ name, category }: Pick<Tool, "name" | "category">): boolean {
  return isToolOf(category, name) && commandArgumentOf(name) === "cmd";
}

/** Returns a call as rules see it. */
export function callForRules(
  tool: Pick<Tool, "name" | "qualifiedName" | "category" | "commandEnv">,
  input: Readonly<Record<string, unknown>>,
): CallForRules {
  const names = tool.qualifiedName === undefined ? [tool.name] : [tool.name, tool.qualifiedName];
  const text = isShellTool(tool) ? input["cmd"] : undefined;
  let line: CommandLine | undefined;
  const read = (command: string) => (line ??= readForShell(command, tool.commandEnv));
  return { names, input, shell: typeof text === "string" ? { text, line: () => read(text) } : undefined };
}

/** Returns the verdict of the team's rules: deny beats allow beats ask. */
export function judgeByRules(permissions: Permissions, call: CallForRules): RuleVerdict | undefined {
  return judge(permissions, call, (rules) => allows(rules, call));
}

/**
 * Returns the verdict of the user's grants in this session. A grant for the start of a command line covers only a line
 * that is one simple command, and only up to the end of a word.
 */
export function judgeByGrants(permissions: Permissions, call: CallForRules): RuleVerdict | undefined {
  return judge(permissions, call, (rules) => grants(rules, call));
}

/** Returns the first rule that gives the verdict by itself, in quotes. */
export function ruleBehind(permissions: Permissions, verdict: RuleVerdict, call: CallForRules): string {
  const rule = permissions[verdict].find(
    (each) => judgeByRules({ ...NO_PERMISSIONS, [verdict]: [each] }, call) === verdict,
  );
  return JSON.stringify(rule ?? permissions[verdict].join(", "));
}

/** True if a grant of this session answers a guard that asks: a command line must be one simple command. */
export function isGranted(permissions: Permissions, call: CallForRules): boolean {
  return judgeByGrants(permissions, call) === "allow" && isSimple(call);
}

/** A first word that is an assignment or partly quoted does not name the program. */
const NO_PROGRAM = /^$|[="'\\${~]/;

/**
 * Returns the rule that "always this tool" adds: the tool's name, qualified for a server's tool. For a command line it
 * is the first word, or exactly the line if that word does not name a program or the line runs more than one command: a
 * grant for a first word covers none of these.
 */
export function grantFor(tool: Tool, input: Readonly<Record<string, unknown>>): string {
  const command = input["cmd"];
  if (!isShellTool(tool) || typeof command !== "string") return escapeGlob(tool.qualifiedName ?? tool.name);
  const firstWord = command.trim().split(/\s/, 1)[0] ?? "";
  const isExact = NO_PROGRAM.test(firstWord) || readPlainCommand(command) === undefined;
  const covered = isExact ? escapeGlob(command) : `${escapeGlob(firstWord)}*`;
  return `${escapeGlob(tool.name)}:cmd=${covered}`;
}

function judge(
  { allow, ask, deny }: Permissions,
  call: CallForRules,
  allowed: (rules: readonly Rule[]) => boolean,
): RuleVerdict | undefined {
  if (rulesOf(deny).some((rule) => hits(rule, call))) return "deny";
  if (allowed(rulesOf(allow))) return "allow";
  return rulesOf(ask).some((rule) => hits(rule, call)) ? "ask" : undefined;
}

/** True if a deny or ask rule applies to the call: for a command line, if it applies to any command in it. */
function hits(rule: Rule, call: CallForRules): boolean {
  if (!fits(rule, call, "part")) return false;
  const { shell } = call;
  const commands = shell ? rule.commands : [];
  if (!shell || commands.length === 0) return true;
  if (commands.every(({ glob }) => matchesGlob(glob, shell.text))) return true;
  return shell.line().running.some((running) => commands.every(({ pattern }) => hitsCommand(pattern, running)));
}

/** True if the rules allow the call: for a command line, if every command in it is covered by one of them. */
function allows(rules: readonly Rule[], call: CallForRules, covers = coversAll): boolean {
  const fitting = rules.filter((rule) => fits(rule, call, "whole"));
  const { shell } = call;
  if (!shell) return fitting.length > 0;
  if (fitting.some((rule) => rule.commands.length === 0 || spells(rule, shell.text))) return true;
  if (fitting.length === 0) return false;
  return runsEach(shell.line(), (units) => fitting.some((rule) => covers(rule, units)));
}

/** Rules about commands count only for a line that is one simple command, or that they spell out. */
function grants(rules: readonly Rule[], call: CallForRules): boolean {
  const { shell } = call;
  if (!shell || rules.every(({ commands }) => commands.length === 0)) return allows(rules, call, coversWords);
  const counts = (rule: Rule) => rule.commands.length === 0 || spells(rule, shell.text);
  return allows(isSimple(call) ? rules : rules.filter(counts), call, coversWords);
}

type Covers = (rule: Rule, units: readonly string[]) => boolean;

const coversAll: Covers = ({ commands }, units) => commands.every(({ pattern }) => coversCommand(pattern, units));

/** Like {@link coversAll}, but a prefix must end at the end of a word. */
const coversWords: Covers = ({ commands }, units) =>
  commands.every(({ wordwise }) => wordwise.some((pattern) => coversCommand(pattern, units)));

/** True if a rule without wildcards is exactly this command line, which may hold several commands. */
function spells({ commands }: Rule, text: string): boolean {
  return commands.every(({ glob, pattern }) => pattern.literal && matchesGlob(glob, text));
}

/** True unless the call is a command line that is more than one simple command. */
export function isSimple({ shell }: CallForRules): boolean {
  return !shell || readPlainCommand(shell.text) !== undefined;
}

/** A parsed rule. */
interface Rule {
  name: string;
  /** On plain arguments, and every regular expression, which sees even a command line as text. */
  conditions: readonly { argument: string; matches: (text: string, extent: Extent) => boolean }[];
  /** On the command line of a shell tool; elsewhere `cmd` is an argument like any other. */
  commands: readonly { glob: string; pattern: CommandPattern; wordwise: readonly CommandPattern[] }[];
}

/** A regular expression of a rule that allows must match a whole argument, of any other rule a part of it. */
type Extent = "whole" | "part";

/**
 * True if the tool's name and every condition that does not concern commands match. A missing argument never matches.
 */
function fits({ name, conditions, commands }: Rule, call: CallForRules, extent: Extent): boolean {
  if (!call.names.some((candidate) => matchesGlob(name, candidate))) return false;
  const globs = call.shell
    ? []
    : commands.map(({ glob }) => ({ argument: "cmd", matches: (text: string) => matchesGlob(glob, text) }));
  return [...conditions, ...globs].every(({ argument, matches }) => {
    const text = argumentText(call.input, argument);
    return text !== undefined && matches(text, extent);
  });
}

/** Parsed rules by list. When the user grants more, the list is replaced, never changed. */
const parsed = new WeakMap<readonly string[], readonly Rule[]>();

function rulesOf(list: readonly string[]): readonly Rule[] {
  const known = parsed.get(list);
  if (known) return known;
  const rules = list.map(parseRule);
  parsed.set(list, rules);
  return rules;
}

/** Parses a rule. Only a colon before `word=` or `word~=` starts a condition; others belong to the name or value. */
function parseRule(text: string): Rule {
  const [name = "", ...parts] = text.split(/:(?=\w+~?=)/);
  const all = parts.map((part) => {
    const [, argument = "", tilde, value = ""] = /^(\w+)(~?)=([^]*)$/.exec(part) ?? [];
    return { argument, isExpression: tilde === "~", value };
  });
  return {
    name,
    conditions: all
      .filter(({ argument, isExpression }) => argument !== "cmd" || isExpression)
      .map(({ argument, isExpression, value }) => ({
        argument,
        matches: isExpression ? expression(value) : (text) => matchesGlob(value, text),
      })),
    commands: all
      .filter(({ argument, isExpression }) => argument === "cmd" && !isExpression)
      .map(({ value }) => ({
        glob: value,
        pattern: compileCommandPattern(value),
        wordwise:
          value.endsWith("*") && !/\s\*$/.test(value)
            ? [compileCommandPattern(value.slice(0, -1)), compileCommandPattern(`${value.slice(0, -1)} *`)]
            : [compileCommandPattern(value)],
      })),
  };
}

function expression(source: string): (text: string, extent: Extent) => boolean {
  const patterns: Record<Extent, Pattern> = {
    whole: compilePattern(source),
    part: compilePattern(`(?s:.*)(?:${source})(?s:.*)`),
  };
  return (text, extent) => patterns[extent].test(text);
}

function argumentText(input: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = Object.hasOwn(input, name) ? input[name] : undefined;
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}
