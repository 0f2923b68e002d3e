import { errorText } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { type MediaBlock, type MediaSource, toolResult } from "../../model/messages/message.ts";
import type { ToolCall } from "../../model/model.ts";
import { parseArguments } from "../../tools/arguments.ts";
import { type Attachment, type Tool, type ToolResult, toolError } from "../../tools/tool.ts";
import { currentSpan, traced } from "../../trace/active.ts";
import { redactedCall, redactedFields } from "../agent/agent-redaction.ts";
import type { RunEventBody } from "../events/run-events.ts";
import { dispatch, recordCall } from "../stream/dispatch-event.ts";
import { carryOverContext, report } from "../stream/runtime.ts";
import {
  dispatchInTurn,
  dispatchScopeOf,
  type OfferedTool,
  recordMessage,
  type StopVerdict,
  type Turn,
  uncancellableScopeOf,
} from "../stream/stream-state.ts";
import { confirmationMetadata, reviewCall } from "./approval.ts";
import { auditApproval } from "./audit-approval.ts";
import { cancellationBy } from "./cancellation.ts";
import {
  type Approval,
  callReport,
  type PendingCall,
  rewriteReport,
  type ToolFields,
  toolFields,
  toolReport,
  unreadCallFields,
} from "./pending-call.ts";
import { toolContext } from "./tool-context.ts";
import { toolSpan, traceApproval, traceResponse } from "./trace-tool-call.ts";

/** How a call affects the rest of its batch. */
export type CallEnd =
  | { kind: "done" }
  /** The user, or a cancelled stream, ended the batch. */
  | { kind: "canceled" }
  /** A `post_tool_use` hook or a rule ended the stream. */
  | { kind: "stopped"; verdict: StopVerdict };

const DONE: CallEnd = { kind: "done" };
/** Longer than it takes to kill a process. */
const ABANDON_AFTER_MS = 3000;

/**
 * Takes one tool call from the model's text to the recorded response. Always records exactly one response. See
 * docs/design/turn.md#a-tool-call.
 */
export function runCall(turn: Turn, call: ToolCall, keep: KeepResponse = recordResponse): Promise<CallEnd> {
  return traced(
    () => toolSpan(call),
    () => decideCall(turn, call, keep),
  );
}

async function decideCall(turn: Turn, call: ToolCall, keep: KeepResponse): Promise<CallEnd> {
  const offered = turn.tools.find(({ tool }) => tool.name === call.name);
  const { log } = turn.stream.runtime;
  const onRepair = (what: string) => log("warn", `arguments of ${call.name} (${call.id}) repaired: ${what}`);
  const parsed = offered && parseArguments(offered.tool, call.arguments, onRepair);
  if (!offered || !parsed?.ok) {
    const text =
      parsed && !parsed.ok
        ? `Tool '${call.name}' was called with malformed arguments: ${parsed.problem}.`
        : `Tool '${call.name}' is not available. You can only use the tools provided to you.`;
    const outcome = offered ? "malformed_arguments" : "unknown_tool";
    await respond(turn, await unreadAnswer(turn, call, offered?.tool, keep), toolError(text), { outcome });
    return DONE;
  }
  const pending: PendingCall = { id: call.id, tool: offered.tool, input: parsed.input };
  const { approval, fields } = await approve(turn, pending);
  const span = currentSpan();
  if (span) traceApproval(span, approval);
  const isAllowed = approval.decision === "allow";
  const final = { id: call.id, name: offered.tool.name, arguments: JSON.stringify(pending.input) };
  const shown = callReport(isAllowed ? final : await redactedCall(turn.agent, final));
  const rewritten = await rewriteReport(turn.agent, pending);
  const answer: Answer = { tool: offered.tool, call: shown, fields, keep, ...omitEmpty({ rewritten }) };
  if (approval.decision === "canceled" || turn.stream.signal.aborted) {
    const { text, ending } = cancellationBy(turn.stream.signal);
    await respond(turn, answer, toolError(text), ending);
    return { kind: "canceled" };
  }
  if (approval.decision === "deny") {
    const { outcome, text, reason, hint, deciders, stopsRun } = approval;
    const because = omitEmpty({ reason, hint, hooks: await deciders?.() });
    if (outcome === "blocked") reportBlock(turn, answer, reason, because.hooks);
    await respond(turn, answer, toolError(text), { outcome, ...because, ...omitEmpty({ rewritten }) });
    return stopsRun
      ? { kind: "stopped", verdict: { message: reason, deciders: async () => because.hooks ?? [] } }
      : DONE;
  }
  return execute(turn, offered, pending, answer);
}

/** How a call ends that does not run: the response, and how run events show it. */
export interface Skip {
  text: string;
  ending: Ending;
}

/** Records the response to a call that does not run. */
export function skipCall(turn: Turn, call: ToolCall, skip: Skip): Promise<void> {
  return traced(
    () => toolSpan(call),
    () => recordSkip(turn, call, skip),
  );
}

async function recordSkip(turn: Turn, call: ToolCall, { text, ending }: Skip): Promise<void> {
  const tool = turn.tools.find((offered) => offered.tool.name === call.name)?.tool;
  await respond(turn, await unreadAnswer(turn, call, tool, recordResponse), toolError(text), ending);
}

/**
 * Calls a tool of the agent for a text (a command or a skill) instead of the model. The call goes through approval and
 * all hooks of a tool call, but is not recorded. A hook that ends the stream sets `stopRequest`. Returns undefined if
 * the agent has no such tool.
 */
export async function callToolFromText(
  turn: Turn,
  name: string,
  input: Readonly<Record<string, unknown>>,
): Promise<ToolResult | undefined> {
  if (!turn.tools.some(({ tool, isOfRuntime }) => tool.name === name && !isOfRuntime)) return undefined;
  let response: ToolResult | undefined;
  const call = { id: `call_${crypto.randomUUID()}`, name, arguments: JSON.stringify(input) };
  const end = await runCall(turn, call, (given) => {
    response = given;
  });
  if (end.kind === "stopped") turn.stream.stopRequest ??= end.verdict;
  return response;
}

/** Runs the approval chain, dispatches its outcome, and returns the fields of the call for all later events. */
async function approve(turn: Turn, pending: PendingCall): Promise<{ approval: Approval; fields: ToolFields }> {
  const started = performance.now();
  const { approval: reviewed, review } = await reviewCall(turn, pending);
  const approval = await auditApproval(turn, pending, reviewed, performance.now() - started);
  const isAllowed = approval.decision === "allow";
  const plain = toolFields(pending, turn.stream.session.safetyMode);
  if (isAllowed) await recordCall(dispatchScopeOf(turn.stream), turn.agent, plain);
  const fields = isAllowed ? plain : await redactedFields(turn.agent, plain);
  const scope = approval.decision === "canceled" ? uncancellableScopeOf(turn.stream) : dispatchScopeOf(turn.stream);
  const isWatched = turn.agent.hooks.has("on_tool_approval_decision");
  await dispatch(scope, turn.agent, "on_tool_approval_decision", {
    ...fields,
    approval_decision: approval.decision,
    approval_source: approval.source,
    ...omitEmpty({
      approval_reason: approval.reason,
      approval_hooks: isWatched ? await approval.deciders?.() : undefined,
      safety_label: isWatched ? confirmationMetadata(review)["safety_label"] : undefined,
    }),
  });
  return { approval, fields };
}

async function execute(turn: Turn, offered: OfferedTool, pending: PendingCall, answer: Answer): Promise<CallEnd> {
  const { runtime, signal } = turn.stream;
  const definition = toolReport(pending.tool.name, pending.tool);
  const shown = { tool_call: answer.call, tool_definition: definition, ...omitEmpty({ rewritten: answer.rewritten }) };
  report(runtime, turn.agent, { type: "tool_call", ...shown });
  const result = await runTool(turn, pending, offered.isOfRuntime);
  const canceled = signal.aborted ? cancellationBy(signal) : undefined;
  const response = canceled
    ? await respond(turn, answer, toolError(canceled.text), canceled.ending)
    : await respond(turn, answer, result, { outcome: result.isError ? "failed" : "completed" });
  if (signal.aborted) return { kind: "canceled" };
  if (offered.isOfRuntime) {
    const { stopRequest } = turn.stream;
    if (stopRequest !== undefined) return { kind: "stopped", verdict: stopRequest };
    if (!offered.hasPostToolUse) return DONE;
  }
  const after = await dispatchInTurn(turn, "post_tool_use", { ...answer.fields, ...responseFields(response) });
  carryOverContext(runtime, turn.stream.session, after?.additional_context);
  if (signal.aborted) return { kind: "canceled" };
  return after && !after.allowed ? { kind: "stopped", verdict: after } : DONE;
}

async function runTool(turn: Turn, pending: PendingCall, isManaged: boolean): Promise<ToolResult> {
  const { tool, input } = pending;
  const { context, live } = toolContext(turn, pending);
  try {
    const running = tool.run(input, context);
    // A sub-session ends by itself, and its last hooks must finish before those of its parent.
    return await (isManaged ? running : untilAbandoned(running, turn.stream.signal));
  } catch (error) {
    return toolError(`Tool '${tool.name}' failed: ${errorText(error)}`);
  } finally {
    live?.end();
  }
}

/** Returns a tool's result; gives up some time after a cancel, so that the run can end although the tool does not. */
async function untilAbandoned(running: Promise<ToolResult>, signal: AbortSignal): Promise<ToolResult> {
  const first = await settleWithin(running, { signal });
  const last = first.kind === "done" ? first : await settleWithin(running, { ms: ABANDON_AFTER_MS });
  return last.kind === "done" ? last.value : toolError(cancellationBy(signal).text);
}

/** The call that is answered, as hooks and run events see it. */
interface Answer {
  call: ReturnType<typeof callReport>;
  tool: Tool | undefined;
  fields: ToolFields;
  keep: KeepResponse;
  rewritten?: ResponseReport["rewritten"];
}

/** How a call ended, besides its response. */
type Ending = Pick<ResponseReport, "outcome" | "reason" | "hint" | "hooks" | "rewritten">;

type ResponseReport = Extract<RunEventBody, { type: "tool_call_response" }>;

/** Receives the response to a call. */
type KeepResponse = (response: ToolResult, turn: Turn, callId: string) => void;

async function unreadAnswer(
  { agent, stream }: Turn,
  call: ToolCall,
  tool: Tool | undefined,
  keep: KeepResponse,
): Promise<Answer> {
  const fields = await redactedFields(agent, unreadCallFields(call, tool, stream.session.safetyMode));
  return { call: callReport(await redactedCall(agent, call)), tool, fields, keep };
}

/**
 * Sends a response through `tool_response_transform`, reports it and records it. If the stream is cancelled meanwhile,
 * the text is withheld, because a hook that should have rewritten it may have been stopped.
 */
async function respond(turn: Turn, answer: Answer, result: ToolResult, ending: Ending): Promise<ToolResult> {
  const { stream, agent } = turn;
  const wasAborted = stream.signal.aborted;
  const transform = await dispatchInTurn(turn, "tool_response_transform", {
    ...answer.fields,
    ...responseFields(result),
  });
  const rewritten = { ...result, text: transform?.updated_tool_response ?? result.text };
  const withheld = !wasAborted && stream.signal.aborted ? cancellationBy(stream.signal) : undefined;
  const response = withheld ? toolError(withheld.text) : rewritten;
  const { call, tool } = answer;
  report(stream.runtime, agent, {
    type: "tool_call_response",
    tool_call_id: call.id,
    tool_definition: toolReport(call.function.name, tool),
    response: response.text,
    result: { output: response.text, ...(response.isError ? { is_error: true } : {}) },
    ...(response.isError ? { tool_call: call } : {}),
    ...(withheld?.ending ?? ending),
  });
  const span = currentSpan();
  if (span) traceResponse(span, call.function, response, withheld?.ending.outcome ?? ending.outcome);
  answer.keep(response, turn, call.id);
  return response;
}

function recordResponse(response: ToolResult, { stream, agent }: Turn, callId: string): void {
  const text = response.text.trim() === "" ? "(no output)" : response.text;
  const blocks = [{ type: "text" as const, text }, ...(response.attachments ?? []).map(mediaBlock)];
  recordMessage(stream, agent, toolResult(callId, blocks, response.isError));
}

function responseFields(result: ToolResult) {
  return { tool_response: result.text, ...(result.isError ? { tool_error: true } : {}) };
}

function mediaBlock({ mimeType, data, name = "file" }: Attachment): MediaBlock {
  const source: MediaSource = { kind: "data", mimeType, data };
  if (mimeType.startsWith("image/")) return { type: "image", source };
  return mimeType.startsWith("audio/") ? { type: "audio", source } : { type: "document", name, source };
}

function reportBlock(turn: Turn, { call, tool, rewritten }: Answer, message: string, hooks: Ending["hooks"]): void {
  report(turn.stream.runtime, turn.agent, {
    type: "hook_blocked",
    tool_call: call,
    tool_definition: toolReport(call.function.name, tool),
    message,
    ...omitEmpty({ hooks, rewritten }),
  });
}
