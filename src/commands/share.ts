import { defineCommand } from "../cli/define-command.ts";
import { UsageError } from "../lib/errors.ts";
import { PULL_FLAGS, runPull } from "./pull.ts";
import { PUSH_FLAGS, runPush } from "./push.ts";

/** `hooksh share push` and `hooksh share pull`: longer names for push and pull. */
export const command = defineCommand({
  positionals: "push FILE IMAGE | pull IMAGE",
  description: "Stores an agent file in a registry, or fetches one. Same as hooksh push and hooksh pull.",
  flags: { ...PULL_FLAGS, ...PUSH_FLAGS },
  async run({ flags, positionals, signal }) {
    const [verb, ...rest] = positionals;
    const stray = verb === "push" ? (["force", "output"] as const) : (["dry-run"] as const);
    const given = stray.find((name) => flags[name] !== undefined);
    if (verb !== "push" && verb !== "pull") throw new UsageError("share takes push FILE IMAGE or pull IMAGE");
    if (given !== undefined) throw new UsageError(`share ${verb} does not take --${given}`);
    return verb === "push"
      ? runPush({ flags, positionals: rest, signal })
      : runPull({ flags, positionals: rest, signal });
  },
});
