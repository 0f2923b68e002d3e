import { UserError } from "../../../lib/errors.ts";
import { untilAborted } from "../../../lib/settle-within.ts";
import { roundedDuration } from "../../../lib/text/duration.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { backgroundWork, lastLineOf, type OwnedWork } from "../../../runtime/conversation/background-work.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";
import { cut } from "./show-state.ts";

const STOP = "stop";

/** `/tasks [stop ID]`: lists the commands and agents that work in the background, or stops one. */
export async function showTasks(conversation: Conversation, typed: string): Promise<void> {
  const { runtime, terminal, control } = conversation;
  const all = backgroundWork(runtime);
  const [verb, id, ...rest] = typed.split(/\s+/);
  if (typed === "") {
    const rows = (await Promise.all(all.map(rowsOf))).flat().map((row) => cut(row, terminal.size.columns - 1));
    const hint = all.some(isRunning) ? ["/tasks stop ID stops one"] : [];
    return terminal.note(rows.length > 0 ? [...rows, ...hint].join("\n") : "nothing works in the background");
  }
  if (verb !== STOP || rest.length > 0) throw new UserError("expected /tasks or /tasks stop ID");
  const work = chosen(all, id);
  terminal.note(`(${escapeControls(work.id)} is being stopped)`);
  await untilAborted(work.stop(), control.runSignal);
  terminal.note(`(${escapeControls(work.id)} ${work.status()})`);
}

/** Returns what may follow `/tasks`: `stop ID` for everything that runs. */
export function taskChoices({ runtime }: Conversation): Choice<string>[] {
  return backgroundWork(runtime)
    .filter(isRunning)
    .map(({ id, what }) => ({
      value: `${STOP} ${id}`,
      label: escapeControls(`${STOP} ${id}`),
      description: escapeControls(what),
    }));
}

/** Returns the work to stop. Without an id, it is the only one that runs. */
function chosen(all: readonly OwnedWork[], id: string | undefined): OwnedWork {
  const running = all.filter(isRunning);
  if (running.length === 0) throw new UserError("nothing runs in the background");
  const found = id === undefined ? running : all.filter((work) => work.id === id);
  const [work] = found;
  const ids = running.map((each) => each.id).join(", ");
  if (!work) throw new UserError(`no task ${JSON.stringify(id)}; running: ${ids}`);
  if (found.length > 1) throw new UserError(`which one? running: ${ids}`);
  if (!isRunning(work)) throw new UserError(`${work.id} is not running (${work.status()})`);
  return work;
}

function isRunning(work: OwnedWork): boolean {
  return work.status() === "running";
}

/** Returns a row for the work, and one for the last line of its output if there is one to show. */
async function rowsOf(work: OwnedWork): Promise<string[]> {
  const last = await lastLineOf(work);
  const age = roundedDuration(Date.now() - work.startedAt);
  const rows = [
    `${work.id}  ${work.status()}, started ${age} ago  ${work.what}`,
    ...(last === "" ? [] : [`    ${last}`]),
  ];
  return rows.map(escapeControls);
}
