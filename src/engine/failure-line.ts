import { processEnv } from "../lib/env.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import { cutBytesFromEnd } from "../lib/text/cut-text.ts";
import { escapeControls } from "../lib/text/escape-controls.ts";

/** Maximum bytes of standard error that are searched for secrets, and characters of its last line that are quoted. */
const SEARCHED = 64 * 1024;
const QUOTED = 300;

/**
 * Returns the last line of a failing hook's standard error, where a traceback has its reason: without secrets and control
 * characters, and cut. Empty if nothing was printed.
 */
export async function failureLine(stderr: string): Promise<string> {
  const text = await redactedStderr(stderr);
  const last = escapeControls(text.split(/[\r\n]+/).at(-1) ?? "");
  return last.length > QUOTED ? `${last.slice(0, QUOTED)}...` : last;
}

/** Returns what a failing hook printed on standard error, without secrets. */
export async function redactedStderr(stderr: string): Promise<string> {
  const text = cutBytesFromEnd(stderr.trim(), SEARCHED);
  if (text === "") return "";
  rememberVariables(processEnv());
  const { redactorOf } = await import("../redaction/redaction-settings.ts");
  return redactorOf([]).redact(text);
}
