import { afterEach } from "bun:test";
import * as v from "valibot";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import { newRegistry } from "../../src/engine/registry.ts";
import { processEnv } from "../../src/lib/env.ts";
import { createModelChain } from "../../src/model/calls/chain.ts";
import type { Model } from "../../src/model/model.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { contractOf, EVENT_NAMES, type EventName, type Lane } from "../../src/protocol/events.ts";
import type { HookOutput } from "../../src/protocol/output.ts";
import { type Agent, type Hooks, NO_LIMITS, type Team } from "../../src/runtime/agent/agent.ts";
import {
  endSession,
  type StartSource,
  startSession,
  submitMessage,
} from "../../src/runtime/conversation/session-lifecycle.ts";
import type { FrontEnd } from "../../src/runtime/events/front-end.ts";
import { RUN_EVENTS, type RunEvent, type RunEventType } from "../../src/runtime/events/run-events.ts";
import { NO_PERMISSIONS, type Permissions } from "../../src/runtime/permissions/permissions.ts";
import { createSession, type Session } from "../../src/runtime/session/session.ts";
import { createRuntime, type Runtime } from "../../src/runtime/stream/runtime.ts";
import type { StreamEnd } from "../../src/runtime/turns/run-stream.ts";
import { defineTool, type Tool, type ToolResult } from "../../src/tools/tool.ts";
import { ScriptedModel, type Step } from "../helpers/scripted-model.ts";

/** The answer of a test's hook. */
export type Answers = {
  [E in EventName | "preempt"]?: (input: BuiltinInput) => HookOutput | undefined | Promise<HookOutput | undefined>;
};

/** An input, with the agent whose hooks ran. */
export interface LoggedInput {
  event: EventName;
  lane: Lane;
  /** The agent whose executor dispatched. */
  on: string;
  input: BuiltinInput;
}

const models: ScriptedModel[] = [];

afterEach(() => {
  for (const model of models.splice(0)) model.assertFinished();
});

/** Returns a scripted model that the test must use to its end. */
export function script(steps: Step[], options: { id?: string; contextLimit?: number } = {}): ScriptedModel {
  const model = new ScriptedModel(steps, options);
  models.push(model);
  return model;
}

/** Events whose hooks change a run even if they do nothing: a test has hooks for them if it gives an answer. */
const OPT_IN: readonly EventName[] = [
  "stop_guard",
  "response_guard",
  "skill_content_guard",
  "prompt_file_guard",
  "before_agent_run",
  "after_agent_complete",
];

/** Returns hooks for every event, which log their input and give the answer of the test. */
export function hooksFor(on: string, log: LoggedInput[], answers: Answers = {}): Hooks {
  const registry = newRegistry();
  const events = EVENT_NAMES.filter((event) => answers[event] || !OPT_IN.includes(event));
  // The argument makes the hooks of two agents different ones.
  const entries = events.map((event) => {
    const { hook, ...rest } = entry(event, "default", "answer");
    return { ...rest, hook: { ...hook, args: [on] } };
  });
  registry.registerBuiltin("answer", (input) => {
    log.push({ event: input.hook_event_name, lane: "default", on, input });
    return answers[input.hook_event_name]?.(input);
  });
  if (answers.preempt) entries.push(entry("pre_tool_use", "preempt", "preempt"));
  registry.registerBuiltin("preempt", (input) => {
    log.push({ event: input.hook_event_name, lane: "preempt", on, input });
    return answers.preempt?.(input);
  });
  return new Executor(entries, { registry });
}

/** Returns a hook that is a builtin of the test's registry. */
export function entry(event: EventName, lane: Lane, command: string): HookEntry {
  const hook = defineHook({
    type: "builtin",
    command,
    rewrite: contractOf(event).rewrites !== undefined && lane === "default",
  });
  return { event, lane, matcher: "", hook, path: ["hooks", event], source: async () => "test" };
}

/** Returns a tool whose response shows its arguments. */
export function tool(
  name: string,
  run: (input: Readonly<Record<string, unknown>>) => ToolResult | Promise<ToolResult>,
  more: Partial<Tool> = {},
): Tool {
  return defineTool({
    name,
    title: name,
    description: `The tool ${name}.`,
    parameters: { type: "object", properties: {} },
    category: "test",
    readOnly: false,
    run: async (input) => run(input),
    ...more,
  });
}

/** Returns a tool that looks like `shell` and runs nothing. */
export function fakeShell(ran: string[] = []): Tool {
  const run = ({ cmd }: Readonly<Record<string, unknown>>) => {
    ran.push(String(cmd));
    return { text: `ran ${String(cmd)}` };
  };
  return tool("shell", run, { category: "shell", aliases: { command: "cmd" } });
}

/** The answer of a test's front end to a question. */
export type AskApproval = NonNullable<FrontEnd["askApproval"]>;

/** Options of a test's run. */
export interface Setup {
  model?: ScriptedModel;
  steps?: Step[];
  answers?: Answers;
  tools?: Tool[];
  agent?: Partial<Agent>;
  /** Agents besides `root`, with their own hooks. */
  others?: (log: LoggedInput[]) => Agent[];
  mode?: string;
  grants?: Permissions;
  permissions?: Permissions;
  /** `--ask allow` */
  allowsAsked?: boolean;
  askApproval?: AskApproval;
  askBudget?: NonNullable<FrontEnd["askBudget"]>;
  askContinue?: NonNullable<FrontEnd["askContinue"]>;
  askUser?: NonNullable<FrontEnd["askUser"]>;
  /** The lines of the log. */
  logged?: string[];
  interactive?: boolean;
  signal?: AbortSignal;
  source?: StartSource;
}

/** A test's run: its dispatches, run events and remaining state. */
export interface Run {
  log: LoggedInput[];
  reports: RunEvent[];
  runtime: Runtime;
  session: Session;
  model: ScriptedModel;
  /** Submits a text and waits for the end of the stream. */
  say(text: string): Promise<StreamEnd>;
  end(): Promise<void>;
  /** Returns the names of all events so far, with the preempt lane marked. */
  events(): string[];
  inputs(event: EventName): BuiltinInput[];
  reported<T extends RunEventType>(type: T): Extract<RunEvent, { type: T }>[];
}

/** An agent of a test. */
export function agentOf(
  name: string,
  model: Model,
  hooks: Hooks,
  tools: Tool[] = [],
  more: Partial<Agent> = {},
): Agent {
  return {
    name,
    description: `The agent ${name}.`,
    instruction: `You are ${name}.`,
    toolsets: [{ tools }],
    hooks,
    chooseModel: () => model,
    models: createModelChain({ retries: -1 }),
    modelName: model.id,
    modelEndpoints: [{ provider: "openai", model: "fake" }],
    prices: () => undefined,
    limits: NO_LIMITS,
    compaction: { enabled: true },
    subAgents: [],
    handoffs: [],
    ...more,
  };
}

/** Starts a session. */
export async function begin(setup: Setup): Promise<Run> {
  const log: LoggedInput[] = [];
  const reports: RunEvent[] = [];
  const model = setup.model ?? script(setup.steps ?? []);
  const root = agentOf("root", model, hooksFor("root", log, setup.answers), setup.tools, setup.agent);
  const agents = [root, ...(setup.others?.(log) ?? [])];
  const team: Team = {
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    startAgent: "root",
    permissions: setup.permissions ?? NO_PERMISSIONS,
  };
  const { askApproval, askBudget, askContinue, askUser } = setup;
  const frontEnd: FrontEnd = {
    report: (event) => {
      v.parse(RUN_EVENTS[event.type], event);
      reports.push(event);
    },
    ...(askApproval ? { askApproval } : {}),
    ...(askBudget ? { askBudget } : {}),
    ...(askContinue ? { askContinue } : {}),
    ...(askUser ? { askUser } : {}),
  };
  const { interactive = false, allowsAsked = false } = setup;
  const write = (_level: string, message: string) => setup.logged?.push(message);
  const runtime = createRuntime({ team, frontEnd, env: processEnv(), interactive, allowsAsked, log: write });
  const session = createSession(process.cwd(), {
    ...(setup.mode === undefined ? {} : { safetyMode: setup.mode }),
    ...(setup.grants ? { permissions: setup.grants } : {}),
  });
  const signal = setup.signal ?? new AbortController().signal;
  await startSession(runtime, session, setup.source ?? "startup", signal);
  return {
    log,
    reports,
    runtime,
    session,
    model,
    say: (text) => submitMessage(runtime, session, text, signal),
    end: () => endSession(runtime, session, "other"),
    events: () => log.map(({ event, lane }) => (lane === "preempt" ? `${event} (preempt)` : event)),
    inputs: (event) => log.filter((asked) => asked.event === event).map(({ input }) => input),
    reported: <T extends RunEventType>(type: T) =>
      reports.filter((event): event is Extract<RunEvent, { type: T }> => event.type === type),
  };
}

/** Runs a whole session: one message, its answer, the end. */
export async function converse(setup: Setup, text = "hi"): Promise<Run & { ended: StreamEnd }> {
  const run = await begin(setup);
  const ended = await run.say(text);
  await run.end();
  return { ...run, ended };
}
