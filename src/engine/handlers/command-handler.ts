import type { HookDefinition } from "../../config/hooks/read-hooks.ts";
import type { ChildRequest } from "../../lib/process/child.ts";
import { hasStarted, startOf } from "../../lib/process/handed-over.ts";
import { runProcess } from "../../lib/process/process.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import {
  type FailureCategory,
  type HandlerEnvironment,
  type HandlerFactory,
  type HandlerResult,
  PROGRAM_OF_A_HOOK_FAILED,
} from "../handler.ts";
import { isUnstartable } from "../hook-policy.ts";

function requestOf({ command, args }: HookDefinition, { workingDir: cwd, env }: HandlerEnvironment): ChildRequest {
  return { command: shellCommand(command, env, args), cwd, env };
}

/** Maximum bytes kept of each output stream. A hook that prints more on standard output is killed and fails. */
export const OUTPUT_LIMIT = 10 * 1024 * 1024;

/**
 * Runs a command through the platform's shell, with the input on standard input. When the signal aborts, the command
 * and every process it started are killed, including those outside its process group that the platform lets us find.
 */
export const commandHandler: HandlerFactory = (hook, environment) => ({
  // One second between SIGTERM and SIGKILL, and time to read the remaining output.
  lingerMs: 1900,
  ...(hasStarted() ? { startedAt: startOf(requestOf(hook, environment)) } : {}),
  async run(input, signal) {
    if (hook.command.trim() === "") return { kind: "failed", error: "command hook requires a non-empty command" };
    const { end, stdout, stdoutIsUtf8, stderr, hasSurvivors } = await runProcess({
      ...requestOf(hook, environment),
      input: input.json(),
      signal,
      stdoutLimit: OUTPUT_LIMIT,
      stderrLimit: OUTPUT_LIMIT,
    });
    if (hasSurvivors)
      environment.log("warn", `hook ${JSON.stringify(hook.command)} left a process behind that could not be killed`);
    const failed = (error: string, category: FailureCategory): HandlerResult => {
      return { kind: "failed", error, stderr, category, help: PROGRAM_OF_A_HOOK_FAILED };
    };
    switch (end.kind) {
      case "exited": {
        const isStarted = !isUnstartable(end.code);
        return {
          kind: "exited",
          exitCode: end.code,
          stdout,
          stderr,
          isUtf8: stdoutIsUtf8,
          ...(isStarted ? {} : (await import("./exit-hint.ts")).exitHint(hook.command, stderr, environment)),
        };
      }
      case "signaled":
        return failed(`killed by ${end.signal}`, "killed by signal");
      case "flooded":
        return failed(`standard output exceeded the limit of ${OUTPUT_LIMIT} bytes (10 MiB)`, "invalid output");
      case "not_started":
        return failed(end.error, "could not be run");
      case "timed_out":
      case "aborted":
        return { kind: "failed", error: "ended before it answered", stderr };
    }
  },
});
