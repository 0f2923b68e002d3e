import { permissionProblem, toolGlobOf } from "../../../config/permissions/permission-rules.ts";
import { UserError } from "../../../lib/errors.ts";
import { matchesGlob } from "../../../lib/files/glob.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nextTools } from "../../../runtime/conversation/context-use.ts";
import type { Permissions } from "../../../runtime/permissions/permissions.ts";
import type { Conversation } from "../prompt-session.ts";
import { DEFAULT_MODE } from "../run-status.ts";
import type { Choice } from "../terminal.ts";
import { MODE_EFFECTS } from "./change-mode.ts";

/** The lists of rules, in the order in which they win within a session or a file. */
const LISTS = ["deny", "allow", "ask"] as const satisfies readonly (keyof Permissions)[];

const USAGE = "/permissions allow|ask|deny|remove RULE, such as /permissions allow shell:cmd=git status*";

/**
 * `/permissions [allow|ask|deny|remove RULE]`: shows the safety mode and all rules with their source, or changes the rules of
 * this session, which are stored with it as the user's answers to questions are. Rules of files stay as they are.
 */
export function changePermissions(conversation: Conversation, typed: string): void {
  if (typed === "") return showPermissions(conversation);
  const [, verb = "", rule = ""] = /^(\S+)\s*([^]*)$/.exec(typed) ?? [];
  const list = LISTS.find((each) => each === verb);
  if (list === undefined && verb !== "remove") throw new UserError(`expected ${USAGE}`);
  if (rule === "") throw new UserError(`/permissions ${verb}: the rule is missing; expected ${USAGE}`);
  if (list === undefined) removeRule(conversation, rule);
  else addRule(conversation, list, rule);
}

/** Returns what may follow `/permissions`: the verbs, and each rule that can be removed. */
export function permissionChoices({ current: { session } }: Conversation): Choice<string>[] {
  const verbs = [
    ["allow", "run such calls without asking; hooks and deny rules still apply"],
    ["ask", "ask about such calls, in every mode"],
    ["deny", "refuse such calls, in every mode"],
  ] as const;
  const removals = LISTS.flatMap((list) =>
    session.permissions[list].map((rule) => ({
      value: `remove ${rule}`,
      label: escapeControls(`remove ${rule}`),
      description: `${list}s in this session`,
    })),
  );
  return [...verbs.map(([value, description]) => ({ value, label: value, description })), ...removals];
}

function showPermissions({ runtime: { team }, current: { session }, terminal }: Conversation): void {
  const files = team.permissionSources ?? new Map([["configuration", team.permissions]]);
  const rules = [["this session", session.permissions] as const, ...files].flatMap(([source, permissions]) =>
    LISTS.flatMap((list) => permissions[list].map((rule) => `${list} ${escapeControls(rule)} (${source})`)),
  );
  const mode = session.safetyMode ?? DEFAULT_MODE;
  const effect = MODE_EFFECTS[mode];
  const heading = `Safety mode: ${escapeControls(mode)}${effect ? `: ${effect}` : ""}`;
  terminal.note(
    [heading, ...(rules.length > 0 ? rules : ["no rules"]), `To change those of this session: ${USAGE}`].join("\n"),
  );
}

function addRule(conversation: Conversation, list: keyof Permissions, rule: string): void {
  const { runtime, current, terminal } = conversation;
  const { permissions } = current.session;
  const problem = permissionProblem(list, rule);
  if (problem !== undefined) throw new UserError(problem);
  if (permissions[list].includes(rule)) throw new UserError(`this session has that rule: ${list} ${rule}`);
  setRules(conversation, { ...permissions, [list]: [...permissions[list], rule] });
  const notes = [
    ...(list === "allow" ? ["hooks and deny rules still apply"] : []),
    ...(list === "ask" && permissions.allow.includes(rule) ? ["an allow rule of this session wins over it"] : []),
    ...(list !== "deny" && [permissions, runtime.team.permissions].some(({ deny }) => deny.includes(rule))
      ? ["a deny rule wins over it"]
      : []),
    ...(isOfTool(conversation, rule) ? [] : ["no tool of this run has that name"]),
  ];
  terminal.note(`(${list} ${escapeControls(rule)} in this session${notes.map((note) => `; ${note}`).join("")})`);
}

/** True if a rule applies to a tool that is offered now, or to one of another agent. */
function isOfTool({ runtime, current }: Conversation, rule: string): boolean {
  const glob = toolGlobOf(rule);
  const toolsets = [...runtime.team.agents.values()].flatMap((agent) => agent.toolsets);
  return [
    ...nextTools(runtime, current.session).map(({ tool }) => tool),
    ...toolsets.flatMap(({ tools }) => tools),
  ].some(
    ({ name, qualifiedName }) =>
      matchesGlob(glob, name) || (qualifiedName !== undefined && matchesGlob(glob, qualifiedName)),
  );
}

function removeRule(conversation: Conversation, rule: string): void {
  const { runtime, current, terminal } = conversation;
  const { permissions } = current.session;
  const lists = LISTS.filter((list) => permissions[list].includes(rule));
  if (lists.length === 0) {
    const isOfFile = LISTS.some((list) => runtime.team.permissions[list].includes(rule));
    throw new UserError(
      isOfFile
        ? `the rule ${rule} stands in a file, which the prompt does not change; a deny rule of it wins over every rule of this session`
        : `this session has no rule ${rule}; /permissions lists all`,
    );
  }
  const without = (list: keyof Permissions) => permissions[list].filter((each) => each !== rule);
  setRules(conversation, { allow: without("allow"), ask: without("ask"), deny: without("deny") });
  terminal.note(`(removed from this session: ${lists.map((list) => `${list} ${escapeControls(rule)}`).join(", ")})`);
}

/** Gives the session other lists: they are replaced, never changed, and stored once the session is. */
function setRules({ runtime, current: { session } }: Conversation, permissions: Permissions): void {
  session.permissions = permissions;
  if (session.items.length > 0) runtime.journal?.update(session);
}
