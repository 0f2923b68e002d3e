import { decode, isUndecodable } from "../../dialects/decode.ts";
import { EVENTS_RUN_WITH } from "../../dialects/dialect.ts";
import { encode } from "../../dialects/encode.ts";
import { DIALECTS, dialectRow } from "../../dialects/names.ts";
import { lookalike, recognize } from "../../dialects/recognize.ts";
import { isUnknownTool } from "../../dialects/tools.ts";
import { firstAt } from "../../dialects/values.ts";
import { deadlineOf } from "../../hosts/registration/host-deadline.ts";
import type { SystemCalls } from "../../lib/process/system-calls.ts";
import type { Env } from "../../lib/process-env.ts";
import { parseInput } from "../../protocol/input.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { dialectOf, namedDialect } from "../dispatch/find-dialect.ts";
import { mayRefuse } from "./harmless-call.ts";
import {
  type Defaults,
  hostAnswer,
  projectOf,
  type Question,
  type QuickEvent,
  quickEvent,
  readOwn,
} from "./quick-event.ts";
import type { QuickLine } from "./quick-line.ts";

/** Below this deadline of an agent, the engine is asked at once. */
const SHORTEST_DEADLINE_MS = 1000;

/**
 * Returns what an event asks: one of hooksh's own, or one of another agent. Undefined if anything about it is not plain:
 * it is invalid, or something besides hooks has a say in it.
 */
export async function readHostQuestion(
  value: Payload,
  line: QuickLine,
  { system, env, defaults }: { system: SystemCalls; env: Env; defaults: Defaults },
): Promise<Question | undefined> {
  const named = namedDialect(line.dialect);
  const name = named === "canonical" ? undefined : await dialectOf(value, { named, event: line.event }, env);
  if (name === undefined) return line.isProved ? undefined : readOwn(value, line, defaults);
  if (line.format !== "hook" || (named === undefined && recognize(value, env)?.also !== undefined)) return undefined;
  const like = lookalike(value, name, env);
  // Another agent may have called by Claude Code's registration. Otherwise it matters only for tools that are not known.
  if (like !== undefined && name === "claude" && dialectRow(like).readsClaude) return undefined;
  const { dialect } = await DIALECTS[name].load();
  const call = decode(dialect, value, named !== undefined && name !== named ? undefined : line.event);
  if (isUndecodable(call) || call.row.guardsRegistration) return undefined;
  if (dialect.countsContinuations && call.row.is.some((event) => event.endsWith("stop"))) return undefined;
  if (call.tool && (call.tool.isAmbiguous || call.tool.class === undefined || isUnknownTool(call.tool)))
    return undefined;
  if (deadlineOf(dialect, call.row) < SHORTEST_DEADLINE_MS) return undefined;
  if (dialect.typesUnseen && call.tool?.row?.is === "shell" && (await mayPrompt(call.tool.input))) return undefined;
  const cwd = projectOf(firstAt(value, dialect.keys.cwd), system);
  if (cwd === undefined) return undefined;
  const events: QuickEvent[] = [];
  for (const { event, payload } of call.events) {
    const input = parseInput({ ...defaults, ...payload, hook_event_name: event });
    if (typeof input === "string") return undefined;
    events.push(quickEvent(event, input, cwd, call.tool?.names));
  }
  const silent = events.map(({ event }) => ({ event, result: { allowed: true } }));
  const { stdout, stderr, exitCode, notes } = encode(call, silent);
  if (stdout !== (call.row.silence ?? dialect.silence) || stderr !== "" || exitCode !== 0 || notes.length > 0)
    return undefined;
  return {
    events,
    cwd,
    env: { HOOKSH_DIALECT: dialect.name, HOOKSH_HOST_EVENT: call.event },
    host: call,
    beside: events.flatMap(({ event }) => EVENTS_RUN_WITH[event]?.filter((other) => other !== event) ?? []),
    silence: hostAnswer(stdout, line),
  };
}

/** True if a command may start a program into which the model could type unseen, which is refused. */
async function mayPrompt(input: Payload): Promise<boolean> {
  if (!mayRefuse("shell", input)) return false;
  const { cmd, tty } = input;
  return (
    tty === true || typeof cmd !== "string" || (await import("../../shell/prompts.ts")).promptOf(cmd) !== undefined
  );
}
