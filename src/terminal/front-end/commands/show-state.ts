import { displayName } from "../../../config/hooks/read-hooks.ts";
import { isObject } from "../../../lib/json.ts";
import { columnsOf } from "../../../lib/platform.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import type { Conversation } from "../prompt-session.ts";
import { ageAndLength } from "./resume-session.ts";

/** Sessions that `/sessions` lists. */
const LISTED = 20;

/** `/tools`: lists the agent's tools with their arguments. */
export function showTools({ runtime, current, terminal }: Conversation): void {
  const agent = agentOf(runtime, current.session);
  const lines = agent.toolsets
    .flatMap(({ tools }) => tools)
    .map(({ name, description, parameters }) => {
      const [first = ""] = description.trim().split("\n");
      const head = `${escapeControls(name)}(${escapeControls(argumentsOf(parameters))})`;
      return `${head}\n    ${cut(escapeControls(first), terminal.size.columns - 5)}`;
    });
  terminal.note(lines.length > 0 ? lines.join("\n") : `${escapeControls(agent.name)} has no tools`);
}

/** `path, line?, limit?`: the arguments of a tool, optional ones with a question mark. */
function argumentsOf(parameters: unknown): string {
  if (!isObject(parameters) || !isObject(parameters["properties"])) return "";
  const { properties, required } = parameters;
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name);
  return Object.keys(properties)
    .map((name) => (isRequired(name) ? name : `${name}?`))
    .join(", ");
}

/** `/hooks`: shows the hooks of the agent that answers, where each is configured, and how it ended last. */
export async function showHooks({ runtime, current, terminal, outcomes }: Conversation): Promise<void> {
  const agent = agentOf(runtime, current.session);
  const hooks = (agent.hooks.hooks ?? []).filter(({ entry }) => !entry.implicit);
  if (hooks.length === 0) return terminal.note(`${escapeControls(agent.name)} has no hooks`);
  const rows = await Promise.all(
    hooks.map(async ({ entry }) => {
      const matcher = entry.matcher === "" ? "" : ` on ${entry.matcher}`;
      const mode = entry.hook.mode === "observe" ? ", only observes" : "";
      const last = outcomes.get(entry.hook) ?? "not run yet";
      return `${entry.event}${matcher}: ${displayName(entry.hook)} (${await entry.source()})${mode}; last: ${last}`;
    }),
  );
  terminal.note(rows.map(escapeControls).join("\n"));
}

/** `/sessions`: lists the sessions that were stored last, each with its title and what `/resume` takes. */
export function showSessions({ stored, terminal }: Conversation): void {
  const rows = stored
    .list(LISTED)
    .map(
      (each) => `${escapeControls(each.title || "no title")}\n    ${escapeControls(each.id)} · ${ageAndLength(each)}`,
    );
  terminal.note(rows.length > 0 ? [...rows, "/resume ID continues one"].join("\n") : "no session is stored");
}

/** Returns a text that fits into a number of columns. */
export function cut(text: string, columns: number): string {
  return columnsOf(text) <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
}
