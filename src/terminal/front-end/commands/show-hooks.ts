import { displayName } from "../../../config/hooks/read-hooks.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import type { Conversation } from "../prompt-session.ts";

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
