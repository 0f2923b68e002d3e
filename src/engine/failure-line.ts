import { processEnv } from "../lib/env.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import { cutBytesFromEnd } from "../lib/text/cut-text.ts";
import { escapeControls } from "../lib/text/escape-controls.ts";

/** Maximum bytes of standard error that are searched for secrets, and characters of its last line that are quoted. */
const SEARCHED = 64 * 1024;
const QUOTED = 300;
/** No secret is longer (see src/redaction/known-values.ts), so what follows this much of a cut text begins with none. */
const LONGEST_SECRET = 16 * 1024;

const NODE_VERSION = /^Node\.js v\d/;
const NODE_REASON = /^(?:Uncaught )?\w*(?:Error|Exception)\b.*:/;

/**
 * Returns the last line of a failing hook's standard error, where a traceback has its reason: without secrets and control
 * characters, and cut. Empty if nothing was printed.
 */
export async function failureLine(stderr: string): Promise<string> {
  const lines = (await redactedStderr(stderr)).split(/[\r\n]+/);
  const end = lines.at(-1) ?? "";
  // Node.js prints the reason first, then the stack and its version.
  const reason = NODE_VERSION.test(end) ? lines.find((line) => NODE_REASON.test(line)) : undefined;
  const last = escapeControls(reason ?? end);
  return last.length > QUOTED ? `${last.slice(0, QUOTED)}...` : last;
}

/** Returns what a failing hook printed on standard error, without secrets. */
export async function redactedStderr(stderr: string): Promise<string> {
  const whole = stderr.trim();
  const text = cutBytesFromEnd(whole, SEARCHED);
  if (text === "") return "";
  rememberVariables(processEnv());
  const { redactorOf } = await import("../redaction/redaction-settings.ts");
  const redacted = redactorOf([]).redact(text);
  // A cut text may begin with the rest of a secret, which cannot be recognised.
  return text === whole ? redacted : redacted.slice(LONGEST_SECRET);
}
