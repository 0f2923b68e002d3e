import * as v from "valibot";
import { isJsonObject } from "../lib/json.ts";
import { checkedTool } from "./checked-tool.ts";
import { optional, text } from "./parameters.ts";
import type { Tool, Toolset, UserQuestion } from "./tool.ts";

/** `user_prompt`: lets the model ask the user. */
export function create(): Toolset {
  return {
    tools: [promptTool()],
    instructions: "Use `user_prompt` only for information that you need to continue and cannot find out yourself.",
  };
}

function promptTool(): Tool {
  return checkedTool({
    name: "user_prompt",
    title: "User Prompt",
    description: "Asks the user a question and waits for the answer: JSON with an action (accept, decline or cancel).",
    category: "user_prompt",
    readOnly: true,
    parameters: {
      message: text("The question."),
      title: optional(text("A short heading.")),
      schema: optional(v.pipe(v.record(v.string(), v.unknown()), v.description("JSON Schema of the answer."))),
    },
    run: async ({ message, title, schema }, { askUser, signal }) => {
      const question: UserQuestion = {
        message,
        ...(title === undefined ? {} : { title }),
        ...(isJsonObject(schema) ? { schema } : {}),
      };
      const answer = (await askUser?.(question, signal)) ?? { action: "decline" };
      return { text: JSON.stringify(answer), ...(answer.action === "accept" ? {} : { isError: true }) };
    },
  });
}
