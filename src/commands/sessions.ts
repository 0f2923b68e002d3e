import { existsSync } from "node:fs";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, printError } from "../cli/print.ts";
import { ANY_FOLDER_FLAG, SESSION_DB_FLAG, sessionFile } from "../cli/session-flags.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";
import { openStore, type Store } from "../runtime/store/store.ts";
import { renderSessionList, renderTranscript } from "../terminal/sessions-text.ts";

const FLAGS = {
  ...ANY_FOLDER_FLAG,
  json: { kind: "switch", description: "list: print a JSON array" },
  limit: { kind: "value", hint: "N", description: "list: only the newest N" },
  thinking: { kind: "switch", description: "show: include the thinking of models" },
  ...SESSION_DB_FLAG,
} as const satisfies FlagSpecs;

type SessionsFlags = CommandInput<typeof FLAGS>["flags"];

/** `hooksh sessions`: lists, shows, removes and exports stored sessions. */
export const command = defineCommand({
  positionals: "list | show ID | rm ID | export ID",
  description:
    "Lists the stored sessions of all folders, newest first; shows one as text; removes one; or exports one as JSON, with\n" +
    "everything that its next request would send. ID is the id of a session, or -1 for the newest of this folder, -2 for\n" +
    "the one before. In the JSON, a message has the keys that hooks see, and blocks: texts, thinking, tool calls and files\n" +
    "in order.",
  flags: FLAGS,
  run: runSessions,
});

const ACTIONS = {
  list: (store: Store, _reference: string, flags: SessionsFlags) => list(store, flags),
  show: (store: Store, reference: string, { thinking }: SessionsFlags) =>
    print(renderTranscript(store.export(reference), { thinking: thinking === true })),
  rm: (store: Store, reference: string) => print(`removed ${store.remove(reference)}`),
  export: (store: Store, reference: string) => print(JSON.stringify(store.export(reference), null, 2)),
} as const;

async function runSessions({ flags, positionals }: CommandInput<typeof FLAGS>): Promise<number> {
  const { foreignAdvice } = await import("../cli/foreign-commands.ts");
  const advice = foreignAdvice(`sessions ${positionals[0]}`);
  if (advice !== undefined) throw new UsageError(advice);
  const { action, reference } = parseWords(positionals);
  if (action !== "list" && (flags.json || flags.limit !== undefined)) {
    throw new UsageError("--json and --limit are flags of sessions list");
  }
  if (action === "list" && flags["any-folder"])
    throw new UsageError("sessions list lists the sessions of all folders: leave out --any-folder");
  if (action !== "show" && flags.thinking) throw new UsageError("--thinking is a flag of sessions show");
  const path = sessionFile(flags["session-db"], directoriesOf(flags));
  if (flags["session-db"] !== undefined && !existsSync(path)) throw new UserError(`${path}: no such file`);
  const store = openStore(path, { folder: flags["any-folder"] ? undefined : process.cwd() });
  try {
    await ACTIONS[action](store, reference, flags);
  } finally {
    store.close();
  }
  return EXIT_CODES.ok;
}

function parseWords([action = "", reference, ...rest]: readonly string[]) {
  if (!isAction(action)) throw new UsageError(`sessions takes list, show, rm or export, not ${JSON.stringify(action)}`);
  if (rest.length === 0 && (action === "list") === (reference === undefined)) {
    return { action, reference: reference ?? "" };
  }
  if (action === "list") throw new UsageError("sessions list takes no id");
  throw new UsageError(`sessions ${action} takes one id, or -1 for the newest session`);
}

function isAction(text: string): text is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, text);
}

async function list(store: Store, flags: SessionsFlags): Promise<void> {
  const { limit } = flags;
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    throw new UsageError(`--limit takes a positive whole number, not ${JSON.stringify(limit)}`);
  }
  const sessions = store.list(limit === undefined ? undefined : Number(limit));
  if (flags.json) await print(JSON.stringify(sessions, null, 2));
  else if (sessions.length > 0) await print(renderSessionList(sessions, process.cwd()));
  else if (!flags.quiet) printError("no stored sessions");
}
