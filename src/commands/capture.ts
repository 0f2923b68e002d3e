import { join, resolve } from "node:path";
import { defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf, openLog } from "../cli/global-flags.ts";
import { printError, writeAnswer } from "../cli/print.ts";
import { decode, isUndecodable } from "../dialects/decode.ts";
import { encode } from "../dialects/encode.ts";
import { DIALECTS } from "../dialects/names.ts";
import { keepPayload } from "../guard/capture/keep-payload.ts";
import { namedDialect } from "../guard/dispatch/find-dialect.ts";
import { Incoming, readItems } from "../guard/dispatch/read-events.ts";
import { findHost } from "../guard/dispatch/route.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";

const FLAGS = {
  dir: { kind: "value", hint: "DIR", description: "Where to keep payloads (default: captures in the data directory)" },
  event: { kind: "value", hint: "EVENT", description: "Event name, in the agent's spelling, for payloads without one" },
  "host-version": { kind: "value", hint: "VERSION", description: "The agent's version, for the name of the folder" },
} as const satisfies FlagSpecs;

/** `hooksh capture`, the earlier form of `dispatch --capture`: a hook for an agent that keeps what the agent sends and has no opinion. */
export const command = defineCommand({
  positionals: "HOST",
  description:
    "A hook for an agent: reads an event from standard input, keeps it as a file, and answers that it has no opinion.\n" +
    "Replaces secrets, e-mail addresses, user names and paths; still, read a file before you publish it.\n" +
    "Always exits 0, so that it never blocks the agent. Now part of dispatch, which guards too: hooksh dispatch --capture DIR.",
  flags: FLAGS,
  async run({ flags, positionals, signal }) {
    const [name, ...rest] = positionals;
    const dialect = namedDialect(name);
    if (name === undefined || rest.length > 0) throw new UsageError("capture takes one host, such as claude");
    if (dialect === undefined || dialect === "canonical") throw new UsageError(`capture takes a host, not ${name}`);
    const directories = directoriesOf(flags);
    const log = openLog(flags, directories);
    const source = { input: undefined, workingDir: process.cwd(), silence: undefined, signal };
    const incoming = new Incoming(readItems(source));
    const host = await findHost(incoming, { dialect, event: flags.event }, processEnv());
    if (host === undefined) throw new UsageError(`the event is of hooksh itself, not of ${name}`);
    const { dialect: codec } = await DIALECTS[host.dialect].load();
    const call = decode(codec, host.payload, host.event);
    await writeAnswer(isUndecodable(call) ? codec.silence : encode(call, []).stdout);
    if (host.problem !== undefined && !codec.readsStandardError) printError(`hooksh capture: ${host.problem}`);
    const dir = resolve(flags.dir ?? join(directories.data, "captures"));
    await keepPayload(host, { dir, version: flags["host-version"], log });
    return EXIT_CODES.ok;
  },
});
