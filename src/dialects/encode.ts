import type { Help } from "../lib/errors.ts";
import { canonicalJson, holdsInexactNumber } from "../lib/json.ts";
import { counted } from "../lib/text/counted.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { eventNamed, eventSaid, hostEvent } from "./decode.ts";
import type { Answer, Channel, Dialect, HostCall, HostEvent, Verdict } from "./dialect.ts";
import { toHostInput } from "./tools.ts";

const ANSWER_THE_AGENT_CANNOT_TAKE: Help = {
  cause:
    "The agent's protocol has no place for this answer on this event, so it is dropped or turned into what comes closest.",
  cure: "Use an event on which the agent takes it: [capabilities](agents/capabilities.md).",
};

/** What an `ask` becomes if the host cannot ask. */
export type AskFallback = "deny" | "allow";

export interface Encoded {
  stdout: string;
  /** The reason, for a host that reads it on standard error. Always present with exit code 2. */
  stderr: string;
  exitCode: 0 | 2;
  /** Lines for the user: parts of the verdict that the host cannot take, and system messages that it cannot show. */
  notes: readonly string[];
}

/** The reason of a block that comes without one. Some hosts let a call run if the reason is empty or blank. */
const NO_REASON = "blocked by a hook";

/** In characters. Hosts read a limited part of an answer (Cline 1 MB), and a truncated denial does not deny. */
const LONGEST_REASON = 32_000;

/**
 * Encodes the results of all events to which a host's event maps. A part that the host cannot take becomes stricter, or
 * is dropped with a note; nothing becomes an allow. If `also` could have sent the payload, that holds for both hosts. See
 * docs/agents/README.md#what-a-host-cannot-take.
 */
export function encode(
  call: HostCall,
  results: readonly { event: EventName; result: AnyResult }[],
  ask: AskFallback = "deny",
  also?: Dialect,
): Encoded {
  const takes = channelsOfBoth(call, also);
  const notes: string[] = [];
  const note = (text: string) => notes.push(`${call.dialect.name} ${call.event}: ${text}`);
  const folded = degrade(fold(call, results), { call, takes, ask, note });
  const verdict = withShortReasons(folded.verdict);
  const answer = call.row.say?.(verdict, call);
  return { ...bytes(call.dialect, call.row, answer), notes: [...notes, ...folded.spoken] };
}

/**
 * Encodes the failure of hooksh itself: a denial where the event is a guard's, else no opinion with a note. `given`: the
 * event according to the caller. If the payload names another one, and either is a guard's, that one is denied.
 */
export function encodeFailure(dialect: Dialect, given: string | undefined, payload: Payload, problem: string): Encoded {
  const reason = shortened(`hooksh: ${problem}`);
  const event = failedEvent(dialect, { event: given, payload });
  const row = event === undefined ? undefined : hostEvent(dialect, event);
  if (event === undefined || row === undefined) {
    const answer = dialect.refusal?.(reason) ?? { stderr: reason, exitCode: 2 };
    return { ...bytes(dialect, undefined, answer), notes: answer.stderr === undefined ? [reason] : [] };
  }
  const call: HostCall = { dialect, event, row, payload, events: [] };
  const answer = isGuarded(row, payload) ? row.say?.({ block: reason }, call) : undefined;
  return { ...bytes(dialect, row, answer), notes: answer?.stderr === undefined ? [reason] : [] };
}

/** Returns the event in whose form a failure is answered; undefined if none is known. */
export function failedEvent(
  dialect: Dialect,
  { event: given, payload }: { event: string | undefined; payload: Payload },
): string | undefined {
  const guard = [eventSaid(dialect, payload), given].find((event) => {
    const row = event === undefined ? undefined : hostEvent(dialect, event);
    return row !== undefined && isGuarded(row, payload);
  });
  return guard ?? given ?? eventNamed(dialect, payload);
}

/** A verdict that no host cuts off in the middle of the decision. */
function withShortReasons(verdict: Verdict): Verdict {
  const short = { ...verdict };
  for (const key of ["block", "ask", "allow", "notice"] as const) {
    const text = verdict[key];
    if (text !== undefined) short[key] = shortened(text);
  }
  return short;
}

function shortened(text: string): string {
  const more = text.length - LONGEST_REASON;
  return more <= 0 ? text : `${text.slice(0, LONGEST_REASON)} ... (${more} more characters)`;
}

const GUARDED: readonly EventName[] = ["pre_tool_use", "permission_request", "user_prompt_submit"];

/** True for an event that decides whether a call, a prompt or a change of the hooks goes ahead, and that a hook can refuse. */
export function isGuarded(row: HostEvent, payload: Payload): boolean {
  if (row.guardsRegistration) return true;
  return row.is.some((event) => GUARDED.includes(event)) && channels(row, payload).includes("block");
}

/** What the host takes on an event with this payload. */
export function channels({ takes }: HostEvent, payload: Payload): readonly Channel[] {
  return typeof takes === "function" ? takes(payload) : takes;
}

/**
 * What becomes of a rewrite: the host was seen to act on the form in which it gets it (`enforced`); it was not, or has no
 * place for it (`sent`); or it cannot have it, and the call is denied (`refused`).
 */
export type Effect = "enforced" | "sent" | "refused";

/** Why a call is denied that a hook rewrote. */
export const CANNOT_REWRITE = "a hook rewrote this call, which this host cannot do";

/** Returns what becomes of the rewrite in a result of one event of a call. */
export function effectOf(call: HostCall, result: AnyResult): Effect {
  const { row, payload } = call;
  const takes = channels(row, payload);
  const obeys = typeof row.obeys === "function" ? row.obeys(payload) : (row.obeys ?? []);
  if (result.modified_input) {
    const rewrite = hostRewrite(call, result.modified_input);
    const isTaken = takes.includes("rewrite") && rewrite?.complete !== undefined;
    if (isTaken) return obeys.includes("rewrite") ? "enforced" : "sent";
    return rewrite && takes.includes("block") ? "refused" : "sent";
  }
  const { updated_tool_response: text } = result;
  return text !== undefined && fits(row, text, payload) && obeys.includes("replace") ? "enforced" : "sent";
}

function fits({ replacement }: HostEvent, text: string, payload: Payload): boolean {
  return replacement === undefined || replacement(text, payload) !== undefined;
}

/** The channels that the host takes, without decisions that the other possible sender would misread. */
function channelsOfBoth({ row, event, payload }: HostCall, also: Dialect | undefined): readonly Channel[] {
  const takes = channels(row, payload);
  const other = also && hostEvent(also, event);
  if (other === undefined) return takes;
  const shared = channels(other, payload);
  const differs = row.rewriteGrants ? !other.rewriteGrants : other.rewriteGrants === "required";
  return takes.filter((channel) => {
    if (channel === "rewrite" && differs) return false;
    return shared.includes(channel) || !["ask", "allow", "rewrite"].includes(channel);
  });
}

/** A verdict before it is fitted to the host. `rewritten`: the tool input in hooksh's fields. */
type Folded = Omit<Verdict, "rewrite"> & {
  rewritten?: Payload;
  rewrittenAnswer?: string;
  rewrittenMessages?: number;
  isGuard: boolean;
};

function fold({ row }: HostCall, results: readonly { event: EventName; result: AnyResult }[]): Folded {
  const folded: Folded = { isGuard: row.is.some((event) => GUARDED.includes(event)) };
  const add = (key: "block" | "context" | "notice", text: string | undefined) => {
    if (text) folded[key] = folded[key] === undefined ? text : `${folded[key]}\n${text}`;
  };
  for (const { result } of results) {
    if (!result.allowed) add("block", result.message?.trim() ? result.message : NO_REASON);
    else if (result.decision === "ask") folded.ask = result.decision_reason?.trim() ? result.decision_reason : "";
    else if (result.decision === "allow" || result.permission_allowed) folded.allow ??= result.decision_reason ?? "";
    add("context", result.additional_context);
    add("notice", result.system_message);
    if (result.modified_input) folded.rewritten = result.modified_input;
    if (result.updated_tool_response !== undefined) folded.replace = result.updated_tool_response;
    if (result.updated_messages) folded.rewrittenMessages = result.updated_messages.length;
    if (result.updated_response !== undefined) folded.rewrittenAnswer = result.updated_response;
  }
  if (folded.block !== undefined || folded.ask !== undefined) delete folded.allow;
  return folded;
}

interface Degradation {
  call: HostCall;
  takes: readonly Channel[];
  ask: AskFallback;
  note: (text: string) => void;
}

function degrade(folded: Folded, options: Degradation): { verdict: Verdict; spoken: string[] } {
  const { takes, note } = options;
  const verdict = { ...guardVerdict(folded, options), ...afterVerdict(folded, options) };
  const spoken: string[] = [];
  if (folded.notice !== undefined) {
    if (takes.includes("notice")) verdict.notice = folded.notice;
    else spoken.push(folded.notice);
  }
  if (verdict.block !== undefined && folded.isGuard) {
    // The call or prompt does not happen, so only the reason and the notice matter.
    return {
      verdict: { block: verdict.block, ...(verdict.notice === undefined ? {} : { notice: verdict.notice }) },
      spoken,
    };
  }
  if (folded.context !== undefined) {
    if (takes.includes("context")) verdict.context = joinLines(verdict.context, folded.context);
    else note(`this host takes no context here, dropped: ${folded.context}`);
  }
  return { verdict, spoken };
}

function joinLines(first: string | undefined, second: string): string {
  return first === undefined ? second : `${first}\n${second}`;
}

/** The part of a verdict that decides on a call or prompt. */
function guardVerdict(folded: Folded, { call, takes, ask, note }: Degradation): Verdict {
  if (!folded.isGuard) return {};
  if (folded.block !== undefined) return block(folded.block, takes, note);
  const rewrite = folded.rewritten === undefined ? undefined : hostRewrite(call, folded.rewritten);
  if (rewrite !== undefined && (rewrite.complete === undefined || !takes.includes("rewrite"))) {
    const shown = JSON.stringify(rewrite.complete ?? folded.rewritten);
    const reason = `${CANNOT_REWRITE}; the rewritten input: ${shown}`;
    if (takes.includes("block")) return { block: reason };
    note(`a rewrite of the call was dropped: ${shown}`);
  }
  const verdict: Verdict = {};
  if (rewrite?.complete !== undefined && takes.includes("rewrite"))
    verdict.rewrite = { complete: rewrite.complete, changes: rewrite.changes };
  if (folded.ask !== undefined) {
    if (takes.includes("ask")) return { ...verdict, ask: folded.ask || "a hook asks for your approval" };
    const grants = verdict.rewrite !== undefined && call.row.rewriteGrants;
    if ((ask === "deny" || grants) && takes.includes("block")) return { block: needsApproval(folded.ask) };
    if (ask === "deny") note(`this host can neither ask nor deny here, dropped: ${needsApproval(folded.ask)}`);
    return verdict;
  }
  if (folded.allow !== undefined && takes.includes("allow")) verdict.allow = folded.allow;
  return verdict;
}

function needsApproval(reason: string): string {
  return `needs your approval: ${reason || "a hook asks for it"}`;
}

/** The part of a verdict on events after the fact: feedback, a replaced result, a continuation. */
function afterVerdict(folded: Folded, { call, takes, note }: Degradation): Verdict {
  const verdict: Verdict = {};
  if (folded.replace !== undefined) {
    if (!takes.includes("replace")) note(`this host cannot replace a tool's result here, dropped: ${folded.replace}`);
    else if (fits(call.row, folded.replace, call.payload)) verdict.replace = folded.replace;
    else note(`the replaced result does not fit the shape of this tool's own, dropped: ${folded.replace}`);
  }
  if (folded.rewrittenAnswer !== undefined)
    note(`this host has already shown the answer, a rewrite of it was dropped: ${folded.rewrittenAnswer}`);
  if (folded.rewrittenMessages !== undefined)
    note(
      `this host takes no messages from hooks, a rewrite to ${counted(folded.rewrittenMessages, "message")} was dropped`,
    );
  if (folded.isGuard || folded.block === undefined) return verdict;
  if (!call.row.blockIsContext) return { ...verdict, ...block(folded.block, takes, note) };
  note(`this host ignores a block after a tool; its reason went to the model as context: ${folded.block}`);
  return { ...verdict, context: folded.block };
}

afterVerdict.help = ANSWER_THE_AGENT_CANNOT_TAKE;

function block(reason: string, takes: readonly Channel[], note: (text: string) => void): Verdict {
  if (takes.includes("block")) return { block: reason };
  note(`this host cannot be blocked here, dropped: ${reason}`);
  return {};
}

block.help = ANSWER_THE_AGENT_CANNOT_TAKE;

/**
 * Returns rewritten input in the host's fields; undefined if nothing differs. `complete` is undefined if the host cannot
 * express the input.
 */
function hostRewrite(
  { tool }: HostCall,
  rewritten: Payload,
): { complete: Payload | undefined; changes: Payload } | undefined {
  if (tool === undefined) return undefined;
  if (canonicalJson(rewritten) === canonicalJson(tool.input)) return undefined;
  const { wrap = (input: Payload) => input } = tool;
  const inner = toHostInput(tool.row, rewritten, tool.hostInput);
  if (inner === undefined) return { complete: undefined, changes: {} };
  const [before, complete] = [wrap(tool.hostInput), wrap(inner)];
  // A change that is lost in translation must not look like an unchanged call.
  if (canonicalJson(before) === canonicalJson(complete)) return { complete: undefined, changes: {} };
  // The host would act on another number than it asked about.
  if (holdsInexactNumber(complete)) return { complete: undefined, changes: {} };
  const changed = Object.entries(complete).filter(
    ([key, value]) => !Object.hasOwn(before, key) || canonicalJson(value) !== canonicalJson(before[key]),
  );
  return { complete, changes: Object.fromEntries(changed) };
}

function bytes(dialect: Dialect, row: HostEvent | undefined, answer: Answer | undefined): Omit<Encoded, "notes"> {
  const { json, text, stderr = "", exitCode = 0 } = answer ?? {};
  const silence = row === undefined || answer?.stderr !== undefined ? "" : (row.silence ?? dialect.silence);
  const stdout = json === undefined ? (text ?? silence) : wellFormed(JSON.stringify(json));
  return { stdout, stderr, exitCode };
}

/**
 * Replaces half characters, such as those of an emoji that a hook cut in two. Some parsers refuse JSON that holds one, and
 * a host that cannot read a denial lets the call run.
 */
function wellFormed(json: string): string {
  return json.replace(/\\(?:ud[89a-f][\da-f]{2}|[^])/g, (escape) => (escape.length === 6 ? "\\ufffd" : escape));
}

/** True if hooks can keep the host going on this event, so that `stop` hooks may block. */
export function canBlock(row: HostEvent, payload: Payload, event: EventName): boolean {
  if (contractOf(event).canBlock) return true;
  return (event === "stop" || event === "subagent_stop") && channels(row, payload).includes("block");
}
