import type { Log } from "../engine/hook.ts";
import type { Env } from "../lib/env.ts";
import { type BackgroundTasks, stopAllTasks } from "./delegation/background-tasks.ts";
import type { FrontEnd } from "./front-end.ts";
import type { RunEventBody } from "./run-events.ts";
import type { MessageQueues } from "./session/queues.ts";
import { createQueues } from "./session/queues.ts";
import type { Session, SessionItem } from "./session/session.ts";
import type { Agent, Team } from "./team/agent.ts";

/** Keeps what a session comes to hold. A session that never held an item is never told to it. */
export interface Journal {
  /** An item was appended; the session's own fields are current too. */
  append(session: Session, item: SessionItem): void;
  /** Fields of the session, or an item already appended, have changed. */
  update(session: Session): void;
}

/** What all sessions and streams of one process share. */
export interface Runtime {
  readonly team: Team;
  readonly frontEnd: FrontEnd;
  readonly journal: Journal | undefined;
  /** Given to tools. */
  readonly env: Env;
  /** True when the process goes on waiting for the user after a cancelled stream. */
  readonly interactive: boolean;
  readonly queues: MessageQueues;
  /** What agents do beside the conversation, in sub-sessions of their own. */
  readonly backgroundTasks: BackgroundTasks;
  readonly log: Log;
  /** What `post_tool_use` and `stop` hooks said for the next model call of a session; never stored. */
  readonly carryOver: WeakMap<Session, readonly string[]>;
  /** Name of the agent that answers; a handoff changes it for good. */
  currentAgent: string;
}

/** What a runtime is made of. */
export interface RuntimeOptions {
  team: Team;
  frontEnd: FrontEnd;
  env: Env;
  journal?: Journal;
  interactive?: boolean;
  log?: Log;
  /** The agent to begin with, when it is not the team's start agent. */
  agent?: string;
}

/** A runtime at rest: no session has begun. */
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
    carryOver: new WeakMap(),
    currentAgent: options.agent ?? options.team.startAgent,
  };
}

/** Ends what goes on in the background, and waits for its last hooks. Comes before the end of the last session. */
export function stopBackgroundTasks(runtime: Runtime): Promise<void> {
  return stopAllTasks(runtime.backgroundTasks);
}

/** The agent that answers in a session. */
export function agentOf(runtime: Runtime, session: Session): Agent {
  return agentNamed(runtime, session.pinnedAgent ?? runtime.currentAgent);
}

/** The agent of a name that configuration has already checked. */
export function agentNamed(runtime: Runtime, name: string): Agent {
  const agent = runtime.team.agents.get(name);
  if (!agent) throw new Error(`the team has no agent ${JSON.stringify(name)}`);
  return agent;
}

/** Tells the front end what happened, with the time and the agent it concerns. */
export function report(runtime: Runtime, agent: Agent | undefined, body: RunEventBody): void {
  const timestamp = new Date().toISOString();
  runtime.frontEnd.report(agent ? { ...body, agent_name: agent.name, timestamp } : { ...body, timestamp });
}

/** Keeps what a hook said for the next model call of a session; nothing for an empty text. */
export function carryOverContext(runtime: Runtime, session: Session, context: string | undefined): void {
  if (context) runtime.carryOver.set(session, [...(runtime.carryOver.get(session) ?? []), context]);
}

/** Appends an item to a session's record, where it is kept from then on. */
export function recordItem(runtime: Runtime, session: Session, item: SessionItem): void {
  session.items.push(item);
  runtime.journal?.append(session, item);
}
