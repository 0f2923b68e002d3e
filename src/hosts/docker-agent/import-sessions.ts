import { errorText, UserError } from "../../lib/errors.ts";
import { counted } from "../../lib/text/counted.ts";
import { messagesOf, type Session } from "../../runtime/session/session.ts";
import { isSessionId } from "../../runtime/session/session-id.ts";
import type { Store } from "../../runtime/store/store.ts";
import type { ImportedRow } from "./report.ts";
import type { SessionDatabase } from "./session-database.ts";
import { readSourceSession } from "./source-session.ts";

/** The most characters of a title or a name in a line of the report. */
const MAX_NAME = 60;

export interface SessionImport {
  db: SessionDatabase;
  store: Store;
  /** The name of the database in the report. */
  place: string;
  /** Reads and checks everything, and stores nothing. */
  dryRun: boolean;
}

/**
 * Imports every conversation that the store does not have, each with its sub-sessions in one transaction. Never changes
 * a stored session. Returns the outcome of each.
 */
export function importSessions(options: SessionImport): ImportedRow[] {
  const { db, place } = options;
  return [
    ...db.conversations.map((id) => ({ place, ...importSession(options, id) })),
    ...db.unreachable.map((id): ImportedRow => ({ place, status: "left", subject: quoted(id), remarks: [CYCLE] })),
  ];
}

const CYCLE = "its parent sessions form a cycle";

function quoted(id: string): string {
  return `session ${JSON.stringify(shortened(id))}`;
}

function importSession({ db, store, dryRun }: SessionImport, id: string): Omit<ImportedRow, "place"> {
  const subject = quoted(id);
  if (!isSessionId(id)) return { status: "left", subject, remarks: ["--session could not name its id"] };
  if (store.has(id)) return { status: "present", subject: `session ${id}`, remarks: [] };
  try {
    const { sessions, losses } = readSourceSession(db, id);
    const taken = sessions.flatMap(idsOf).find((each) => store.has(each));
    if (taken !== undefined) return { status: "left", subject, remarks: [`hooksh has another session ${taken}`] };
    if (!dryRun) store.add(sessions);
    return { status: losses.length > 0 ? "lossy" : "imported", subject: subjectOf(sessions), remarks: losses };
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error)) throw error; // the store, not this session
    return { status: "left", subject, remarks: [errorText(error)] };
  }
}

function subjectOf([main, ...unfinished]: readonly Session[]): string {
  if (!main) return "";
  const children = idsOf(main).length - 1 + unfinished.flatMap(idsOf).length;
  const size = [
    counted(messagesOf(main).length, "message"),
    ...(children > 0 ? [counted(children, "sub-session")] : []),
  ];
  return `session ${main.id} ${JSON.stringify(shortened(main.title))} (${size.join(", ")})`;
}

/** Returns the ids of a session and of the sub-sessions in its items. */
function idsOf(session: Session): string[] {
  return [session.id, ...session.items.flatMap((item) => (item.kind === "subsession" ? idsOf(item.session) : []))];
}

function shortened(text: string): string {
  return text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}...` : text;
}
