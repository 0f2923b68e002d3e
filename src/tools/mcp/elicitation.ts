import * as v from "valibot";
import { isJsonObject, isObject } from "../../lib/json.ts";
import type { ToolContext, UserQuestion } from "../tool.ts";

const contentSchema = v.record(v.string(), v.union([v.string(), v.number(), v.boolean(), v.array(v.string())]));

/** The user's answer to a server's question. */
export type ElicitedAnswer =
  | { action: "accept"; content: v.InferOutput<typeof contentSchema> }
  | { action: "decline" | "cancel" };

/** Asks the user a server's question. An answer that MCP cannot represent counts as `cancel`. */
export async function askUserFor(
  server: string,
  { message, requestedSchema }: Readonly<Record<string, unknown>>,
  context: Pick<ToolContext, "askUser" | "signal">,
  signal: AbortSignal,
): Promise<ElicitedAnswer> {
  const question: UserQuestion = {
    title: `${server} asks`,
    message: String(message),
    ...(isJsonObject(requestedSchema) ? { schema: requestedSchema } : {}),
  };
  const either = AbortSignal.any([context.signal, signal]);
  const answer = (await context.askUser?.(question, either)) ?? { action: "decline" };
  if (answer.action !== "accept") return { action: answer.action };
  const content = v.safeParse(contentSchema, answer.content);
  const isUnderstood = content.success && isObject(answer.content); // the schema's record would accept a list
  return isUnderstood ? { action: "accept", content: content.output } : { action: "cancel" };
}
