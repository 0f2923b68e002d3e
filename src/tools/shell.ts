import { basename } from "node:path";
import * as v from "valibot";
import { formatDuration } from "../lib/duration.ts";
import type { Env } from "../lib/env.ts";
import type { ProcessEnd } from "../lib/process.ts";
import { shellCommand } from "../lib/shell.ts";
import { checkedTool } from "./checked-tool.ts";
import { commandDirectory, type CommandResult, failureText, runCommand } from "./command.ts";
import { integer, optional, text } from "./parameters.ts";
import { defineToolset, type Tool, toolError, type ToolResult } from "./tool.ts";

const DEFAULT_TIMEOUT = 30;

/** The longest a timer can wait, in seconds. */
const LONGEST_TIMEOUT = 2_000_000;

/** `shell`: one tool that runs a command line. Source: config-and-cli 5.2. */
export const shell = defineToolset({
  summary: "Runs command lines in the user's shell.",
  options: {
    env: v.exactOptional(v.record(v.string(), v.string())),
    sudo_askpass: v.exactOptional(v.boolean()),
    safer: v.exactOptional(v.unknown()),
  },
  create: ({ env = {} }, context) => ({
    tools: [shellTool(env, context.env)],
    instructions: [
      "Every shell call starts a new process in the session's working directory: `cd` and variables do not carry over.",
      "Use `cwd` instead of `cd`, and raise `timeout` for commands that need longer than 30 seconds.",
      "A result that begins with `Error executing command` shows the exit status and what was printed.",
    ].join("\n"),
  }),
});

/** Names the shell and the operating system that a command line will meet. */
export function platformText(env: Env): string {
  return `${basename(shellCommand("", env)[0] ?? "sh")} on ${process.platform}`;
}

function shellTool(toolsetEnv: Env, processEnv: Env): Tool {
  return checkedTool({
    name: "shell",
    title: "Shell",
    description: `Runs a command line with ${platformText(processEnv)} and returns what it printed on both streams.`,
    category: "shell",
    readOnly: false,
    describable: true,
    aliases: { command: "cmd" },
    parameters: {
      cmd: text("The command line to run."),
      cwd: optional(text("Where to run it; relative to the session's working directory, which is the default.")),
      timeout: optional(integer("Seconds until the command is ended. Default 30.")),
    },
    run: async ({ cmd, cwd, timeout = DEFAULT_TIMEOUT }, context) => {
      if (cmd.trim() === "") return toolError("Error: cmd is blank");
      const seconds = timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT) : DEFAULT_TIMEOUT;
      const result = await runCommand({
        text: cmd,
        cwd: commandDirectory(cwd, context.workingDir),
        env: { ...context.env, ...toolsetEnv },
        deadlineMs: seconds * 1000,
        signal: context.signal,
        onOutput: context.onOutput,
      });
      return renderResult(result, seconds);
    },
  });
}

/** A non-zero exit and a time-out are not errors of the tool: hooks tell them by the text. */
function renderResult({ end, output }: CommandResult, seconds: number): ToolResult {
  if (end.kind === "aborted") return toolError("Command cancelled");
  if (end.kind === "not_started") return toolError(`Error starting command: ${end.error}`);
  const lead = leadOf(end, seconds);
  return { text: (lead === undefined ? output : `${lead}\nOutput: ${output}`).trim() || "<no output>" };
}

function leadOf(end: ProcessEnd, seconds: number): string | undefined {
  if (end.kind === "timed_out") return `Command timed out after ${formatDuration(seconds * 1000)}`;
  const failure = failureText(end);
  return failure === undefined ? undefined : `Error executing command: ${failure}`;
}
