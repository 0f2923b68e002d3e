import type { Env } from "../../src/lib/env.ts";
import { blankValues } from "../../src/lib/secrets/blank-values.ts";
import { redactText } from "../../src/redaction/redact.ts";

/** The content of a comment on a session. */
export interface Account {
  agent: string;
  /** `answered`, `finished`, `failed` or `working`. */
  outcome: string;
  /** US dollars; undefined without a model call whose price is known. */
  cost: number | undefined;
  /** How often calls were denied, by tool and approval source. */
  denied: ReadonlyMap<string, { tool: string; source: string; count: number }>;
  /** Error messages, each once. */
  problems: readonly string[];
}

const PROBLEM_LENGTH = 500;
const NAME_LENGTH = 100;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/** The first line of a session's comment, which finds the comment again. GitHub does not show it. */
export function markerOf(sessionId: string): string {
  return `<!-- hooksh session=${sessionId.replace(/[^\w.-]/g, "_").slice(0, 200)} -->`;
}

/**
 * Renders the comment as Markdown. It holds no arguments or responses of tools; secrets in error messages are blanked;
 * and no text in it can mention a user, close its code block or look like a marker.
 */
export function renderAccount(sessionId: string, account: Account, env: Env): string {
  const { agent, outcome, cost, denied, problems } = account;
  const calls = [...denied.values()];
  const total = calls.reduce((sum, { count }) => sum + count, 0);
  const lines = [
    `**hooksh**: ${outcome}`,
    "",
    ...(agent ? [`- Agent: ${code(agent, env)}`] : []),
    ...(cost === undefined ? [] : [`- Cost: $${cost.toFixed(4)}`]),
    `- Tool calls denied: ${total}`,
    ...calls.map(
      ({ tool, source, count }) =>
        `  - ${code(tool, env)} by ${code(source, env)}${count > 1 ? `, ${count} times` : ""}`,
    ),
    ...problems.flatMap((problem) => ["", "```text", clean(problem, env, PROBLEM_LENGTH), "```"]),
    ...runLink(env),
  ];
  return [markerOf(sessionId), ...lines].join("\n");
}

function code(text: string, env: Env): string {
  return `\`${clean(text.replace(/\s+/g, " "), env, NAME_LENGTH) || "?"}\``;
}

/** The text without secrets, backquotes and control characters, cut to a length. */
function clean(text: string, env: Env, limit: number): string {
  const blanked = redactText(blankValues(text, secretsOf(env)))
    .replaceAll("`", "'")
    .replace(/[^\P{Cc}\n\t]/gu, "");
  return blanked.length > limit ? `${blanked.slice(0, limit)}...` : blanked;
}

/** The values of the environment variables whose names look like those of secrets. */
function secretsOf(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []));
}

function runLink(env: Env): string[] {
  const { GITHUB_SERVER_URL: server = "", GITHUB_REPOSITORY: repository = "", GITHUB_RUN_ID: id = "" } = env;
  const known = /^https:\/\/[\w.:-]+$/.test(server) && /^[\w.-]+\/[\w.-]+$/.test(repository) && /^\d+$/.test(id);
  return known ? ["", `[Workflow run](${server}/${repository}/actions/runs/${id})`] : [];
}
