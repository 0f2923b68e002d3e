import * as v from "valibot";
import { UserError } from "../../lib/errors.ts";
import type { ServerPrompt } from "../tool.ts";
import { toToolResult } from "./tool-result.ts";

const MAX_PROMPTS = 200;
const MAX_ARGUMENTS = 20;
/** The most bytes of a prompt's text: all of it is shown before it is sent. */
const MAX_PROMPT_BYTES = 64 * 1024;

// Names are typed and shown on one line.
const nameSchema = v.pipe(v.string(), v.nonEmpty(), v.maxLength(128), v.regex(/^\P{Cc}*$/u));

const promptSchema = v.object({
  name: nameSchema,
  description: v.fallback(v.optional(v.string(), ""), ""),
  arguments: v.optional(
    v.nullable(
      v.pipe(
        v.array(v.object({ name: nameSchema, required: v.fallback(v.optional(v.boolean(), false), false) })),
        v.maxLength(MAX_ARGUMENTS),
      ),
    ),
  ),
});

const answerSchema = v.object({
  messages: v.array(v.object({ role: v.picklist(["user", "assistant"]), content: v.unknown() })),
});

/** Parses the prompts that a server lists. Calls `onProblem` for each that cannot be used and leaves it out. */
export function readPrompts(listed: readonly unknown[], onProblem: (message: string) => void): ServerPrompt[] {
  if (listed.length > MAX_PROMPTS) onProblem(`lists more than ${MAX_PROMPTS} prompts: the rest is left out`);
  return listed.slice(0, MAX_PROMPTS).flatMap((entry) => {
    const parsed = v.safeParse(promptSchema, entry);
    if (!parsed.success) {
      onProblem("a prompt is left out: its name or its arguments are not understood");
      return [];
    }
    const { name, description, arguments: given } = parsed.output;
    const list = (given ?? []).map((one) => ({ name: one.name, isRequired: one.required }));
    return [{ name, description: description.trim().split("\n", 1)[0]?.slice(0, 200) ?? "", arguments: list }];
  });
}

/**
 * Returns the text of a prompt that a server gave. What it says for the assistant is marked, and a note replaces files.
 * Throws a {@link UserError} that starts with `what` if the answer is empty, too long or not understood.
 */
export async function promptText(answer: unknown, what: string, signal: AbortSignal): Promise<string> {
  const parsed = v.safeParse(answerSchema, answer);
  if (!parsed.success) throw new UserError(`${what} is not understood`);
  const texts = await Promise.all(
    parsed.output.messages.map(async ({ role, content }) => {
      const { text, attachments = [] } = await toToolResult({ content: [content] }, signal);
      const parts = attachments.length > 0 ? [`[${attachments[0]?.mimeType} left out]`] : [text];
      return (role === "assistant" ? ["[assistant]", ...parts] : parts).join("\n");
    }),
  );
  const all = texts.join("\n\n");
  if (all.trim() === "") throw new UserError(`${what} is empty`);
  const bytes = Buffer.byteLength(all);
  if (bytes > MAX_PROMPT_BYTES) throw new UserError(`${what} has ${bytes} bytes, more than ${MAX_PROMPT_BYTES}`);
  return all;
}
