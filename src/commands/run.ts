import { defineCommand } from "../cli/define-command.ts";
import { RUN_FLAG_GROUPS, RUN_FLAGS } from "../run/run-flags.ts";

/** `hooksh run`: runs an agent, with hooks around everything it does. */
export const command = defineCommand({
  positionals: "[AGENT] [MESSAGE...]",
  description:
    "Runs an agent. Given messages, or a message on standard input, the agent answers and exits; at a terminal without either,\n" +
    "a prompt opens. Standard input beside a message goes with it, up to 10 MB; </dev/null keeps a run from reading it.\n" +
    "Hooks run around everything the agent does; if a guard cannot answer, the tool call it guards is denied.",
  flags: RUN_FLAGS,
  flagGroups: RUN_FLAG_GROUPS,
  async run(input) {
    const { orOtherModel } = await import("../run/other-model.ts");
    const { runAgent } = await import("../run/run-agent.ts");
    return orOtherModel(input, runAgent);
  },
});
