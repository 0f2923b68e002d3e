import { defineCommand } from "../cli/define-command.ts";
import { SERVE_FLAG_GROUPS, SERVE_FLAGS } from "../guard/serve/serve-flags.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";

/** `hooksh serve`: answers the events that agents post over HTTP. */
export const command = defineCommand({
  positionals: "[AGENT]",
  description:
    "Answers events that agents post as JSON over HTTP, as hooksh dispatch answers them on standard input, until it is interrupted.\n" +
    "POST /claude takes an event of Claude Code, POST /claude/PreToolUse one of that name, POST / recognises the agent, and\n" +
    "POST /hooksh takes hooksh's own events. Every answer has status 200, because agents go on after any other; if anything is\n" +
    "wrong, it is a denial. Hooks are read again when their files change. See docs/serve.md.",
  flags: SERVE_FLAGS,
  flagGroups: SERVE_FLAG_GROUPS,
  async run(input) {
    const { flags, positionals } = input;
    const { foreignAdvice } = await import("../cli/foreign-commands.ts");
    const advice = foreignAdvice(`serve ${positionals[0]}`);
    if (advice !== undefined) throw new UsageError(advice);
    if (positionals.length > 1)
      throw new UsageError(`serve takes one agent, not ${positionals.length}: ${positionals.join(" ")}`);
    if (flags.socket === undefined && flags.port === undefined)
      throw new UsageError("serve needs --socket PATH or --port N, to know where to listen");
    const { serve } = await import("../guard/serve/serve.ts");
    await serve(input);
    return EXIT_CODES.ok;
  },
});
