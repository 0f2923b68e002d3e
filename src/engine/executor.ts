import { resolve } from "node:path";
import { expandWorkingDir } from "../config/expansion/expand-working-dir.ts";
import { expandEnv, expandHookDir, HOOK_DIR_VARIABLE } from "../config/hooks/expand-hook.ts";
import { displayName, type HookEntry, judgesToolCalls } from "../config/hooks/read-hooks.ts";
import { type Directories, type Env, processEnv, resolveDirectories } from "../lib/env.ts";
import { errorText } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import { cutBytes } from "../lib/text/cut-text.ts";
import { addKinds, type BuiltinMemory, type RedactedKinds, redactionCounts } from "../protocol/builtin.ts";
import {
  contractOf,
  type EventContract,
  type EventName,
  type EventPayload,
  isEventName,
  type Lane,
  laneContract,
  lanesOf,
  unknownEvent,
} from "../protocol/events.ts";
import type { Message } from "../protocol/fields.ts";
import type { AnyResult, Result } from "../protocol/result.ts";
import { aggregate, failureText, type HookOutcome, policyOf } from "./aggregate.ts";
import type { HookContext } from "./answer.ts";
import { runWithDeadline, stoppedOutcome } from "./deadline.ts";
import { defaultRegistry } from "./default-registry.ts";
import { isDeclaredRewriter, redactionRole, timeoutSeconds } from "./describe.ts";
import { gaveVerdict, type HookDetail, type LaneRun, laneDetails, type Timing } from "./details.ts";
import {
  failureDetails,
  type HandlerEnvironment,
  type HandlerInput,
  type HandlerResult,
  type Log,
  type Outcome,
} from "./hook.ts";
import { buildInput } from "./input.ts";
import { interpret } from "./interpret.ts";
import { type CompiledHook, compileHooks, selectHooks } from "./match.ts";
import { type Payload, runHooks } from "./modes.ts";
import type { Registry } from "./registry.ts";

/** What an executor works with; everything has a default taken from the process. */
export interface ExecutorOptions {
  /** Where hooks run and what an empty `cwd` becomes; absolute. */
  workingDir?: string;
  /** The environment hooks inherit. */
  env?: Env;
  directories?: Directories;
  registry?: Registry;
  /** What builtins remember; executors of one session share it. */
  memory?: BuiltinMemory;
  log?: Log;
}

/** What one dispatch may differ in. */
export interface DispatchOptions {
  /** Cancels the dispatch: its hooks are ended and count as failed. */
  signal?: AbortSignal | undefined;
  /** Only this lane. Without it every lane of the event runs, the preempt lane first; a block there ends the dispatch. */
  lane?: Lane;
  /** Leaves out model hooks that judge a tool call: it is already allowed. */
  skipJudges?: boolean;
  /** Receives what hooks printed that looks meant and has no effect; without it the executor's log does. */
  warn?: (message: string) => void;
}

/** A dispatch with the outcome of each of its hooks. */
export interface DetailedResult<E extends EventName = EventName> {
  result: Result<E>;
  /** The secrets that its hooks replaced. */
  redacted: RedactedKinds;
  /** Reading where the hooks are configured may load a parser. */
  details: () => Promise<HookDetail[]>;
  /** The details of the hooks that gave the verdict: those that blocked, else those with the winning decision. */
  deciders: () => Promise<HookDetail[]>;
}

/**
 * The compiled hooks of one agent. A dispatch never rejects because of a hook; it does for misuse, such as an unknown
 * event. Two executors share nothing unless they are given the same registry or memory.
 */
export class Executor {
  readonly #hooks: readonly CompiledHook[];
  readonly #options: Required<ExecutorOptions>;

  /** Throws a `PatternError` for a matcher that cannot be compiled. */
  constructor(entries: readonly HookEntry[], options: ExecutorOptions = {}) {
    const env = options.env ?? processEnv();
    this.#hooks = compileHooks(entries);
    for (const { hook } of entries) if (Object.keys(hook.env).length > 0) rememberVariables(expandEnv(hook.env, env));
    this.#options = {
      workingDir: resolve(options.workingDir ?? "."),
      env,
      directories: options.directories ?? resolveDirectories({}, env),
      registry: options.registry ?? defaultRegistry(),
      memory: options.memory ?? new Map(),
      log: options.log ?? (() => {}),
    };
  }

  /** True when any hook is configured for an event, whatever tool it matches; on one lane when it is given. */
  has(event: EventName, lane?: Lane): boolean {
    return this.#hooks.some(({ entry }) => entry.event === event && (lane === undefined || entry.lane === lane));
  }

  /** True if hooksh itself added every hook of an event; runs do not report those dispatches. */
  hasOnlyImplicitHooks(event: EventName): boolean {
    return this.#hooks.every(({ entry }) => entry.event !== event || entry.implicit === true);
  }

  /**
   * The compiled hooks in configuration order.
   * @internal
   */
  get hooks(): readonly CompiledHook[] {
    return this.#hooks;
  }

  /**
   * Asks every hook that matches an event, on all its lanes, and folds their outcomes. The payload is never changed. With
   * `details` the outcome of each hook comes with the result. Rejects for misuse: an unknown event, no payload, and no
   * `tool_name` on the events of a tool call.
   */
  async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions & { details: true },
  ): Promise<DetailedResult<E>>;
  async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options?: DispatchOptions & { details?: false },
  ): Promise<Result<E>>;
  async dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions & { details?: boolean } = {},
  ): Promise<DetailedResult<E> | Result<E>> {
    const detailed = (await this.#dispatchLanes(event, payload, options)) as DetailedResult<E>;
    return options.details ? detailed : detailed.result;
  }

  async #dispatchLanes(event: EventName, payload: Payload, options: DispatchOptions): Promise<DetailedResult> {
    checkPayload(event, payload);
    const lanes = options.lane === undefined ? lanesOf(event) : [options.lane];
    const runs: LaneRun[] = [];
    for (const lane of lanes) {
      const run = await this.#runLane(event, lane, payload, options);
      runs.push(run);
      if (!aggregate(run.parts).allowed) break;
    }
    const result = aggregate(runs.flatMap(({ parts }) => parts));
    const last = runs.at(-1);
    if (last?.rewritten) addRewrite(result, laneContract(event, last.lane), last.payload);
    const details = async (counts?: (part: HookOutcome) => boolean) =>
      this.#inOrder((await Promise.all(runs.map((run) => laneDetails(run, counts)))).flat());
    const redacted = runs
      .flatMap(({ parts }) => parts)
      .reduce(
        (kinds: RedactedKinds, { outcome }) =>
          outcome.kind === "answered" && outcome.redacted ? addKinds(kinds, outcome.redacted) : kinds,
        {},
      );
    return { result, redacted, details: () => details(), deciders: () => details((part) => gaveVerdict(part, result)) };
  }

  async #runLane(event: EventName, lane: Lane, payload: Payload, options: DispatchOptions): Promise<LaneRun> {
    const contract = laneContract(event, lane);
    const names = [payload["tool_name"], payload["tool_qualified_name"]].filter((name) => typeof name === "string");
    const hooks = selectHooks(this.#hooks, event, lane, names).filter(
      ({ entry }) => !(options.skipJudges && judgesToolCalls(entry.hook)),
    );
    const timings = new Map<CompiledHook, Timing>();
    const declared = ({ entry }: CompiledHook) => isDeclaredRewriter(entry, this.#options.registry);
    if (hooks.length === 0) return { lane, hooks, parts: [], payload, rewritten: false, timings, declared };
    const run = await runHooks({
      contract,
      hooks,
      payload: buildInput(event, payload, this.#options.workingDir),
      declared,
      redaction: ({ entry }) => redactionRole(entry.hook),
      run: async (hook, current) => {
        const started = performance.now();
        const { outcome, exitCode } = await this.#invoke(hook, contract, current, options.signal);
        timings.set(hook, { milliseconds: performance.now() - started, exitCode });
        return outcome;
      },
    });
    const parts = hooks.map((hook, index): HookOutcome => {
      const { outcome = { kind: "silent" }, rewriteDropped = false } = run.outcomes[index] ?? {};
      return { event, contract, hook: hook.entry.hook, outcome, rewriteDropped };
    });
    for (const part of parts) {
      this.#logFailure(part);
      this.#warnAbout(part, options.warn);
    }
    return { lane, hooks, parts, payload: run.payload, rewritten: run.rewritten, timings, declared };
  }

  /** The details of both lanes in configuration order. */
  #inOrder(found: readonly (readonly [CompiledHook, HookDetail])[]): HookDetail[] {
    const place = ([hook]: readonly [CompiledHook, HookDetail]) => this.#hooks.indexOf(hook);
    return found.toSorted((a, b) => place(a) - place(b)).map(([, detail]) => detail);
  }

  #logFailure(part: HookOutcome): void {
    if (part.outcome.kind !== "failed") return;
    const silent = policyOf(part, part.outcome) === "ignore";
    this.#options.log(silent ? "debug" : "warn", failureText(part, failureDetails(part.outcome)));
  }

  #warnAbout({ event, hook, outcome }: HookOutcome, warn?: (message: string) => void): void {
    if (!("warning" in outcome) || outcome.warning === undefined) return;
    const message = `${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.warning}`;
    if (warn) warn(message);
    else this.#options.log("warn", message);
  }

  /** Runs one hook to its outcome, within its deadline. Never rejects. */
  async #invoke(
    hook: CompiledHook,
    contract: EventContract,
    payload: Payload,
    signal?: AbortSignal,
  ): Promise<Invocation> {
    const { event, hook: configured, directory } = hook.entry;
    const { env, registry, memory, log, directories } = this.#options;
    const context = { event, contract, hook: configured };
    const input = inputOf(payload);
    try {
      const own = { ...withHookDir(env, directory), ...expandEnv(configured.env, env) };
      const definition = expandHookDir(configured, directory, own);
      const variables = { ...env, hook_dir: directory ?? "" };
      const workingDir = expandWorkingDir(definition.working_dir, this.#options.workingDir, variables, (message) =>
        log("warn", message),
      );
      const environment: HandlerEnvironment = { event, workingDir, directories, memory, log, env: own };
      const factory = registry.lookup(definition.type);
      if (!factory) throw new Error(`unsupported hook type: ${definition.type}`);
      const handler = factory(definition, environment);
      const ended = await runWithDeadline(handler, input, timeoutSeconds(definition) * 1000, signal);
      if (input.problem !== undefined) throw new Error(input.problem);
      if (ended.reason === undefined) {
        const outcome = interpret(context, ended.result);
        log("debug", transcript(context, ended.result, outcome));
        return { outcome, exitCode: ended.result.kind === "exited" ? ended.result.exitCode : undefined };
      }
      return { outcome: stoppedOutcome(ended), exitCode: undefined };
    } catch (error) {
      const reason = input.problem === undefined ? "failed" : "unreadable";
      return { outcome: { kind: "failed", reason, error: errorText(error), stderr: "" }, exitCode: undefined };
    }
  }
}

const TRANSCRIPT_LIMIT = 4096;

/** That a hook ran, and what it printed unless it wants that hidden. */
function transcript({ event, hook }: HookContext, result: HandlerResult, outcome: Outcome): string {
  const redacted =
    outcome.kind === "answered" && outcome.redacted ? `, redacted ${redactionCounts(outcome.redacted)}` : "";
  const ran = `${event} hook ${JSON.stringify(displayName(hook))}: ${outcome.kind}${redacted}`;
  if (result.kind !== "exited") return ran;
  const hidden = outcome.kind === "answered" && outcome.output.suppress_output === true;
  const streams = [
    ["stdout", hidden ? "" : result.stdout],
    ["stderr", result.stderr],
  ] as const;
  const shown = streams
    .filter(([, text]) => text.trim() !== "")
    .map(([name, text]) => `\n${name}: ${cutBytes(text.trim(), TRANSCRIPT_LIMIT)}`);
  return `${ran}, exit code ${result.exitCode}${shown.join("")}`;
}

/** Throws for misuse by the caller, whatever its types said: without a tool's name no guard would be asked. */
function checkPayload(event: string, payload: Payload | undefined): void {
  if (!isEventName(event)) throw new TypeError(unknownEvent(event));
  if (!isObject(payload)) throw new TypeError("hook input is required");
  if (!contractOf(event).matcher || typeof payload["tool_name"] === "string") return;
  throw new TypeError(`${event}: tool_name is required and must be a text: it gaveVerdict which hooks run`);
}

/** The environment with the folder of the hook's file in it, and without that of a hook which runs hooksh itself. */
function withHookDir(env: Env, directory: string | undefined): Env {
  const { [HOOK_DIR_VARIABLE]: _outer, ...rest } = env;
  return directory === undefined ? rest : { ...rest, [HOOK_DIR_VARIABLE]: directory };
}

interface Invocation {
  outcome: Outcome;
  exitCode: number | undefined;
}

/** The input of one hook; `problem` says that it could not be written as JSON when it had to be. */
function inputOf(value: Payload): HandlerInput & { problem?: string } {
  let json: string | undefined;
  const input: HandlerInput & { problem?: string } = {
    value,
    json: () => {
      try {
        return (json ??= `${JSON.stringify(value)}\n`);
      } catch (error) {
        input.problem = `failed to serialize hook input: ${errorText(error)}`;
        throw new Error(input.problem, { cause: error });
      }
    },
  };
  return input;
}

/** Puts the payload after all rewrites into the result, under the name its kind of rewrite has there. */
function addRewrite(result: AnyResult, contract: EventContract, payload: Payload): void {
  switch (contract.rewrites) {
    case "tool_input":
      result.modified_input = payload["tool_input"] as Record<string, unknown>;
      break;
    case "messages":
      result.updated_messages = payload["messages"] as Message[];
      break;
    case "tool_response":
      result.updated_tool_response = payload["tool_response"] as string;
      break;
    case undefined:
      break;
  }
}
