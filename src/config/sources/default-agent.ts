import { AUTO_MODELS } from "../models/auto-model.ts";

const INSTRUCTION = `You are a careful assistant for work in this directory. Find out before you act: read files and run
commands rather than guess. Say what you are about to change, keep changes small, and report what you did and what you
did not.`;

/** Returns the text of the built-in agent file, which the reference `default` names. */
export function defaultAgentText(): string {
  const candidates = AUTO_MODELS.map(({ provider, model }) => `${provider}/${model}`);
  const file = {
    agents: {
      root: {
        model: "default",
        description: "A general assistant",
        instruction: INSTRUCTION,
        add_date: true,
        add_environment_info: true,
        add_prompt_files: ["AGENTS.md"],
        skills: true,
        toolsets: [{ type: "filesystem" }, { type: "shell" }, { type: "fetch" }],
      },
    },
    models: { default: { first_available: candidates } },
  };
  return JSON.stringify(file, null, 2);
}
