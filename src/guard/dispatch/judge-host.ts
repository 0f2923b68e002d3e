import { statSync } from "node:fs";
import { resolve } from "node:path";
import { decode, isUndecodable, type Undecodable } from "../../dialects/decode.ts";
import type { Dialect, HostCall } from "../../dialects/dialect.ts";
import { type Encoded, encode, encodeFailure } from "../../dialects/encode.ts";
import { DIALECTS } from "../../dialects/names.ts";
import { isUnknownTool } from "../../dialects/tools.ts";
import { firstAt } from "../../dialects/values.ts";
import type { Executor } from "../../engine/executor.ts";
import { type Log, NO_LOG } from "../../engine/handler.ts";
import { recordHeartbeat } from "../../hosts/registration/heartbeat.ts";
import { deadlineOf } from "../../hosts/registration/host-deadline.ts";
import { errorText, type Help, UserError } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { Host } from "../host.ts";
import type { FindDirectories } from "../watch/audit-directories.ts";
import { limitContinuations } from "./continuations.ts";
import { judgeCall } from "./judge-call.ts";
import type { OpenHooks } from "./open-hooks.ts";

export const NO_VERDICT_IN_TIME: Help = {
  cause: "The hooks needed longer than the agent waits (`--deadline`), or the input never ended.",
  cure: "Make the slow hook faster (`hooksh stats`), or raise the timeout of the agent and install again.",
};

/** An answer in the bytes of a host. */
export interface HostAnswer extends Encoded {
  /** Why hooksh itself refused the event; absent if its hooks judged it. */
  failure?: string;
}

/** How to judge the events of a host. */
export interface HostDispatch {
  /** Loads the hooks. Runs after the payload is read, so that broken configuration is answered in the host's shape. */
  load: () => Promise<OpenHooks>;
  /** `--ask`. */
  ask: string;
  /** When the host began to wait, in the time of `performance.now()`: 0 is the start of the process. */
  startedAt: number;
  /** Milliseconds after `startedAt` within which the host is answered; by default below its timeout. */
  deadlineMs: number | undefined;
  /** `--working-dir`; by default hooks run in the directory that the payload names. */
  workingDir: string | undefined;
  defaults: { session_id: string; cwd: string };
  signal: AbortSignal;
  /** For the audit log, if hooksh itself refuses the event. */
  directories: FindDirectories;
  /** Called when the deadline has passed, after the running hooks were cancelled. */
  expired?: () => void;
}

/**
 * Judges the event of a host. Never rejects: an error of any kind becomes a denial where the event can be denied. Many
 * events can be judged at once. `opened` receives the log as soon as the hooks are loaded.
 */
export async function judgeHost(
  dialect: Dialect,
  host: Host,
  dispatch: HostDispatch,
  opened: (log: Log) => void,
): Promise<HostAnswer> {
  try {
    return withDoubt(await verdictFor(dialect, host, dispatch, opened), dialect, host);
  } catch (error) {
    return hostFailure(dialect, host, problemOf(error));
  }
}

/** Adds a notice to an answer that is not silent, if another agent, which may not understand it, could have called. */
function withDoubt(encoded: HostAnswer, { silence }: Dialect, { dialect, also }: Host): HostAnswer {
  if (also === undefined || encoded.stdout === silence) return encoded;
  const note = `this payload could also be from ${also}: name the agent with --dialect ${dialect} or --dialect ${also}`;
  return { ...encoded, notes: [...encoded.notes, note] };
}

/** Encodes the failure of hooksh itself on the event of a host. */
export function hostFailure(dialect: Dialect, { event, payload }: Host, problem: string): HostAnswer {
  return { ...encodeFailure(dialect, event, payload, problem), failure: problem };
}

/** Returns the message of an error on one line; for a bug of hooksh it says so. */
export function problemOf(error: unknown): string {
  const text = errorText(error).replaceAll("\n", "; ");
  return error instanceof UserError ? text : `internal error: ${text}`;
}

async function verdictFor(
  dialect: Dialect,
  host: Host,
  dispatch: HostDispatch,
  opened: (log: Log) => void,
): Promise<HostAnswer> {
  if (host.problem !== undefined) return hostFailure(dialect, host, host.problem);
  const call = await decodeFor(dialect, host);
  if (isUndecodable(call)) return hostFailure(dialect, host, call.problem);
  const waited = () => performance.now() - dispatch.startedAt;
  const ms = (dispatch.deadlineMs ?? deadlineOf(dialect, call.row)) - waited();
  const stop = new AbortController();
  const signal = AbortSignal.any([dispatch.signal, stop.signal]);
  const also = host.also && (await DIALECTS[host.also].load()).dialect;
  const settled = await settleWithin(judgeHooks(call, dispatch, { signal, opened, also, like: host.like }), {
    ms: Math.max(ms, 0),
  });
  if (settled.kind === "done") return settled.value;
  stop.abort();
  dispatch.expired?.();
  return hostFailure(
    dialect,
    host,
    `no verdict within ${formatDuration(Math.round(waited()))}, before the host's own timeout`,
  );
}

verdictFor.help = NO_VERDICT_IN_TIME;

/**
 * Decodes a payload; a tool that the dialect does not know is looked up in the agent that the payload looks like, and the
 * servers of the agent split a name that could be an MCP tool's.
 */
export async function decodeFor(
  dialect: Dialect,
  { payload, event, like }: Pick<Host, "payload" | "event" | "like">,
): Promise<HostCall | Undecodable> {
  const call = decode(dialect, payload, event);
  if (isUndecodable(call) || !call.tool) return call;
  const isLike = like !== undefined && isUnknownTool(call.tool);
  if (!isLike && !call.tool.isAmbiguous) return call;
  return decode(dialect, payload, event, {
    like: isLike ? (await DIALECTS[like].load()).dialect : undefined,
    servers: call.tool.isAmbiguous ? await serversFor(dialect, payload) : [],
  });
}

async function serversFor({ name, keys }: Dialect, payload: Payload): Promise<string[]> {
  const { mcpServersOf } = await import("./mcp-servers.ts");
  return mcpServersOf(name, projectOf(firstAt(payload, keys.cwd)));
}

interface JudgeOptions extends Pick<Host, "like"> {
  signal: AbortSignal;
  opened: (log: Log) => void;
  also: Dialect | undefined;
}

async function judgeHooks(
  call: HostCall,
  dispatch: HostDispatch,
  { signal, opened, also, like }: JudgeOptions,
): Promise<HostAnswer> {
  if (call.row.guardsRegistration) return judgeChange(call, dispatch);
  const hooks = await dispatch.load();
  opened(hooks.log);
  if (hooks.log !== NO_LOG) (await import("./log-unknown-fields.ts")).logUnknownFields(call, hooks.log);
  const executor = executorFor(call, hooks, dispatch);
  const refusal = recordHeartbeat(call, hooks.dataDir, like) ?? (await refusedPrompt(call, executor));
  if (refusal !== undefined)
    return {
      ...encode(call, [{ event: "pre_tool_use", result: { allowed: false, message: refusal } }]),
      failure: refusal,
    };
  const judged = await judgeCall(executor, call, {
    defaults: dispatch.defaults,
    signal,
    warn: (message) => hooks.log("warn", message),
  });
  // Cancelled hooks count as failed, which is no denial on every event.
  if (signal.aborted) throw new UserError("interrupted before all hooks had answered");
  const blocked = judged.some(({ result }) => !result.allowed);
  const ask = dispatch.ask === "allow" ? "allow" : "deny";
  return limitContinuations(call, encode(call, judged, ask, also), { blocked, dataDir: hooks.dataDir });
}

/** Judges a change of the host's settings, whether or not the configuration of hooks is broken. */
async function judgeChange(call: HostCall, { directories, load }: HostDispatch): Promise<HostAnswer> {
  const { data } = directories() ?? { data: (await load()).dataDir };
  recordHeartbeat(call, data);
  const reason = (await import("../../hosts/registration/lost-by-change.ts")).lostByChange(call, { data });
  if (reason === undefined) return encode(call, []);
  return { ...encodeFailure(call.dialect, call.event, call.payload, reason), failure: reason };
}

/** Returns why a call is refused that starts a program into which the model could type unseen. */
async function refusedPrompt({ dialect, tool, row }: HostCall, executor: Executor): Promise<string | undefined> {
  if (!dialect.typesUnseen || tool?.row?.is !== "shell" || !row.is.includes("pre_tool_use")) return undefined;
  return (await import("./refuse-prompts.ts")).promptRefusal(tool, executor);
}

/** Returns an executor that runs hooks in the project of the payload, with variables that name the host. */
export function executorFor(call: HostCall, { executor }: OpenHooks, dispatch: HostDispatch): Executor {
  const { dialect, event, payload } = call;
  const workingDir = dispatch.workingDir ?? projectOf(firstAt(payload, dialect.keys.cwd)) ?? dispatch.defaults.cwd;
  return executor({ workingDir, env: { HOOKSH_DIALECT: dialect.name, HOOKSH_HOST_EVENT: event }, host: call });
}

/** The directory that a payload names, if it is one. */
function projectOf(cwd: unknown): string | undefined {
  if (typeof cwd !== "string" || cwd === "") return undefined;
  const path = resolve(cwd);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined;
}
