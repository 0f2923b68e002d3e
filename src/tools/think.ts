import { checkedTool } from "./checked-tool.ts";
import { text } from "./parameters.ts";
import type { Tool, Toolset } from "./tool.ts";

/** `think`: a place for the model to write down its thoughts. */
export function create(): Toolset {
  return {
    tools: [thinkTool()],
    instructions: [
      "Before a task with several steps, use `think` to write down the task, what you know, what is missing,",
      "and how you will check the result. It changes nothing outside your notes.",
    ].join("\n"),
  };
}

function thinkTool(): Tool {
  const thoughts: string[] = [];
  return checkedTool({
    name: "think",
    title: "Think",
    description: "Writes down a thought and shows all thoughts so far. Changes nothing else.",
    category: "think",
    readOnly: true,
    parameters: { thought: text("The thought to write down.") },
    run: ({ thought }) => {
      thoughts.push(thought);
      return { text: ["Thoughts:", ...thoughts].join("\n") };
    },
  });
}
