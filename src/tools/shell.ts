import { basename } from "node:path";
import type { Env } from "../lib/env.ts";
import { shellCommand } from "../lib/process/system-shell.ts";
import { checkedTool } from "./checked-tool.ts";
import { integer, optional, text } from "./parameters.ts";
import { commandDirectory, MAX_TIMEOUT_MS, renderCommand, runCommand } from "./run-command.ts";
import { type Tool, type Toolset, type ToolsetContext, toolError } from "./tool.ts";

const DEFAULT_TIMEOUT = 30;

/** `shell`: a tool that runs a command line. */
export function create({ env = {} }: { env?: Env }, context: ToolsetContext): Toolset {
  return {
    tools: [shellTool(env, context.env)],
    instructions: [
      "Every shell call starts a new process in the session's working directory: `cd` and variables do not carry over.",
      "Use `cwd` instead of `cd`, and raise `timeout` for commands that need longer than 30 seconds.",
      "A result that begins with `Error executing command` shows the exit status and the output.",
    ].join("\n"),
  };
}

/** Returns the shell and operating system that command lines run in. */
export function platformText(env: Env): string {
  return `${basename(shellCommand("", env)[0] ?? "sh")} on ${process.platform}`;
}

function shellTool(toolsetEnv: Env, processEnv: Env): Tool {
  return checkedTool({
    name: "shell",
    title: "Shell",
    description: `Runs a command line with ${platformText(processEnv)} and returns the output of both streams.`,
    category: "shell",
    readOnly: false,
    describable: true,
    aliases: { command: "cmd" },
    commandEnv: toolsetEnv,
    parameters: {
      cmd: text("The command line to run."),
      cwd: optional(text("Where to run it; relative to the session's working directory, which is the default.")),
      timeout: optional(integer("Seconds until the command is killed. Default 30.")),
    },
    run: async ({ cmd, cwd, timeout = DEFAULT_TIMEOUT }, context) => {
      if (cmd.trim() === "") return toolError("Error: cmd is blank");
      const deadlineMs = Math.min((timeout > 0 ? timeout : DEFAULT_TIMEOUT) * 1000, MAX_TIMEOUT_MS);
      const result = await runCommand({
        text: cmd,
        cwd: commandDirectory(cwd, context.workingDir),
        env: { ...context.env, ...toolsetEnv },
        deadlineMs,
        signal: context.signal,
        onOutput: context.onOutput,
      });
      if (result.end.kind === "aborted") return toolError("Command cancelled");
      if (result.end.kind === "not_started") return toolError(`Error starting command: ${result.end.error}`);
      // A non-zero exit status and a timeout are not errors of the tool: hooks recognise them by the text.
      return { text: renderCommand(result, deadlineMs) };
    },
  });
}
