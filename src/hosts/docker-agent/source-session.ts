import * as v from "valibot";
import { checkPermissions } from "../../config/permissions/permission-rules.ts";
import { isSafetyMode, type SafetyMode } from "../../config/permissions/safety-modes.ts";
import { ProblemReport } from "../../config/yaml/problem-report.ts";
import { errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import { counted } from "../../lib/text/counted.ts";
import { countUnreadableParts, fromHookMessage } from "../../model/messages/hook-messages.ts";
import type { Message, Usage } from "../../model/messages/message.ts";
import { type Message as HookMessage, MESSAGE } from "../../protocol/fields.ts";
import type { Permissions } from "../../runtime/permissions/permissions.ts";
import type { Session, SessionItem } from "../../runtime/session/session.ts";
import { fieldsOf, SessionFieldsSchema, StoredItemSchema, storedItem } from "../../runtime/store/session-document.ts";
import type { SessionDatabase, SourceRow } from "./session-database.ts";

const MessageSchema = schemaFromShape(MESSAGE);

const rules = v.nullish(v.array(v.string()), []);
const RulesSchema = v.object({ allow: rules, ask: rules, deny: rules });

/**
 * Keys of a message that only docker-agent uses. It writes the definition of each called tool beside the call, and
 * computes the marks for the provider's cache anew for each request.
 */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(["tool_definitions", "cache_control"]);

/** A conversation of docker-agent, with the sub-sessions that were interrupted, and what is lost. */
export interface SourceSession {
  /** The conversation, then its interrupted sub-sessions; finished ones are in the items. */
  sessions: Session[];
  losses: string[];
}

/** Limits on one conversation, sub-sessions included. hooksh keeps a whole session in memory. */
const LIMITS = { sessions: 5000, depth: 50, items: 200_000, characters: 128 * 1024 * 1024 } as const;

/** The most characters of a title. */
const MAX_TITLE = 1000;

type ItemRow = SourceRow<"session_items">;
type SessionRow = SourceRow<"sessions">;

/** Reads one conversation. Throws an `Error` that says why it cannot be represented. */
export function readSourceSession(db: SessionDatabase, id: string): SourceSession {
  return new SessionReader(db).read(id);
}

/** Reads a conversation with its sub-sessions, and counts what is lost. */
class SessionReader {
  readonly #db: SessionDatabase;
  readonly #seen = new Set<string>();
  readonly #losses = new Map<string, number>();
  readonly #size = { items: 0, characters: 0 };

  constructor(db: SessionDatabase) {
    this.#db = db;
  }

  read(id: string): SourceSession {
    const main = this.#session(id, undefined, 0);
    if (main.items.length === 0) throw new Error("it has no messages");
    const sessions = [main, ...this.#unfinished(id, 1)];
    const losses = [...this.#losses].map(([loss, count]) => loss.replace("#", String(count)));
    return { sessions, losses };
  }

  #lose(loss: string, count = 1): void {
    if (count > 0) this.#losses.set(loss, (this.#losses.get(loss) ?? 0) + count);
  }

  /** Reads the interrupted sub-sessions below a session. */
  #unfinished(id: string, depth: number): Session[] {
    return this.#db.unfinished(id).flatMap((child) => {
      if (this.#seen.has(child)) return [];
      return [this.#session(child, id, depth), ...this.#unfinished(child, depth + 1)];
    });
  }

  #session(id: string, parentId: string | undefined, depth: number): Session {
    this.#count(id, depth);
    const row = this.#db.session(id);
    if (!row) throw new Error(`its sub-session ${id} is not in the database`);
    const session = this.#fields(id, parentId, row);
    const rows = this.#db.items(id).filter((item) => this.#isKept(item));
    const agents = agentsOf(rows);
    for (const [index, item] of rows.entries()) {
      session.items.push(this.#item(item, { id, index, agent: agents[index] ?? "root", depth }));
    }
    v.parse(SessionFieldsSchema, stored(fieldsOf(session)));
    return session;
  }

  #count(id: string, depth: number): void {
    if (this.#seen.has(id)) throw new Error(`its sub-session ${id} occurs twice`);
    this.#seen.add(id);
    const { items, characters } = this.#db.size(id);
    this.#size.items += items;
    this.#size.characters += characters;
    if (depth > LIMITS.depth) throw new Error(`its sub-sessions nest more than ${LIMITS.depth} levels deep`);
    if (this.#seen.size > LIMITS.sessions)
      throw new Error(`it has more than ${counted(LIMITS.sessions, "sub-session")}`);
    if (this.#size.items > LIMITS.items) throw new Error(`it has more than ${counted(LIMITS.items, "item")}`);
    if (this.#size.characters > LIMITS.characters)
      throw new Error(`it has more than ${counted(LIMITS.characters, "character")}`);
  }

  /** False for rows that docker-agent skips too: unknown kinds, and sub-sessions that were removed. */
  #isKept({ item_type, subsession_id }: ItemRow): boolean {
    if (item_type !== "subsession") return isItemType(item_type);
    return typeof subsession_id === "string" && this.#db.session(subsession_id) !== undefined;
  }

  #fields(id: string, parentId: string | undefined, row: SessionRow): Session {
    const safetyMode = this.#safetyMode(row);
    const maxIterations = count(row.max_iterations);
    const rules = readSourceRules(row.permissions);
    for (const loss of rules.losses) this.#lose(loss);
    this.#lose("# tool grants are not imported: hooksh asks again", rules.grants);
    if (row.starred === 1) this.#lose("hooksh has no stars");
    if (parentId === undefined && text(row.parent_id) !== "") this.#lose("its parent session is not in the database");
    for (const model of chosenModels(row.agent_model_overrides)) this.#lose(model);
    return {
      id,
      ...(parentId === undefined ? {} : { parentId }),
      createdAt: timestamp(row.created_at),
      title: text(row.title).slice(0, MAX_TITLE),
      workingDir: text(row.working_dir),
      items: [],
      ...(safetyMode === undefined ? {} : { safetyMode }),
      permissions: rules.permissions,
      ...(maxIterations > 0 ? { maxIterations } : {}),
      inputTokens: count(row.input_tokens),
      outputTokens: count(row.output_tokens),
      cost: amount(row.cost),
      startContext: "",
    };
  }

  /** Never returns the mode that runs every tool without asking: the user chooses it anew. */
  #safetyMode({ safety_policy, tools_approved }: SessionRow): SafetyMode | undefined {
    const mode = modeNamed(text(safety_policy)) ?? (tools_approved === 1 ? "autonomous" : undefined);
    if (mode !== "autonomous") return mode;
    this.#lose("it ran tools without asking; hooksh asks, unless you resume it with --yolo");
    return undefined;
  }

  #item(row: ItemRow, place: { id: string; index: number; agent: string; depth: number }): SessionItem {
    try {
      const item = this.#convert(row, place);
      if (item.kind !== "subsession") v.parse(StoredItemSchema, stored(storedItem(item)));
      return item;
    } catch (error) {
      throw new Error(`item ${place.index + 1} of session ${place.id}: ${errorText(error)}`, { cause: error });
    }
  }

  #convert(
    row: ItemRow,
    { id, index, agent, depth }: { id: string; index: number; agent: string; depth: number },
  ): SessionItem {
    switch (row.item_type) {
      case "message": {
        const { message, missingFiles } = readSourceMessage(row.message_json);
        this.#lose("# attached files are not in the database: a text names each", missingFiles);
        return { kind: "message", agent, message, ...(row.implicit === 1 ? { implicit: true } : {}) };
      }
      case "summary":
        return summaryOf(row, agent, index);
      case "subsession": {
        const session = this.#session(text(row.subsession_id), id, depth + 1);
        return { kind: "subsession", agent: session.items[0]?.agent ?? agent, session };
      }
      default:
        return errorOf(row, agent);
    }
  }
}

const ITEM_TYPES = ["message", "summary", "subsession", "error", "termination"] as const;

function isItemType(value: unknown): boolean {
  return ITEM_TYPES.some((type) => type === value);
}

/** Returns the agent of each item: its own, or that of the nearest item that names one. Users' messages name none. */
function agentsOf(rows: readonly ItemRow[]): string[] {
  const agents = rows.map(({ agent_name }) => text(agent_name));
  // The next item that names an agent comes first, then the one before.
  for (let index = agents.length - 2; index >= 0; index--) agents[index] ||= agents[index + 1] ?? "";
  for (let index = 1; index < agents.length; index++) agents[index] ||= agents[index - 1] ?? "";
  return agents.map((agent) => agent || "root");
}

/** `first_kept_entry` of 0 or less means that docker-agent kept no earlier message. */
function summaryOf(row: ItemRow, agent: string, index: number): SessionItem {
  const firstKept = count(row.first_kept_entry);
  const usage: unknown = text(row.usage_json) === "" ? undefined : JSON.parse(text(row.usage_json));
  return {
    kind: "summary",
    agent,
    text: text(row.summary_text),
    firstKept: firstKept > 0 && firstKept <= index ? firstKept : index,
    cost: amount(row.cost),
    ...(text(row.model) === "" ? {} : { model: text(row.model) }),
    ...(isObject(usage) ? { usage: usage as Usage } : {}),
  };
}

/** An `error`, or a `termination`: a run that ended at a limit. */
function errorOf(row: ItemRow, agent: string): SessionItem {
  const given: unknown = JSON.parse(text(row.message_json) || "{}");
  const { message, code, reason, agent_name } = isObject(given) ? given : {};
  const stopped = text(code) || text(reason);
  return {
    kind: "error",
    agent: text(agent_name) || agent,
    text: text(message) || stopped,
    ...(stopped === "" ? {} : { code: stopped }),
  };
}

/** Older names of docker-agent's safety modes. */
const OLD_MODES: Readonly<Record<string, SafetyMode>> = {
  unsafe: "autonomous",
  safer: "balanced",
  "safe-auto": "balanced",
};

/** Returns the mode of a name; the strictest for an unknown one, as docker-agent does. */
function modeNamed(name: string): SafetyMode | undefined {
  if (name === "") return undefined;
  if (isSafetyMode(name)) return name;
  return Object.hasOwn(OLD_MODES, name) ? OLD_MODES[name] : "strict";
}

/** Returns one line for each agent whose model the user changed in the session. */
function chosenModels(json: unknown): string[] {
  const chosen: unknown = text(json) === "" ? {} : JSON.parse(text(json));
  return Object.entries(isObject(chosen) ? chosen : {}).map(
    ([agent, model]) =>
      `the model chosen for ${agent} is not imported: resume it with --model ${agent}=${String(model)}`,
  );
}

/** Returns a value as it is after it was stored and read. */
function stored(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}

/** Returns a time in UTC, so that times compare as texts; the beginning of 1970 for an invalid one. */
function timestamp(value: unknown): string {
  const time = Date.parse(text(value));
  return new Date(Number.isNaN(time) ? 0 : time).toISOString();
}

/** A message of docker-agent, and the number of attached files whose content is not in it. */
interface SourceMessage {
  message: Message;
  missingFiles: number;
}

/**
 * Reads a message in the JSON of docker-agent (https://github.com/docker/docker-agent/blob/main/pkg/chat/chat.go). A file
 * without content becomes a text that names it. Throws an `Error` if the JSON is not such a message.
 */
function readSourceMessage(json: unknown): SourceMessage {
  const given: unknown = JSON.parse(typeof json === "string" ? json : "");
  if (!isObject(given)) throw new Error("expected an object");
  const own = Object.fromEntries(Object.entries(given).filter(([key]) => !FOREIGN_KEYS.has(key)));
  const message = v.parse(MessageSchema, own) as HookMessage;
  return { message: fromHookMessage(message), missingFiles: countUnreadableParts(message) };
}

/** The permission rules of a session, and what is lost. */
interface SourceRules {
  permissions: Permissions;
  /** The number of rules that let tools run without asking. They are not in `permissions`. */
  grants: number;
  losses: string[];
}

/**
 * Reads the `permissions` column of a session: JSON, or empty. Keeps what denies or asks; the user gives grants again, because
 * docker-agent's match the text of a command line and hooksh's match its commands. Throws an `Error` if it is no such
 * JSON.
 */
function readSourceRules(json: unknown): SourceRules {
  const given: unknown = typeof json === "string" && json.trim() !== "" ? JSON.parse(json) : {};
  const { allow, ask, deny } = v.parse(RulesSchema, given);
  const losses = [...ruleProblems("ask", ask), ...ruleProblems("deny", deny)];
  const valid = (key: "ask" | "deny", list: readonly string[]) =>
    list.filter((rule) => ruleProblems(key, [rule]).length === 0);
  return {
    permissions: { allow: [], ask: valid("ask", ask), deny: valid("deny", deny) },
    grants: allow.length,
    losses: losses.map((problem) => `a rule is not imported: ${problem}`),
  };
}

function ruleProblems(key: "ask" | "deny", list: string[]): string[] {
  const report = new ProblemReport();
  checkPermissions({ [key]: list }, [], report);
  return report.problems.map(({ message }) => `${key} ${message}`);
}
