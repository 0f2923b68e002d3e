import { defineCommand } from "../cli/define-command.ts";
import { UsageError } from "../lib/errors.ts";
import { ALIAS_FLAGS, runAlias } from "./agent/alias.ts";
import { PULL_FLAGS, runPull } from "./agent/pull.ts";
import { PUSH_FLAGS, runPush } from "./agent/push.ts";

const ACTIONS = {
  pull: { flags: PULL_FLAGS, run: runPull },
  push: { flags: PUSH_FLAGS, run: runPush },
  alias: { flags: ALIAS_FLAGS, run: runAlias },
} as const;

/** `hooksh agent`: agents of a registry, and short names for agents. */
export const command = defineCommand({
  positionals: "pull IMAGE | push FILE IMAGE | alias ACTION [NAME] [AGENT]",
  description:
    "pull fetches an agent from a registry, stores a copy, and writes it to a file, which needs the same trust as the\n" +
    "agent to run. push checks an agent file and stores it in a registry, where anyone with read access can run it by\n" +
    "name; it uses the credentials of docker login. Both print the digest, and run nothing. alias add NAME AGENT, alias\n" +
    "list and alias remove NAME manage short names for agents, each with options for its runs; the names work wherever an\n" +
    "agent is expected. They are stored in config.yaml, whose comments and other keys are kept.",
  flags: { ...PULL_FLAGS, ...PUSH_FLAGS, ...ALIAS_FLAGS },
  flagGroups: { pull: PULL_FLAGS, push: PUSH_FLAGS, alias: ALIAS_FLAGS },
  async run({ flags, positionals: [action = "", ...positionals], signal }) {
    if (!isAction(action))
      throw new UsageError("agent takes pull IMAGE, push FILE IMAGE, or alias add, list or remove");
    const known: readonly string[] = Object.keys(ACTIONS[action].flags);
    const all = Object.values(ACTIONS).flatMap((row) => Object.keys(row.flags) as (keyof typeof flags)[]);
    const stray = all.find((name) => flags[name] !== undefined && !known.includes(name));
    if (stray !== undefined) throw new UsageError(`agent ${action} does not take --${stray}`);
    return ACTIONS[action].run({ flags, positionals, signal });
  },
});

function isAction(word: string): word is keyof typeof ACTIONS {
  return Object.hasOwn(ACTIONS, word);
}
