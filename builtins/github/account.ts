import type { Env } from "../../src/lib/env.ts";
import { blankValues } from "../../src/lib/secrets/blank-values.ts";
import { redactText } from "../../src/redaction/redact.ts";

/** What a comment tells of a session so far. */
export interface Account {
  agent: string;
  /** In a word or a few: `finished`, `failed`. */
  outcome: string;
  /** Dollars; undefined when no model call with a price was seen. */
  cost: number | undefined;
  /** How often calls were denied, by tool and by what denied them. */
  denied: ReadonlyMap<string, { tool: string; source: string; count: number }>;
  /** What went wrong, each once. */
  problems: readonly string[];
}

const PROBLEM_LENGTH = 500;
const NAME_LENGTH = 100;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL/i;

/** The line, invisible on the page, by which the comment of a session is found again. */
export function markerOf(sessionId: string): string {
  return `<!-- hooksh session=${sessionId.replace(/[^\w.-]/g, "_").slice(0, 200)} -->`;
}

/**
 * The comment as Markdown. Arguments and responses of tools are not in it, secrets in what went wrong are blanked, and
 * nothing in it can mention anybody, close its own block or look like another marker.
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

/** Without secrets, backquotes and control characters. */
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
