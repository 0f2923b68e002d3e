import { errorText, type Help, UserError } from "../lib/errors.ts";
import { findRepeatedKey, isObject } from "../lib/json.ts";
import type { Decision } from "./result.ts";

const MODEL_GAVE_NO_VERDICT: Help = {
  cause: "The reply of the model is empty, is not JSON, or does not decide. The call is denied on events that guard.",
  cure: "Say in the prompt which decisions there are, or take a stronger model.",
};

/** A reply without a verdict. */
class ReplyError extends UserError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, { ...options, help: MODEL_GAVE_NO_VERDICT });
  }
}

export interface Verdict<D extends string = Decision> {
  decision: D;
  reason: string;
}

/**
 * Reads the verdict in a model's reply, which may be inside a code fence or prose. Throws an error if there is none, or
 * one that is not among `decisions`. A reply with two different decisions is an error too: one of them may be an
 * argument that the model quotes.
 */
export function parseVerdict<const D extends string>(reply: string, decisions: readonly D[]): Verdict<D> {
  const text = withoutFence(reply.trim());
  if (text === "") throw new ReplyError("empty model reply");
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start < 0 || end < start) throw new ReplyError("no JSON object in reply");
  const verdicts = findDecisions(text.slice(start, end + 1)).map((answer) => readVerdict(answer, decisions));
  const verdict = verdicts.at(-1);
  if (!verdict) throw new ReplyError("parse decision json: no object with a decision");
  const other = verdicts.find(({ decision }) => decision !== verdict.decision);
  if (other)
    throw new ReplyError(`parse decision json: the reply decides both ${other.decision} and ${verdict.decision}`);
  return verdict;
}

/**
 * Reads a reply that must be one object with exactly `decision` and `reason`, as a guard needs it: no fence, no prose, no
 * other spelling, and no key twice. The error does not quote the reply, which may repeat the text that the guard judges.
 */
export function parseGuardVerdict<const D extends string>(reply: string, decisions: readonly D[]): Verdict<D> {
  const { decision, reason, ...others } = exactObject(reply) ?? {};
  if (typeof decision !== "string" || typeof reason !== "string" || Object.keys(others).length > 0)
    throw new ReplyError("invalid guard verdict");
  const known = decisions.find((one) => one === decision);
  if (!known) throw new ReplyError(`guard verdict must be ${decisions.join(" or ")}`);
  return { decision: known, reason };
}

/** Returns the reply as an object if it is nothing else, and names no key twice. */
function exactObject(reply: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(reply);
    return isObject(value) && findRepeatedKey(reply) === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Removes a code fence: the first line of backticks with its language, and the trailing backticks. */
function withoutFence(text: string): string {
  if (!text.startsWith("```")) return text;
  const line = text.indexOf("\n");
  const inner = line < 0 ? "" : text.slice(line + 1);
  return (inner.endsWith("```") ? inner.slice(0, -3) : inner).trim();
}

/** Returns the text as one object if it is one, else the objects in it that have a decision. */
function findDecisions(text: string): Record<string, unknown>[] {
  try {
    return [parseObject(text)];
  } catch (error) {
    const answers = cutObjects(text).flatMap((part) => parsePart(part));
    if (answers.length > 0) return answers;
    throw error;
  }
}

function parseObject(text: string): Record<string, unknown> {
  const value = parseJson(text);
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined) throw new ReplyError(`parse decision json: repeated key ${JSON.stringify(repeated)}`);
  if (!isObject(value)) throw new ReplyError("no JSON object in reply");
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ReplyError(`parse decision json: ${errorText(error)}`, { cause: error });
  }
}

/** Ignores braces in prose, but not a broken object that mentions a decision: it may be the verdict. */
function parsePart(part: string): Record<string, unknown>[] {
  try {
    const value = parseObject(part);
    return Object.hasOwn(value, "decision") ? [value] : [];
  } catch (error) {
    if (part.includes("decision")) throw error;
    return [];
  }
}

/** Returns the outermost parts in balanced braces. A part whose brace is never closed reaches to the end. */
function cutObjects(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "{" && depth++ === 0) start = at;
    else if (char === "}" && depth > 0 && --depth === 0) parts.push(text.slice(start, at + 1));
    else if (char === '"' && depth > 0) at = endOfString(text, at);
  }
  return depth > 0 ? [...parts, text.slice(start)] : parts;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function readVerdict<D extends string>(answer: Record<string, unknown>, decisions: readonly D[]): Verdict<D> {
  const said = textOf(answer, "decision");
  const decision = decisions.find((one) => one === said.toLowerCase());
  if (!decision) throw new ReplyError(`invalid decision ${JSON.stringify(said)} (want ${decisions.join("|")})`);
  return { decision, reason: textOf(answer, "reason") || "no reason provided" };
}

function textOf(answer: Record<string, unknown>, key: string): string {
  const value = Object.hasOwn(answer, key) ? (answer[key] ?? "") : "";
  if (typeof value !== "string") throw new ReplyError(`parse decision json: ${key} is not a string`);
  return value.trim();
}
