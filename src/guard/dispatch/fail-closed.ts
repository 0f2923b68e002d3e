import { keepAnswer } from "../../cli/print.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { isEventName } from "../../protocol/events.ts";
import { auditDirectories } from "../watch/audit-directories.ts";
import { flagValue, hasExitCodes } from "./exit-codes.ts";
import { Incoming, readItems } from "./read-events.ts";
import { findHost, wasRouted } from "./route.ts";

/**
 * Answers the agent that called a `dispatch` which ended with an error, such as an unknown flag or a bug of hooksh: with
 * a denial in the agent's own bytes if the event is a guard's. Returns the exit code, or undefined if no agent can be
 * recognised or it was answered already.
 */
export async function failClosed(words: readonly string[], problem: string): Promise<number | undefined> {
  const directories = () => directoriesIn(words);
  if (words.includes("--proof")) keepAnswer();
  if (hasExitCodes(words)) return recordOnly(words, problem);
  const { answerFailure } = await import("./answer-host.ts");
  if (wasRouted()) return (await answerFailure(problem, directories)) ?? recordOnly(words, problem);
  const source = { input: flagValue(words, "input"), workingDir: process.cwd(), silence: undefined };
  const incoming = new Incoming(readItems({ ...source, signal: new AbortController().signal }));
  const flags = { dialect: flagValue(words, "dialect"), event: flagValue(words, "event") };
  const host = await findHost(incoming, flags, processEnv(), true);
  return host ? answerFailure(problem, directories, host) : recordOnly(words, problem);
}

/** Records that events in hooksh's own protocol got no verdict. */
async function recordOnly(words: readonly string[], problem: string): Promise<undefined> {
  const { recordFailure } = await import("../watch/record-failure.ts");
  const named = flagValue(words, "event");
  const event = named !== undefined && isEventName(named) ? named : undefined;
  await recordFailure({ source: "dispatch", problem, event }, () => directoriesIn(words));
}

function directoriesIn(words: readonly string[]): Directories | undefined {
  return auditDirectories({
    "no-audit": words.includes("--no-audit"),
    "config-dir": flagValue(words, "config-dir"),
    "data-dir": flagValue(words, "data-dir"),
  });
}
