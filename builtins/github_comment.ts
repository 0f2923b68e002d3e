import { errorText } from "../src/lib/errors.ts";
import { blankValues } from "../src/lib/secrets/blank-values.ts";
import { type BuiltinContext, type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import type { HookOutput } from "../src/protocol/output.ts";
import { type Account, markerOf, renderAccount } from "./github/account.ts";
import { openComments } from "./github/comments.ts";
import { findTarget } from "./github/target.ts";

const TIME_LIMIT_MS = 30_000;
const MAX_SESSIONS = 64;
const MAX_DENIED = 50;
const MAX_PROBLEMS = 5;

/** The state kept for a session between events. */
interface Memory extends Account {
  denied: Map<string, { tool: string; source: string; count: number }>;
  problems: string[];
  comment?: { id: number; body: string };
  /** The problems already reported to the user. */
  reported: Set<string>;
  /** The last request to GitHub. Each waits for the one before it, so that only one comment is created. */
  posting: Promise<unknown>;
}

type Sessions = Map<string, Memory>;

/**
 * Keeps one comment on an issue or pull request up to date with a session: its outcome, its cost and the tool calls
 * that were denied. `stop`, `session_end`, `on_error` and `notification` post; `on_tool_approval_decision` and
 * `after_llm_call` only collect. A problem is reported to the user once, and never blocks.
 */
export const run = defineBuiltin(async (input, [argument], context) => {
  const sessions = context.memory((): Sessions => new Map());
  const memory = memoryOf(sessions, input.session_id);
  if (input.agent_name) memory.agent = input.agent_name;
  if (!collect(memory, input)) return undefined;
  const posted = memory.posting.then(() => post(memory, input.session_id, argument, context));
  memory.posting = posted;
  const problem = await posted;
  if (input.hook_event_name === "session_end") sessions.delete(input.session_id);
  return problem === undefined ? undefined : reportOnce(memory, problem);
});

function memoryOf(sessions: Sessions, sessionId: string): Memory {
  const known = sessions.get(sessionId);
  const memory = known ?? {
    agent: "",
    outcome: "",
    cost: undefined,
    denied: new Map(),
    problems: [],
    reported: new Set(),
    posting: Promise.resolve(),
  };
  sessions.delete(sessionId); // inserted again, it is the most recent one
  sessions.set(sessionId, memory);
  for (const oldest of sessions.keys()) {
    if (sessions.size <= MAX_SESSIONS) break;
    sessions.delete(oldest);
  }
  return memory;
}

/** Updates the state from an event. True if the comment has to be posted again. */
function collect(memory: Memory, input: BuiltinInput): boolean {
  switch (input.hook_event_name) {
    case "on_tool_approval_decision":
      if (input.approval_decision === "deny") countDenied(memory, input.tool_name ?? "", input.approval_source ?? "");
      return false;
    case "after_llm_call":
      if (input.cost !== undefined) memory.cost = (memory.cost ?? 0) + input.cost;
      return false;
    case "stop":
      memory.outcome = "answered";
      return true;
    case "on_error":
      addProblem(memory, input.notification_message ?? "");
      memory.outcome = "failed";
      return true;
    case "notification":
      addProblem(memory, input.notification_message ?? "");
      if (input.notification_level === "error") memory.outcome = "failed";
      else memory.outcome ||= "working";
      return true;
    default:
      if (memory.outcome !== "failed") memory.outcome = "finished";
      return true;
  }
}

function countDenied({ denied }: Memory, tool: string, source: string): void {
  const key = JSON.stringify([tool, source]);
  const entry = denied.get(key) ?? { tool, source, count: 0 };
  if (denied.size < MAX_DENIED || denied.has(key)) denied.set(key, { ...entry, count: entry.count + 1 });
}

function addProblem({ problems }: Memory, message: string): void {
  if (message !== "" && !problems.includes(message) && problems.length < MAX_PROBLEMS) problems.push(message);
}

/** Creates or updates the comment. Returns why that failed, or undefined. Never throws. */
async function post(
  memory: Memory,
  sessionId: string,
  argument: string | undefined,
  { env, signal }: BuiltinContext,
): Promise<string | undefined> {
  const target = findTarget(argument, env);
  if (typeof target === "string") return target;
  const token = env["GITHUB_TOKEN"] || env["GH_TOKEN"];
  if (!token) return "neither GITHUB_TOKEN nor GH_TOKEN is set";
  const body = renderAccount(sessionId, memory, env);
  if (memory.comment?.body === body) return undefined;
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)]);
    const comments = await openComments(target, token, env, limited);
    const known = memory.comment?.id ?? (await comments.find(markerOf(sessionId)));
    const kept = known !== undefined && (await comments.update(known, body));
    memory.comment = { id: kept ? known : await comments.create(body), body };
    return undefined;
  } catch (error) {
    const reason = blankValues(errorText(error), [token]).split("\n")[0] ?? "";
    return `${target.owner}/${target.repo}#${target.number}: ${reason.slice(0, 300)}`;
  }
}

function reportOnce({ reported }: Memory, problem: string): HookOutput | undefined {
  if (reported.has(problem)) return undefined;
  reported.add(problem);
  return { system_message: `github_comment: ${problem}` };
}
