import { isObject } from "../lib/json.ts";

/** A shape of answers: the agents it belongs to, and the dialects whose scripts print it. */
interface ForeignShape {
  whose: string;
  dialects: readonly string[];
  is: (answer: Readonly<Record<string, unknown>>) => boolean;
}

const has =
  (...keys: readonly string[]): ForeignShape["is"] =>
  (answer) =>
    keys.some((key) => Object.hasOwn(answer, key));

const nested = ({ hookSpecificOutput: part }: Readonly<Record<string, unknown>>) => (isObject(part) ? part : {});

/** The most specific shape first. */
const SHAPES: readonly ForeignShape[] = [
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
 * Adds advice to the message about an answer in the shape of another agent's hooks: the key that makes hooksh read it.
 * Only hooks of type `command` have that key.
 */
export function withShapeAdvice<T extends string | undefined>(
  message: T,
  hook: { type: string },
  answer: Readonly<Record<string, unknown>>,
): T | string {
  const shape = hook.type === "command" ? SHAPES.find(({ is }) => is(answer)) : undefined;
  if (message === undefined || shape === undefined) return message;
  const choices = shape.dialects.map((dialect) => `dialect: ${dialect}`).join(" or ");
  return `${message}; the answer is in ${shape.whose} shape: set ${choices} on the hook`;
}
