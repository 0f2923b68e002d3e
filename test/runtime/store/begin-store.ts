import { join } from "node:path";
import { fromHookMessage } from "../../../src/model/messages/hook-messages.ts";
import type { Message } from "../../../src/protocol/fields.ts";
import type { MessageItem, Session, SessionItem } from "../../../src/runtime/session/session.ts";
import { openStore } from "../../../src/runtime/store/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

export const message = (fields: Message): MessageItem => ({
  kind: "message",
  agent: "root",
  message: fromHookMessage(fields),
});
export const say = (content: string) => message({ role: "user", content });

/** Returns a store in a new directory, with a journal and its warnings. */
export function begin(options: { required?: boolean; path?: string } = {}) {
  const path = options.path ?? join(tempDir(), "data", "session.db");
  const warnings: string[] = [];
  const store = openStore(path, { busyTimeoutMs: 20 });
  const journal = store.journal({ required: options.required ?? false, warn: (message) => warnings.push(message) });
  const append = (session: Session, ...items: SessionItem[]) => {
    for (const item of items) {
      session.items.push(item);
      journal.append(session, item);
    }
  };
  return { path, store, journal, warnings, append };
}
