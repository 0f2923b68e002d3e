/** Appends numbered messages to a session and prints each number once it is stored: FILE ID COUNT (0: endless). */
import { writeSync } from "node:fs";
import { textMessage } from "../../../src/model/messages/message.ts";
import { createSession, type SessionItem } from "../../../src/runtime/session/session.ts";
import { openStore } from "../../../src/runtime/store/store.ts";

const [path = "", id = "", count = "0"] = process.argv.slice(2);
const session = createSession("/", { id });
const journal = openStore(path).journal({ required: true, warn: (message) => writeSync(2, `${message}\n`) });
for (let n = 0; count === "0" || n < Number(count); n++) {
  const item: SessionItem = { kind: "message", agent: "root", message: textMessage("user", `${n}`) };
  session.items.push(item);
  journal.append(session, item);
  writeSync(1, `${n}\n`);
}
