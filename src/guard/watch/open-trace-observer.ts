import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json" with { type: "json" };
import type { DispatchObserver } from "../../engine/dispatch-record.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { rememberVariables } from "../../lib/secrets/known-secrets.ts";
import { activeTracer } from "../../trace/active.ts";
import { TRACE_FOLDER } from "../../trace/names.ts";
import { openTrace } from "../../trace/open-trace.ts";
import type { Redact } from "../../trace/tracer.ts";
import { traceObserver } from "./trace-observer.ts";
import type { TraceTarget, WatchOptions } from "./watch-options.ts";

/** How long the end of a command may wait for the collector. A host waits at least 250 ms after its answer. */
const CLOSE_WITHIN_MS = { run: 2000, serve: 2000, dispatch: 200 } as const;

/** Turns tracing on for this process unless it is on, and returns the observer that traces dispatches. */
export async function openTraceObserver(
  { file }: TraceTarget,
  { source, directories, warn }: WatchOptions,
): Promise<DispatchObserver> {
  const running = activeTracer(); // set if serve reads changed hooks again
  if (running) return traceObserver(running);
  rememberVariables(processEnv());
  const tracer = await openTrace({
    file: file === true ? fileOfToday(directories, warn) : file,
    env: processEnv(),
    version,
    sharesTrace: source === "run",
    closeWithinMs: CLOSE_WITHIN_MS[source],
    timeoutMs: source === "dispatch" ? CLOSE_WITHIN_MS.dispatch : undefined, // a retry would come too late
    loadRedactor,
    warn,
  });
  return traceObserver(tracer);
}

function fileOfToday(directories: Directories, warn: WatchOptions["warn"]): string {
  const folder = join(directories.data, TRACE_FOLDER);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    warn(`${folder}: cannot be created: ${errorText(error)}`);
  }
  return join(folder, `${new Date().toISOString().slice(0, 10)}.jsonl`);
}

async function loadRedactor(): Promise<Redact> {
  const { redactorOf } = await import("../../redaction/redaction-settings.ts");
  return (text) => redactorOf([]).redact(text); // made anew for each text, because more secrets may be known by now
}
