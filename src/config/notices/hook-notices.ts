import { existsSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { BUILTINS } from "../../../builtins/index.ts";
import type { Help } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/paths.ts";
import { isObject } from "../../lib/json.ts";
import type { BuiltinRow } from "../../protocol/builtin.ts";
import { contractOf } from "../../protocol/events.ts";
import { ownHooksOf, teamHooksOf } from "../agent/agent-hooks.ts";
import type { Agent } from "../agent/resolve-agent.ts";
import {
  type HookEnvironment,
  type HookScript,
  hasQuotedHookDir,
  scriptOfHook,
  scriptProblem,
} from "../hooks/hook-script.ts";
import { loadHooksBlocks } from "../hooks/hook-sources.ts";
import { displayName, type HookEntry, yieldsToRules } from "../hooks/read-hooks.ts";
import { BUILT_IN_TOOLS } from "../toolsets/built-in-tools.ts";
import { type Document, type Path, renderProblems } from "../yaml/document.ts";
import { toolsOfAgent } from "./known-tools.ts";
import { guardGaps, type TeamScope } from "./unguarded-tools.ts";
import {
  type ComparedTools,
  canShareTool,
  isForOtherAgents,
  unmatchedLevel,
  unmatchedRule,
  unmatchedTool,
} from "./unmatched-names.ts";

const NO_TOOL_OF_THIS_NAME: Help = {
  cause: "No tool of the agent has this name, so the hook would never run, or the rule never apply.",
  cure: "Use hooksh's own name, such as `shell`, `write_file` or `fetch`, from `/tools` or from [tools](tools.md).",
};

const MODEL_HOOK_IS_NOT_ASKED: Help = {
  cause:
    "An allow rule answers in place of a model hook in the default lane of `pre_tool_use`, so the hook is not asked.",
  cure: "Remove the rule, or set `preempt_yolo: true` on the group of the [model hook](model-hooks.md).",
};

/** The subject of a notice. */
export type NoticeKind =
  | "matcher"
  | "timeout"
  | "relative"
  | "script"
  | "observe"
  | "rule"
  | "unguarded"
  | "judge"
  | "failure"
  | "idle"
  | "evaluator";

/**
 * What a notice means. `remark`: `validate --strict` accepts it. `broken`: the hook cannot run. `fatal`: the hook can
 * guard nothing, so a run stops.
 */
export type NoticeLevel = "remark" | "warning" | "broken" | "fatal";

/** A likely mistake in a hook or a rule that does not prevent loading. */
export interface HookNotice {
  kind: NoticeKind;
  /** `file:line:column: path: message`; for a hook of a flag, `flag: message`. */
  text: string;
  level: NoticeLevel;
  /** The matcher, of a notice about one. */
  matcher?: string;
}

/** The hooks and rules to check, and where they run. */
export interface NoticeScope extends HookEnvironment {
  /** The agents whose hooks are checked. Without it only the user's are. */
  file?: TeamScope;
  /** All agents of the file, if `file` has only some of them. */
  team?: readonly Agent[];
  /** The hooks that apply to every agent, from outside the agent file. */
  user: readonly HookEntry[];
  /** The user's `config.yaml`, whose rules apply to every agent. */
  config?: Document | undefined;
}

/** A likely mistake at a key of a hook or its group. */
interface Finding {
  key: "command" | "matcher" | "timeout" | "mode" | "schema" | "evaluator" | "on_error" | "other_exit_codes";
  message: string;
  help?: Help;
}

interface Check {
  kind: NoticeKind;
  level?: NoticeLevel;
  find: (entry: HookEntry, scope: NoticeScope, tools: ComparedTools) => Finding | undefined;
}

/** In seconds. A larger value was probably meant as milliseconds. */
const LONGEST_TIMEOUT = 600;

/** The checks of hooks, in the order of their notices. */
const NOTICE_CHECKS: readonly Check[] = [
  { kind: "matcher", find: unmatched },
  { kind: "timeout", find: longTimeout },
  { kind: "relative", find: relativeScript },
  { kind: "script", level: "broken", find: brokenScript },
  { kind: "script", level: "broken", find: quotedHookDir },
  { kind: "observe", find: observed },
  { kind: "failure", find: failingOpen },
  { kind: "idle", find: idleBuiltin },
  { kind: "evaluator", find: evaluatorWithoutFile },
  { kind: "failure", find: blockingAnyway },
];

/**
 * Returns the notices about hooks and rules in configuration order, each once. Starts no process and fetches nothing.
 */
export async function hookNotices(scope: NoticeScope): Promise<HookNotice[]> {
  const groups: Group[] = [
    ...(scope.file ? await groupsOfFile(scope.file) : []),
    { entries: scope.user, tools: toolsForUserHooks(scope.file), isShared: true },
  ];
  const every = toolsForUserHooks(scope.file && { ...scope.file, agents: scope.team ?? scope.file.agents });
  const notices = new Map<string, HookNotice>();
  for (const { entries, tools, isShared = false } of groups) {
    for (const entry of entries) {
      for (const { kind, level = "warning", find } of NOTICE_CHECKS) {
        const finding = find(entry, scope, tools);
        if (!finding) continue;
        const text = await render(entry, finding);
        notices.set(text, {
          kind,
          text,
          ...(kind === "matcher"
            ? { level: await levelOf(entry.matcher, every, isShared), matcher: entry.matcher }
            : { level }),
        });
      }
    }
  }
  const entries = groups.flatMap((group) => group.entries);
  return [
    ...notices.values(),
    ...(await gapNotices(scope)),
    ...(await ruleNotices(scope)),
    ...(await judgeNotices(scope, entries)),
  ];
}

async function levelOf(matcher: string, every: ComparedTools, isShared: boolean): Promise<NoticeLevel> {
  const level = unmatchedLevel(matcher, every);
  return level === "fatal" && isShared && (await isForOtherAgents(matcher)) ? "remark" : level;
}

async function gapNotices({ file, team }: NoticeScope): Promise<HookNotice[]> {
  const gaps = file ? await guardGaps({ ...file, agents: team ?? file.agents }) : [];
  const lines = gaps.map(({ entry: { document, path }, message, help }) =>
    document ? renderProblems(document, [{ path, message, help }]) : [],
  );
  return (await Promise.all(lines)).flat().map((text) => ({ kind: "unguarded", text, level: "warning" }));
}

async function ruleNotices({ file, config }: NoticeScope): Promise<HookNotice[]> {
  const find = (tools: ComparedTools) => (rule: string) => unmatchedRule(rule, tools) ?? [];
  const ofFile = file
    ? await findInRules(file.document, ["permissions"], find(toolsOfAllAgents(file)), NO_TOOL_OF_THIS_NAME)
    : [];
  const ofUser = config
    ? await findInRules(config, ["settings", "permissions"], find(toolsForUserHooks(file)), NO_TOOL_OF_THIS_NAME)
    : [];
  return [...ofFile, ...ofUser].map((text) => ({ kind: "rule", text, level: "warning" }));
}

/** Names each allow rule with each model hook that is not asked about a call that the rule covers. */
async function judgeNotices({ file, config }: NoticeScope, entries: readonly HookEntry[]): Promise<HookNotice[]> {
  const judges = entries.filter(yieldsToRules);
  if (judges.length === 0) return [];
  const places = await Promise.all(judges.map(async (judge) => ({ judge, place: await judge.source() })));
  const tools = toolsForUserHooks(file);
  const find = (rule: string, list: string) =>
    places
      .filter(({ judge }) => list === "allow" && canShareTool(rule, judge.matcher, tools))
      .map(
        ({ judge, place }) =>
          `the model hook ${displayName(judge.hook)} (${place}) is not asked about calls that ${JSON.stringify(rule)} covers; ` +
          "preempt_yolo: true on its group has it asked about every call",
      );
  const ofFile = file ? await findInRules(file.document, ["permissions"], find, MODEL_HOOK_IS_NOT_ASKED) : [];
  const ofUser = config ? await findInRules(config, ["settings", "permissions"], find, MODEL_HOOK_IS_NOT_ASKED) : [];
  return [...ofFile, ...ofUser].map((text) => ({ kind: "judge", text, level: "warning" }));
}

/** Returns the messages about the rules at a path in a document, with their place. */
async function findInRules(
  document: Document,
  path: Path,
  find: (rule: string, list: string) => string | readonly string[],
  help: Help,
): Promise<string[]> {
  const rules = path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document.value);
  const problems = Object.entries(isObject(rules) ? rules : {}).flatMap(([key, list]) =>
    (Array.isArray(list) ? list : []).flatMap((rule: unknown, index) =>
      (typeof rule === "string" ? [find(rule, key)].flat() : []).map((message) => ({
        path: [...path, key, index],
        message,
        help,
      })),
    ),
  );
  return renderProblems(document, problems);
}

interface Group {
  entries: readonly HookEntry[];
  tools: ComparedTools;
  /** True for hooks from outside the agent file, which may guard other agents, too. */
  isShared?: boolean;
}

async function groupsOfFile(file: NonNullable<NoticeScope["file"]>): Promise<Group[]> {
  const blocks = new Map(
    file.agents.flatMap((agent) => teamHooksOf(file, agent)).map((block) => [block.document, block]),
  );
  const team = await loadHooksBlocks([...blocks.values()]);
  const own = file.agents.map(async (agent): Promise<Group> => {
    const tools = toolsOfAgent(agent, agent.origin ?? file);
    return {
      entries: await loadHooksBlocks([ownHooksOf(file, agent)]),
      tools: { ...tools, called: `tool of agent ${agent.name}`, exceptMcp: false },
    };
  });
  return [{ entries: team, tools: toolsOfAllAgents(file) }, ...(await Promise.all(own))];
}

/** The rules of a file apply to all its agents, also to those from other files. */
function toolsOfAllAgents(file: NonNullable<NoticeScope["file"]>): ComparedTools {
  const tools = file.agents.map((agent) => toolsOfAgent(agent, agent.origin ?? file));
  const names = file.agents.map(({ name }) => name);
  const hasAllAgents = file.agents.every(({ sub_agents = [], handoffs = [] }) =>
    [...sub_agents, ...handoffs].every((name) => names.includes(name)),
  );
  return {
    names: [...new Set(tools.flatMap((known) => known.names))],
    mayHaveMore: !hasAllAgents || tools.some(({ mayHaveMore }) => mayHaveMore),
    called: "tool of the agents",
    exceptMcp: false,
  };
}

/** The user's hooks and rules may be meant for the tools of any agent. */
function toolsForUserHooks(file: NoticeScope["file"]): ComparedTools {
  const team = file ? toolsOfAllAgents(file) : { names: [], mayHaveMore: false };
  return {
    names: [...new Set([...BUILT_IN_TOOLS, ...team.names])],
    mayHaveMore: team.mayHaveMore,
    called: "built-in tool",
    exceptMcp: true,
  };
}

async function render({ document, path, source }: HookEntry, { key, message }: Finding): Promise<string> {
  if (!document) return `${await source()}: ${message}`;
  const at = key === "matcher" ? path.slice(0, path.lastIndexOf("hooks")) : path;
  const [line = message] = await renderProblems(document, [{ path: [...at, key], printedPath: at, message }]);
  return line;
}

function unmatched({ event, matcher }: HookEntry, _place: HookEnvironment, tools: ComparedTools): Finding | undefined {
  const message = contractOf(event).matcher ? unmatchedTool(matcher, tools) : undefined;
  return message === undefined ? undefined : { key: "matcher", message, help: NO_TOOL_OF_THIS_NAME };
}

function longTimeout({ hook: { timeout } }: HookEntry): Finding | undefined {
  if (timeout <= LONGEST_TIMEOUT) return undefined;
  return {
    key: "timeout",
    message: `timeout: ${timeout} seconds are ${Math.round(timeout / 60)} minutes; timeouts are in seconds`,
  };
}

function observed({ event, hook }: HookEntry): Finding | undefined {
  if (hook.mode !== "observe") return undefined;
  const effect = contractOf(event).canBlock ? "its verdict is reported, not enforced" : "its answer has no effect";
  return { key: "mode", message: `${displayName(hook)} only observes: ${effect}` };
}

/** Finds guards that ask a model, whose failure lets the event go on. */
function failingOpen({ event, hook }: HookEntry): Finding | undefined {
  const { failClosed, canBlock } = contractOf(event);
  if (hook.schema !== "guard_decision" || !canBlock || failClosed || hook.on_error === "block") return undefined;
  return {
    key: "schema",
    message: `${displayName(hook)} does not block if its model fails or gives no valid verdict; on_error: block makes it block`,
  };
}

/** Finds builtins that do nothing on their event or with their arguments. */
function idleBuiltin({ event, hook }: HookEntry): Finding | undefined {
  if (hook.type !== "builtin" || !Object.hasOwn(BUILTINS, hook.command)) return undefined;
  const row: BuiltinRow = BUILTINS[hook.command as keyof typeof BUILTINS];
  const reason = row.idleReason?.(event, hook.args);
  return reason === undefined
    ? undefined
    : { key: "command", message: `${hook.command} does nothing here: it ${reason}` };
}

/** Finds hooks that only run with an agent file: no other file defines evaluators. */
function evaluatorWithoutFile({ hook: { type, evaluator } }: HookEntry, { file }: NoticeScope): Finding | undefined {
  if (type !== "evaluator" || file) return undefined;
  return {
    key: "evaluator",
    message: `only an agent file can define evaluator ${JSON.stringify(evaluator)}; where none does, this hook is an error`,
  };
}

/** Finds settings that should let a failing hook pass, on events where it never does. */
function blockingAnyway({ event, hook }: HookEntry): Finding | undefined {
  const { failClosed, reading } = contractOf(event);
  if (!failClosed || reading === undefined) return undefined;
  if (hook.on_error === "ignore" || hook.on_error === "warn")
    return {
      key: "on_error",
      message: `on_error: ${hook.on_error} has no effect on ${event}: a hook that fails blocks`,
    };
  if (reading !== "approval" || hook.other_exit_codes === "") return undefined;
  const message = `other_exit_codes: allow has no effect on ${event}: only exit code 0 approves`;
  return { key: "other_exit_codes", message };
}

/** Finds relative paths in hooks from outside the working directory: the agent could put its own file there. */
function relativeScript(entry: HookEntry, place: HookEnvironment): Finding | undefined {
  const script = scriptOfHook(entry, place);
  if (!script || !isDeclaredElsewhere(entry, script, place)) return undefined;
  const state = scriptProblem(script, place.env) === undefined ? "" : ", where it is missing or cannot run";
  const instead =
    entry.directory === undefined
      ? "write an absolute path"
      : `write "\${hook_dir}/${withoutDot(script.written)}" for the file next to this configuration`;
  return {
    key: "command",
    message: `${JSON.stringify(script.written)} is looked for in the working directory${state}, and the agent can write there; ${instead}`,
  };
}

function withoutDot(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}

function isDeclaredElsewhere(
  { document, directory }: HookEntry,
  { isRelative, start, base }: HookScript,
  { workingDir }: HookEnvironment,
): boolean {
  if (!document || !isRelative || start === "name" || !isInside(real(base), real(workingDir))) return false;
  return directory === undefined || !isInside(real(directory), real(workingDir));
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function quotedHookDir(entry: HookEntry): Finding | undefined {
  if (!hasQuotedHookDir(entry)) return undefined;
  return { key: "command", message: "${hook_dir} is not expanded inside single quotes: use double quotes" };
}

function brokenScript(entry: HookEntry, place: HookEnvironment): Finding | undefined {
  const script = scriptOfHook(entry, place);
  if (!script || isDeclaredElsewhere(entry, script, place)) return undefined;
  const message = scriptProblem(script, place.env);
  if (message === undefined) return undefined;
  const { isRelative, start, written } = script;
  const besideConfig =
    entry.directory !== undefined && isRelative && start !== "name" ? resolve(entry.directory, written) : undefined;
  if (besideConfig === undefined || existsSync(script.path) || !existsSync(besideConfig))
    return { key: "command", message };
  return {
    key: "command",
    message: `${message}; write "\${hook_dir}/${withoutDot(written)}" for the file next to this configuration`,
  };
}
