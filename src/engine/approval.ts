import type { Help } from "../lib/errors.ts";
import { findRepeatedKey, isObject, omitEmpty } from "../lib/json.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import { BLOCK, OUTPUT_FIELDS } from "../protocol/output.ts";
import type { FailureCategory, HandlerFactory, HandlerResult } from "./handler.ts";

const TEXT_NOT_APPROVED: Help = {
  cause:
    'A hook on `skill_content_guard` or `prompt_file_guard` did not approve the text: only exit code 0 and one object with `"continue": true` and no other key than those of a [content guard](hooks.md#content-guards) approve. The message never quotes the hook, which may repeat the text.',
  cure: "Read the text: the audit log has its path and digest. To see why the hook failed, run it by hand with the event on standard input. A file that cannot be read counts as rejected while there is a guard.",
};

/**
 * Wraps the handler of a hook on an event on which every hook must approve. The result holds the verdict and the exit
 * code of the hook, and no text of it: a judge may repeat the text that it judges. The hook logs nothing either.
 */
export function approvalHandler(create: HandlerFactory): HandlerFactory {
  return (hook, environment) => {
    const { event } = environment;
    const handler = create(hook, { ...environment, log: () => {} });
    return {
      ...omitEmpty({ lingerMs: handler.lingerMs }),
      run: async (input, signal) => {
        try {
          return verdictResult(event, await handler.run(input, signal));
        } catch {
          return failure("could not be run");
        }
      },
    };
  };
}

function verdictResult(event: EventName, result: HandlerResult): HandlerResult {
  switch (result.kind) {
    case "failed":
      return failure(result.category ?? "could not be run");
    case "returned":
      return resultOf(event, readValue(event, result.output));
    case "exited": {
      const { exitCode } = result;
      if (exitCode === 0) return resultOf(event, readText(event, result), exitCode);
      if (exitCode !== 2) return failure(`exited with status ${exitCode}`, exitCode);
      return { kind: "exited", exitCode, stdout: JSON.stringify({ reason: rejectionOf(event) }), stderr: "" };
    }
  }
}

type Reading = "approved" | "rejected" | "no explicit verdict" | "invalid output";

/** Returns a result that says the same as the hook, in words of hooksh. */
function resultOf(event: EventName, reading: Reading, exitCode?: number): HandlerResult {
  if (reading === "no explicit verdict" || reading === "invalid output") return failure(reading, exitCode);
  const output = reading === "approved" ? { continue: true } : { decision: BLOCK, reason: rejectionOf(event) };
  return exitCode === undefined
    ? { kind: "returned", output }
    : { kind: "exited", exitCode, stdout: JSON.stringify(output), stderr: "" };
}

function failure(category: FailureCategory, exitCode?: number): HandlerResult {
  return { kind: "failed", error: category, ...omitEmpty({ exitCode }), help: TEXT_NOT_APPROVED };
}

function rejectionOf(event: EventName): string {
  return contractOf(event).rejection ?? "";
}

function readText(event: EventName, { stdout, isUtf8 = true }: HandlerResult & { kind: "exited" }): Reading {
  if (stdout.trim() === "") return "no explicit verdict";
  try {
    const value: unknown = JSON.parse(stdout);
    // The parser keeps the last of two equal keys.
    return isUtf8 && findRepeatedKey(stdout) === undefined ? readValue(event, value) : "invalid output";
  } catch {
    return "invalid output";
  }
}

/** Reads the object that a hook printed or returned. A known key with null counts as absent, except for a verdict. */
function readValue(event: EventName, value: unknown): Reading {
  if (value === undefined) return "no explicit verdict";
  if (!isObject(value)) return "invalid output";
  if (!Object.entries(value).every(([key, inner]) => isValidField(event, key, inner))) return "invalid output";
  if (value["continue"] === false || value["decision"] === BLOCK) return "rejected";
  return value["continue"] === true ? "approved" : "no explicit verdict";
}

function isValidField(event: EventName, key: string, value: unknown): boolean {
  if (!Object.hasOwn(OUTPUT_FIELDS, key)) return false;
  if (value === undefined || value === null) return true;
  switch (key) {
    case "continue":
      return typeof value === "boolean";
    case "suppress_output":
      return value === false;
    case "decision":
      return value === "" || value === BLOCK;
    case "hook_specific_output":
      return isObject(value) && Object.entries(value).every(([name, of]) => name === "hook_event_name" && of === event);
    default:
      return typeof value === "string";
  }
}
