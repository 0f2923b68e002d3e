import { freezeJson, isFrozenJson } from "../../lib/frozen.ts";
import { plainTextLength } from "../../lib/json.ts";
import { type SecretCandidate, secretCandidates } from "../../lib/secrets/known-secrets.ts";
import { addKinds, type BuiltinRow, type RedactedKinds } from "../../protocol/builtin.ts";
import type { Message } from "../../protocol/fields.ts";
import type { HandlerInput, HandlerResult } from "../handler.ts";

/** What a redaction made of one message, which may be the message itself, and what it replaced there. */
interface Redacted {
  message: object;
  kinds: RedactedKinds;
}

type Known = WeakMap<object, Redacted>;

/** What a redaction with some arguments made of each message, knowing these secrets. */
const redactions = new WeakMap<BuiltinRow, Map<string, { secrets: readonly SecretCandidate[]; known: Known }>>();

interface Redaction {
  row: BuiltinRow;
  args: readonly string[];
  redact: (input: HandlerInput) => Promise<HandlerResult>;
  signal: AbortSignal;
}

/**
 * Redacts the messages of a request, each once: messages that {@link isFrozenJson | cannot change} are remembered, until
 * another secret is known. Reads everything again if any message may change. Lets timers fire between batches, so that a
 * deadline holds.
 */
export async function redactEachOnce(input: HandlerInput, redaction: Redaction): Promise<HandlerResult> {
  const messages = input.value["messages"] as readonly object[];
  const known = knownTo(redaction);
  const unknown = messages.filter((message) => !known.has(message));
  if (!unknown.every(isFrozenJson)) return redaction.redact(input);
  for (const [at, batch] of batchesOf(unknown, (redaction.row.inlineBelow ?? 0) / 2).entries()) {
    if (at > 0) await new Promise(setImmediate);
    const failure = await redactBatch(input, batch, { ...redaction, known });
    if (failure) return failure;
  }
  const redacted = messages.flatMap((message) => known.get(message) ?? []);
  const changed = redacted.filter(({ message }, at) => message !== messages[at]);
  if (changed.length === 0) return { kind: "returned", output: undefined };
  const updated = redacted.map(({ message }) => message as Message);
  const output = { hook_specific_output: { hook_event_name: "before_llm_call" as const, updated_messages: updated } };
  return { kind: "returned", output, redacted: changed.map(({ kinds }) => kinds).reduce(addKinds) };
}

function knownTo({ row, args }: Redaction): Known {
  const secrets = secretCandidates();
  const ofRow = redactions.get(row) ?? new Map<string, { secrets: readonly SecretCandidate[]; known: Known }>();
  redactions.set(row, ofRow);
  const key = JSON.stringify(args);
  const last = ofRow.get(key);
  if (last?.secrets === secrets) return last.known;
  const known: Known = new WeakMap();
  ofRow.set(key, { secrets, known });
  return known;
}

/** Parts a list so that no part has more characters than this, unless it is one message. */
function batchesOf(messages: readonly object[], most: number): object[][] {
  const batches: object[][] = [];
  let left = 0;
  for (const message of messages) {
    const size = plainTextLength(message) ?? most;
    const batch = batches.at(-1);
    if (batch && size < left) batch.push(message);
    else {
      batches.push([message]);
      left = most;
    }
    left -= size;
  }
  return batches;
}

/** Notes what becomes of each message of a batch. Returns the result if the redaction failed. */
async function redactBatch(
  input: HandlerInput,
  batch: readonly object[],
  options: Redaction & { known: Known },
): Promise<HandlerResult | undefined> {
  const { redact, signal, known } = options;
  if (signal.aborted) return { kind: "failed", error: "ended before it answered" };
  const result = await redact(withMessages(input, batch));
  if (result.kind !== "returned") return result;
  const updated = result.output?.hook_specific_output?.updated_messages;
  const [first] = batch;
  if (updated === undefined) for (const message of batch) known.set(message, { message, kinds: {} });
  else if (first && batch.length === 1) {
    known.set(first, { message: freezeJson(updated[0] ?? first), kinds: result.redacted ?? {} });
  } else {
    // What was replaced is counted for each message.
    for (const message of batch) {
      const failure = await redactBatch(input, [message], options);
      if (failure) return failure;
    }
  }
  return undefined;
}

function withMessages(input: HandlerInput, messages: readonly object[]): HandlerInput {
  const value = { ...input.value, messages };
  return {
    value,
    json: () => {
      input.json(); // notes that the input cannot be written
      return JSON.stringify(value);
    },
  };
}
