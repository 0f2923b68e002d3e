import { expect, test } from "bun:test";
import { defineHook } from "../../src/config/hooks/read-hooks.ts";
import type { Outcome } from "../../src/engine/handler.ts";
import { reportOutcomes } from "../../src/engine/hook-log.ts";
import { contractOf } from "../../src/protocol/events.ts";

const failed: Outcome = { kind: "failed", reason: "failed", error: "exited with status 1", stderr: "" };

/** What one outcome writes to the log and to `warn`. */
async function reported(outcome: Outcome, onError: "warn" | "ignore", hasWarn = false): Promise<unknown> {
  const log: unknown[] = [];
  const warnings: string[] = [];
  const hook = defineHook({ type: "command", command: "x", on_error: onError });
  const hookOutcome = { event: "turn_start", contract: contractOf("turn_start"), hook, outcome } as const;
  await reportOutcomes(
    [hookOutcome],
    [],
    (level, message) => void log.push([level, message]),
    hasWarn ? (message) => void warnings.push(message) : undefined,
  );
  return { log, warnings };
}

const FAILURE = 'turn_start hook failed to execute: hook "x": exited with status 1';

test("a failure is logged once, as a warning, or at the debug level if it is ignored", async () => {
  expect(await reported(failed, "warn")).toEqual({ log: [["warn", FAILURE]], warnings: [] });
  expect(await reported(failed, "ignore")).toEqual({ log: [["debug", FAILURE]], warnings: [] });
});

test("a warning about output goes to the caller, and to the log if the caller takes none", async () => {
  const outcome: Outcome = { kind: "silent", warning: "odd" };
  const message = 'turn_start hook "x": odd';
  expect(await reported(outcome, "warn", true)).toEqual({ log: [], warnings: [message] });
  expect(await reported(outcome, "warn")).toEqual({ log: [["warn", message]], warnings: [] });
  expect(await reported({ kind: "silent" }, "warn", true)).toEqual({ log: [], warnings: [] });
});
