import { runProcess } from "../../lib/process/process.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import type { HandlerFactory } from "../hook.ts";
import { exitHint } from "./exit-hint.ts";

/** What is kept of each stream of a hook. Beyond it on standard output the hook is ended and fails. */
export const OUTPUT_LIMIT = 10 * 1024 * 1024;

/**
 * Runs a command through the platform's shell, with the input on standard input. Everything it starts is ended with it
 * at its deadline, in its own process group and out of it where the platform lets us find it.
 */
export const commandHandler: HandlerFactory = (hook, environment) => ({
  // SIGTERM, one second of grace, SIGKILL, and the rest of its output.
  lingerMs: 1900,
  async run(input, signal) {
    if (hook.command.trim() === "") return { kind: "failed", error: "command hook requires a non-empty command" };
    const { end, stdout, stdoutIsUtf8, stderr, hasSurvivors } = await runProcess({
      command: shellCommand(hook.command, environment.env, hook.args),
      cwd: environment.workingDir,
      env: environment.env,
      input: input.json(),
      signal,
      stdoutLimit: OUTPUT_LIMIT,
      stderrLimit: OUTPUT_LIMIT,
    });
    if (hasSurvivors)
      environment.log("warn", `hook ${JSON.stringify(hook.command)} left a process behind that could not be ended`);
    switch (end.kind) {
      case "exited":
        return {
          kind: "exited",
          exitCode: end.code,
          stdout,
          stderr,
          isUtf8: stdoutIsUtf8,
          ...exitHint({ command: hook.command, exitCode: end.code, stderr }, environment),
        };
      case "signaled":
        return { kind: "failed", error: `killed by ${end.signal}`, stderr };
      case "flooded":
        return {
          kind: "failed",
          error: `standard output exceeded the limit of ${OUTPUT_LIMIT} bytes (10 MiB)`,
          stderr,
        };
      case "not_started":
        return { kind: "failed", error: end.error, stderr };
      case "timed_out":
      case "aborted":
        return { kind: "failed", error: "ended before it answered", stderr };
    }
  },
});
