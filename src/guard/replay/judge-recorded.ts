import { eventNamed, isUndecodable } from "../../dialects/decode.ts";
import type { HostCall } from "../../dialects/dialect.ts";
import { DIALECTS } from "../../dialects/names.ts";
import { lookalike } from "../../dialects/recognize.ts";
import { firstAt } from "../../dialects/values.ts";
import type { Executor } from "../../engine/executor.ts";
import type { Env } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import type { BuiltinMemory } from "../../protocol/builtin.ts";
import type { EventName, EventPayload } from "../../protocol/events.ts";
import { parseInput } from "../../protocol/input.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { createCleaner } from "../capture/cleaner.ts";
import { judgeCall } from "../dispatch/judge-call.ts";
import { decodeFor } from "../dispatch/judge-host.ts";
import { RECORDED_HOME, replayMarks } from "../record/recording-marks.ts";
import { type JudgedDispatch, summarizeVerdict, type VerdictSummary } from "../record/verdict-summary.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { type Relocation, relocationOf } from "./relocate.ts";

/** Variables that tell hooks that an event is replayed, so that they can leave out side effects. */
const REPLAY_VARIABLES: Env = { HOOKSH_REPLAY: "1" };

export interface JudgeOptions {
  /** Creates an executor over the hooks that judge. */
  executor: (setting: { workingDir: string; env?: Env; host?: HostCall; memory?: BuiltinMemory }) => Executor;
  /** Where hooks run; it also takes the place of the directory in which the session started. Absolute. */
  workingDir: string;
  /** Takes the place of the recorded home directory. */
  home: string;
  signal: AbortSignal;
}

/**
 * Returns a function that judges the events of one file in order, with the code of `dispatch`. Events of a session share
 * the memory of builtins, and the session has a new id in each replay, so that hooks with state of their own start
 * afresh. The function throws a {@link UserError}, with the place, if an event cannot be judged.
 */
export function recordedJudge(options: JudgeOptions): (event: RecordedEvent) => Promise<VerdictSummary> {
  const sessions = new Map<string, Session>();
  // Hooks may print what a recording must not hold; without that, verdicts also compare equal on every machine.
  const clean = createCleaner(replayMarks());
  return async (event) => {
    const { id, cwd } = await originOf(event);
    const session = sessions.get(id) ?? openSession(id, cwd, options);
    sessions.set(id, session);
    try {
      const verdict = await judge(event, session, options);
      return JSON.parse(clean(session.places.outOf(verdict))) as VerdictSummary;
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(`${event.file}:${event.line}:1: ${error.message}`, { cause: error });
    }
  };
}

interface Session {
  id: string;
  memory: BuiltinMemory;
  places: Relocation;
}

/** True for a directory that is not a project, such as the home directory and its parents: paths below it stay. */
function isShared(directory: string): boolean {
  return directory === "" || directory === "/tmp" || `${RECORDED_HOME}/`.startsWith(`${directory}/`);
}

function openSession(recordedId: string, cwd: string, { workingDir, home }: JudgeOptions): Session {
  const id = crypto.randomUUID();
  const directory = cwd.replace(/\/+$/, "");
  const project = isShared(directory) ? "" : directory;
  const places = relocationOf([
    [RECORDED_HOME, home],
    [project, workingDir],
    [recordedId, id],
  ]);
  return { id, memory: new Map(), places };
}

/** The session of an event, and the directory that its payload names. */
async function originOf({ payload, dialect }: RecordedEvent): Promise<{ id: string; cwd: string }> {
  const keys = dialect && (await DIALECTS[dialect].load()).dialect.keys;
  const text = (paths: readonly string[]) => {
    const value = firstAt(payload, paths);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  return { id: text(keys?.session ?? ["session_id"]), cwd: text(keys?.cwd ?? ["cwd"]) };
}

async function judge(event: RecordedEvent, session: Session, options: JudgeOptions): Promise<VerdictSummary> {
  const payload = session.places.into(event.payload);
  const defaults = { session_id: session.id, cwd: options.workingDir };
  const dispatches = event.dialect
    ? await judgeHostEvent({ ...event, dialect: event.dialect, payload }, session, options, defaults)
    : await judgeOwnEvent({ ...defaults, ...payload }, session, options);
  return summarizeVerdict(dispatches);
}

async function judgeOwnEvent(
  payload: Payload,
  { memory }: Session,
  { executor, workingDir, signal }: JudgeOptions,
): Promise<JudgedDispatch[]> {
  const input = parseInput(payload);
  if (typeof input === "string") throw new UserError(input);
  const event = input.hook_event_name;
  const { result, deciders } = await executor({ workingDir, memory, env: REPLAY_VARIABLES }).dispatch(
    event,
    input as EventPayload<EventName>,
    { signal, details: true },
  );
  return [{ event, payload: input, result, by: (await deciders()).map(({ name }) => name) }];
}

async function judgeHostEvent(
  { dialect: name, payload, hostEvent }: RecordedEvent & { dialect: keyof typeof DIALECTS },
  { memory }: Session,
  { executor, workingDir, signal }: JudgeOptions,
  defaults: Payload,
): Promise<JudgedDispatch[]> {
  const { dialect } = await DIALECTS[name].load();
  const event = hostEvent ?? eventNamed(dialect, payload);
  const call = await decodeFor(dialect, { payload, event, like: lookalike(payload, name, {}) });
  if (isUndecodable(call)) throw new UserError(`${name}: ${call.problem}`);
  const env = { HOOKSH_DIALECT: name, HOOKSH_HOST_EVENT: call.event, ...REPLAY_VARIABLES };
  const judged = await judgeCall(executor({ workingDir, memory, env, host: call }), call, { defaults, signal });
  return Promise.all(
    judged.map(async ({ event: own, result, deciders }) => ({
      event: own,
      payload: call.events.find((each) => each.event === own)?.payload ?? call.events[0]?.payload ?? {},
      result,
      by: (await deciders()).map((detail) => detail.name),
    })),
  );
}
