import { expect, test } from "bun:test";
import { defineHook, type HookDefinition } from "../../src/config/hooks/read-hooks.ts";
import type { RanHook } from "../../src/engine/dispatch-record.ts";
import type { Outcome } from "../../src/engine/handler.ts";
import { reportOutcomes, transcript } from "../../src/engine/hook-log.ts";
import { type CompiledHook, compileHooks } from "../../src/engine/match.ts";
import { contractOf } from "../../src/protocol/events.ts";

const failed: Outcome = { kind: "failed", reason: "failed", error: "exited with status 1", stderr: "" };

function compiled(hook: HookDefinition): CompiledHook {
  const source = async () => "hooks.yaml:1";
  const hooks = compileHooks([{ event: "turn_start", matcher: "", lane: "default", hook, path: [], source }]);
  return hooks[0] as CompiledHook;
}

function ranHook(hook: CompiledHook, outcome: Outcome): RanHook {
  const place = { lane: "default", stage: "concurrent", call: undefined } as const;
  const contract = contractOf("turn_start");
  return { event: "turn_start", contract, hook: hook.entry.hook, outcome, compiled: hook, ...place };
}

/** What one outcome writes to the log and to `warn`. */
async function reported(outcome: Outcome, onError: "warn" | "ignore", hasWarn = false): Promise<unknown> {
  const log: unknown[] = [];
  const warnings: string[] = [];
  const hook = defineHook({ type: "command", command: "x", on_error: onError });
  await reportOutcomes(
    [ranHook(compiled(hook), outcome)],
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

test("an answer without effect is warned about once for each hook, with its place", async () => {
  const answered: Outcome = { kind: "answered", output: { hook_specific_output: { summary: "s" } } };
  const warnings: string[] = [];
  const report = (hook: CompiledHook) =>
    reportOutcomes(
      [ranHook(hook, answered)],
      () => {},
      (message) => void warnings.push(message),
    );
  const [first, second] = ["x", "y"].map((command) => compiled(defineHook({ type: "command", command })));
  await report(first as CompiledHook);
  await report(first as CompiledHook);
  await report(second as CompiledHook);
  const unused = "summary has no effect: turn_start takes additional_context, instruction_context";
  expect(warnings).toEqual([
    `turn_start hook "x" (hooks.yaml:1): ${unused}`,
    `turn_start hook "y" (hooks.yaml:1): ${unused}`,
  ]);
});

test("the log entry of a hook has its outcome, what it redacted, and its output unless it is suppressed", () => {
  const context = {
    event: "turn_start",
    contract: contractOf("turn_start"),
    hook: defineHook({ type: "command", command: "x" }),
  } as const;
  const exited = { kind: "exited", exitCode: 2, stdout: ` out${"x".repeat(5000)} `, stderr: "err\n" } as const;
  const start = 'turn_start hook "x": ';
  expect(transcript(context, { ...exited, stdout: " \n" }, { kind: "silent" })).toBe(
    `${start}silent, exit code 2\nstderr: err`,
  );
  expect(transcript(context, exited, { kind: "silent" })).toBe(
    `${start}silent, exit code 2\nstdout: out${"x".repeat(4093)}\nstderr: err`,
  );
  const suppressed = { kind: "answered", output: { suppress_output: true } } as const;
  expect(transcript(context, exited, suppressed)).toBe(`${start}answered, exit code 2\nstderr: err`);
  const returned = { kind: "returned", output: {} } as const;
  expect(transcript(context, returned, { kind: "answered", output: {}, redacted: { token: 2 } })).toBe(
    `${start}answered, redacted token 2`,
  );
});
