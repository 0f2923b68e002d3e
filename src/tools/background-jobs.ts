import type { Env } from "../lib/env.ts";
import { UserError } from "../lib/errors.ts";
import { settleWithin } from "../lib/settle-within.ts";
import { type Job, startJob } from "./background-jobs/background-job.ts";
import { checkedTool } from "./checked-tool.ts";
import { flag, integer, optional, text } from "./parameters.ts";
import { commandDirectory } from "./run-command.ts";
import { platformText } from "./shell.ts";
import { type Tool, type ToolContext, type ToolResult, type Toolset, type ToolsetContext, toolError } from "./tool.ts";

const DEFAULT_WAIT = 60;

/** In seconds. */
const MAX_WAIT = 86_400;

/** State that the tools of one toolset share. */
interface Scope {
  jobs: Map<string, Job>;
  toolsetEnv: Env;
  processEnv: Env;
}

/** The keys of an entry. */
interface Options {
  env?: Env;
  recall?: boolean;
}

/** `background_jobs`: commands that run while the agent does something else. */
export function create({ env = {}, recall = false }: Options, context: ToolsetContext): Toolset {
  const scope: Scope = { jobs: new Map(), toolsetEnv: env, processEnv: context.env };
  const run = recall ? recallableRunTool(scope) : runTool(scope);
  return {
    tools: [run, listTool(scope), viewTool(scope), stopTool(scope), waitTool(scope)],
    instructions: [
      "Use `run_background_job` for commands that run for a long time or never end (a server, a watcher, a long build).",
      "It returns a job id for the other tools. All jobs are killed when the session ends.",
    ].join("\n"),
    work: () => [...scope.jobs.values()],
    close: async () => {
      await Promise.all([...scope.jobs.values()].map((job) => job.stop()));
    },
  };
}

const RUN_PARAMETERS = {
  cmd: text("The command line to run."),
  cwd: optional(text("Where to run it; relative to the session's working directory, which is the default.")),
};

const RECALL = { recall: optional(flag("Send the output as a message when the job has ended.")) };

function runTool(scope: Scope): Tool {
  const parameters = RUN_PARAMETERS;
  return checkedTool({ ...runDeclaration(scope), parameters, run: (input, context) => start(scope, input, context) });
}

function recallableRunTool(scope: Scope): Tool {
  const parameters = { ...RUN_PARAMETERS, ...RECALL };
  return checkedTool({ ...runDeclaration(scope), parameters, run: (input, context) => start(scope, input, context) });
}

function runDeclaration({ processEnv, toolsetEnv }: Scope) {
  return {
    name: "run_background_job",
    title: "Run Background Job",
    description: `Starts a command line with ${platformText(processEnv)} and returns its job id at once.`,
    category: "background_jobs",
    readOnly: false,
    describable: true,
    aliases: { command: "cmd" },
    commandEnv: toolsetEnv,
  };
}

function start(scope: Scope, input: { cmd: string; cwd?: string; recall?: boolean }, context: ToolContext): ToolResult {
  if (input.cmd.trim() === "") return toolError("Error: cmd is blank");
  const cwd = commandDirectory(input.cwd, context.workingDir);
  const job = startJob(input.cmd, cwd, { ...context.env, ...scope.toolsetEnv });
  scope.jobs.set(job.id, job);
  if (input.recall) {
    void job.ended.then(() => {
      if (job.status() !== "stopped") context.steer?.(`Background job ${describe(job)}\n${outputOf(job)}`);
    });
  }
  return { text: `Background job started: ${job.id}\nCommand: ${job.what}\nDirectory: ${cwd}` };
}

function listTool({ jobs }: Scope): Tool {
  return checkedTool({
    name: "list_background_jobs",
    title: "List Background Jobs",
    description: "Lists all background jobs with their status.",
    category: "background_jobs",
    readOnly: true,
    describable: true,
    parameters: {},
    run: () => ({ text: [...jobs.values()].map(describe).join("\n") || "No background jobs" }),
  });
}

const JOB_ID = { job_id: text("The id that run_background_job returned.") };

function viewTool({ jobs }: Scope): Tool {
  return checkedTool({
    name: "view_background_job",
    title: "View Background Job",
    description: "Shows the status of a background job and what it has printed so far.",
    category: "background_jobs",
    readOnly: true,
    describable: true,
    parameters: JOB_ID,
    run: ({ job_id }) => ({ text: render(find(jobs, job_id)) }),
  });
}

function stopTool({ jobs }: Scope): Tool {
  return checkedTool({
    name: "stop_background_job",
    title: "Stop Background Job",
    description: "Stops a background job and every process that it started.",
    category: "background_jobs",
    readOnly: false,
    describable: true,
    parameters: JOB_ID,
    run: async ({ job_id }) => {
      const job = find(jobs, job_id);
      if (job.status() !== "running") return toolError(`Error: job ${job_id} is not running (${job.status()})`);
      await job.stop();
      return { text: `Background job stopped: ${job_id}` };
    },
  });
}

function waitTool({ jobs }: Scope): Tool {
  return checkedTool({
    name: "wait_background_job",
    title: "Wait for Background Job",
    description: "Waits for a background job to end and shows what it printed.",
    category: "background_jobs",
    readOnly: true,
    describable: true,
    parameters: { ...JOB_ID, timeout: optional(integer("Maximum seconds to wait. Default 60.")) },
    run: async ({ job_id, timeout = DEFAULT_WAIT }, { signal }) => {
      const job = find(jobs, job_id);
      const seconds = timeout > 0 ? Math.min(timeout, MAX_WAIT) : DEFAULT_WAIT;
      await settleWithin(job.ended, { ms: seconds * 1000, signal });
      if (signal.aborted) return toolError("Command cancelled");
      const notice = job.status() === "running" ? `\n\nStill running after ${seconds} seconds.` : "";
      return { text: render(job) + notice };
    },
  });
}

function find(jobs: ReadonlyMap<string, Job>, id: string): Job {
  const job = jobs.get(id);
  if (job) return job;
  throw new UserError(`no job ${JSON.stringify(id)}; known are: ${[...jobs.keys()].join(", ") || "none"}`);
}

function describe(job: Job): string {
  const failure = job.failure();
  return `${job.id} (${job.status()}${failure === undefined ? "" : `, ${failure}`}): ${job.what}`;
}

function render(job: Job): string {
  return `${describe(job)}\n\n${outputOf(job)}`;
}

function outputOf(job: Job): string {
  return job.output().trim() || "<no output>";
}
