import { appendFileSync } from "node:fs";
import { errorText } from "../../lib/errors.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import { knownCost } from "../../runtime/session/session-cost.ts";
import type { RunAccount } from "./run-account.ts";

/** The longest answer in bytes: GitHub refuses more than 1 MiB of outputs. */
const MAX_ANSWER = 1024 * 1024 - 4096;

/**
 * Appends the outputs of a run to the file of the workflow's step. A delimiter that nobody can guess ends each value, so that
 * no text of a model can set another output. Returns a warning: the answer was cut, or nothing could be written. Never throws.
 */
export function writeStepOutputs(
  file: string,
  account: RunAccount,
  redact: (text: string) => string,
): string | undefined {
  const { ledger, exitCode, reason } = account;
  const answer = reason === "answered" ? redact(ledger.answer?.text ?? "") : "";
  const outputs = {
    answer: cutBytes(answer, MAX_ANSWER),
    cost: String(knownCost(ledger.meter.cost, ledger.meter.unpriced.size > 0) ?? ""),
    "exit-code": String(exitCode),
    denied: String(ledger.deniedCount),
    session: ledger.sessionId ?? "",
  };
  const delimiter = `hooksh-${crypto.randomUUID()}`;
  const text = Object.entries(outputs).map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`);
  try {
    appendFileSync(file, text.join(""));
  } catch (error) {
    return `${file}: cannot write the outputs of the step: ${errorText(error)}`;
  }
  return outputs.answer === answer
    ? undefined
    : "the answer is longer than 1 MiB, so the output answer holds its beginning";
}
