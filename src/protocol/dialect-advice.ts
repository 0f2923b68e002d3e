import { isObject } from "../lib/json.ts";

/** How answers of another agent look: whose they are, and the dialects whose scripts print them. */
interface AgentAnswer {
  whose: string;
  dialects: readonly string[];
  is: (answer: Readonly<Record<string, unknown>>) => boolean;
}

const has =
  (...keys: readonly string[]): AgentAnswer["is"] =>
  (answer) =>
    keys.some((key) => Object.hasOwn(answer, key));

const nested = ({ hookSpecificOutput: part }: Readonly<Record<string, unknown>>) => (isObject(part) ? part : {});

/** The most specific first. */
const AGENT_ANSWERS: readonly AgentAnswer[] = [
  {
    whose: "Gemini CLI's",
    dialects: ["gemini"],
    is: (answer) =>
      /^(?:Before|After)/.test(String(nested(answer)["hookEventName"])) || Object.hasOwn(nested(answer), "tool_input"),
  },
  { whose: "Claude Code's", dialects: ["claude"], is: has("hookSpecificOutput") },
  {
    whose: "GitHub Copilot's",
    dialects: ["copilot"],
    is: has("permissionDecision", "modifiedArgs", "modifiedResult", "behavior"),
  },
  { whose: "Cursor's", dialects: ["cursor"], is: has("permission", "user_message", "followup_message") },
  { whose: "Antigravity's", dialects: ["agy"], is: has("overwrite", "injectSteps", "terminationBehavior") },
  { whose: "Cline CLI's", dialects: ["cline-sdk"], is: has("overrideInput", "review") },
  { whose: "Cline's", dialects: ["cline", "cline-sdk"], is: has("cancel", "contextModification", "errorMessage") },
  { whose: "Crush's", dialects: ["crush"], is: has("halt", "updated_input") },
  {
    whose: "several agents'",
    dialects: ["gemini", "agy", "grok", "crush", "openhands", "vibe"],
    is: ({ decision }) => ["deny", "force_ask"].includes(String(decision)),
  },
];

/**
 * Adds advice to the message about an answer in the form of another agent's hooks: the key that makes hooksh read it.
 * Only hooks of type `command` have that key.
 */
export function withDialectAdvice<T extends string | undefined>(
  message: T,
  hook: { type: string },
  answer: Readonly<Record<string, unknown>>,
): T | string {
  const known = hook.type === "command" ? AGENT_ANSWERS.find(({ is }) => is(answer)) : undefined;
  if (message === undefined || known === undefined) return message;
  const choices = known.dialects.map((dialect) => `dialect: ${dialect}`).join(" or ");
  return `${message}; the answer is in ${known.whose} shape: set ${choices} on the hook`;
}
