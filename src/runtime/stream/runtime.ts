/**
 * A run of an agent: sessions, turns, tool calls, approvals, compaction, delegation. What shows the run and asks the
 * user is passed in.
 *
 * @packageDocumentation
 */
import type { AuditLog } from "../../audit/log.ts";
import type { Log } from "../../engine/handler.ts";
import type { Env } from "../../lib/env.ts";
import { firstTime } from "../../lib/once.ts";
import type { EventName } from "../../protocol/events.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import type { Agent, Team } from "../agent/agent.ts";
import type { FrontEnd } from "../events/front-end.ts";
import type { RunEventBody } from "../events/run-events.ts";
import type { MessageQueues } from "../session/queues.ts";
import { createQueues } from "../session/queues.ts";
import type { Session, SessionItem } from "../session/session.ts";
import { type BackgroundTasks, stopAllTasks } from "./background-tasks.ts";
import type { Invocation, StartedAgents } from "./invocation.ts";
import { RunMeter } from "./run-meter.ts";

/** Stores sessions while they change. Not called for a session before its first item. */
export interface Journal {
  /** An item was appended; the session's own fields are current too. */
  append(session: Session, item: SessionItem): void;
  /** Fields of the session, or an item already appended, have changed. */
  update(session: Session): void;
}

/** The state that all sessions and streams of a process share. */
export interface Runtime {
  readonly team: Team;
  readonly frontEnd: FrontEnd;
  readonly journal: Journal | undefined;
  /** The environment of tools. */
  readonly env: Env;
  /** True if the process waits for the user again after a cancelled stream. */
  readonly interactive: boolean;
  readonly queues: MessageQueues;
  /** The tasks of agents that work in the background, each in its own sub-session. */
  readonly backgroundTasks: BackgroundTasks;
  readonly log: Log;
  /** `--ask allow`: the user is not asked for a hook that asks; the call runs. */
  readonly allowsAsked: boolean;
  /** Where the final approval of each tool call is recorded. */
  readonly audit: AuditLog | undefined;
  /** Context from `post_tool_use` and `stop` hooks for the next model call of a session; never stored. */
  readonly carryOver: WeakMap<Session, readonly string[]>;
  /** Estimated tokens of the context from hooks in the last request of a session. */
  readonly hookTokens: WeakMap<Session, number>;
  /** See {@link noteRejectedFile}. */
  readonly rejectedFiles: WeakMap<Session, Map<EventName, RejectedFile>>;
  /** The request that each routed conversation works on; see docs/design/turn.md#a-routed-conversation. */
  readonly invocations: WeakMap<Session, Invocation>;
  readonly started: WeakMap<Session, StartedAgents>;
  /** Counts what the run uses, and knows its limits. */
  readonly meter: RunMeter;
  /** True the first time {@link warnOnce} warns about something. */
  readonly isNewWarning: (about: string) => boolean;
  /**
   * The name of the agent that answers, or with which each request of a routed conversation starts. A handoff changes it
   * permanently, except in a routed conversation.
   */
  currentAgent: string;
}

/** Why a prompt file must not be used, and the hooks that said so. */
export interface RejectedFile {
  message: string;
  deciders: () => Promise<DecidingHook[]>;
}

export interface RuntimeOptions {
  team: Team;
  frontEnd: FrontEnd;
  env: Env;
  journal?: Journal;
  interactive?: boolean;
  log?: Log;
  allowsAsked?: boolean;
  audit?: AuditLog | undefined;
  /** Also counts the calls of model hooks; a run without it has no limits. */
  meter?: RunMeter;
  /** The agent that answers first, if not the team's start agent. */
  agent?: string;
}

export function createRuntime(options: RuntimeOptions): Runtime {
  return {
    team: options.team,
    frontEnd: options.frontEnd,
    journal: options.journal,
    env: options.env,
    interactive: options.interactive ?? false,
    queues: createQueues(),
    backgroundTasks: new Map(),
    log: options.log ?? (() => {}),
    allowsAsked: options.allowsAsked ?? false,
    audit: options.audit,
    carryOver: new WeakMap(),
    hookTokens: new WeakMap(),
    rejectedFiles: new WeakMap(),
    invocations: new WeakMap(),
    started: new WeakMap(),
    meter: options.meter ?? new RunMeter(),
    isNewWarning: firstTime(),
    currentAgent: options.agent ?? options.team.startAgent,
  };
}

/** Stops all background tasks for a reason, and waits for their last hooks. Call it before their session ends. */
export function stopBackgroundTasks(runtime: Runtime, why: string): Promise<void> {
  return stopAllTasks(runtime.backgroundTasks, why);
}

/** Returns the agent that answers in a session. */
export function agentOf(runtime: Runtime, session: Session): Agent {
  return agentNamed(runtime, session.pinnedAgent ?? runtime.invocations.get(session)?.agent ?? runtime.currentAgent);
}

/** Makes another agent answer in a session: from now on, or for the rest of the request in a routed conversation. */
export function changeAgent(runtime: Runtime, session: Session, name: string): void {
  const invocation = runtime.invocations.get(session);
  if (invocation) Object.assign(invocation, { agent: name, isActive: false });
  else runtime.currentAgent = name;
}

/** Returns an agent by its name, which the configuration has already checked. */
export function agentNamed(runtime: Runtime, name: string): Agent {
  const agent = runtime.team.agents.get(name);
  if (!agent) throw new Error(`the team has no agent ${JSON.stringify(name)}`);
  return agent;
}

/** Reports an event to the front end, with the time and the agent it concerns. */
export function report(runtime: Runtime, agent: Agent | undefined, body: RunEventBody): void {
  const timestamp = new Date().toISOString();
  runtime.frontEnd.report(agent ? { ...body, agent_name: agent.name, timestamp } : { ...body, timestamp });
}

/** Warns the user about something, by default named by the message itself, once in a run. */
export function warnOnce(runtime: Runtime, agent: Agent, message: string, about = message): void {
  if (runtime.isNewWarning(about)) report(runtime, agent, { type: "warning", message });
}

/** Keeps a hook's context for the next model call of a session; ignores an empty text. */
export function carryOverContext(runtime: Runtime, session: Session, context: string | undefined): void {
  if (context) runtime.carryOver.set(session, [...(runtime.carryOver.get(session) ?? []), context]);
}

/** Appends an item to a session's record and stores it. */
export function recordItem(runtime: Runtime, session: Session, item: SessionItem): void {
  session.items.push(item);
  runtime.journal?.append(session, item);
}

/**
 * Notes whether guards rejected a prompt file that the hooks of an event loaded. The next turn of the session then stops
 * before its model call: an agent must not go on without its rules.
 */
export function noteRejectedFile(
  { rejectedFiles }: Runtime,
  session: Session,
  event: EventName,
  rejected: RejectedFile | undefined,
): void {
  const files = rejectedFiles.get(session) ?? new Map<EventName, RejectedFile>();
  if (rejected) rejectedFiles.set(session, files.set(event, rejected));
  else if (event === LASTING) files.delete(event);
}

/** The event whose context every request has until it happens again. */
const LASTING: EventName = "session_start";

/** Returns a prompt file because of which no model may be called now; undefined if there is none. */
export function takeRejectedFile({ rejectedFiles }: Runtime, session: Session): RejectedFile | undefined {
  const files = rejectedFiles.get(session);
  const [rejected] = files?.values() ?? [];
  for (const event of files?.keys() ?? []) if (event !== LASTING) files?.delete(event);
  return rejected;
}
