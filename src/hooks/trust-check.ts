import { basename } from "node:path";
import { createInterface } from "node:readline/promises";
import { isatty } from "node:tty";
import type { Flags } from "../cli/flags.ts";
import { printError } from "../cli/print.ts";
import type { FileToTrust, LoadedAgentFile } from "../config/agent/load-agent.ts";
import { isDigest } from "../config/sources/content.ts";
import { openTrustStore, type TrustStore } from "../config/user/trust-store.ts";
import type { Directories } from "../lib/env.ts";
import { type Help, UsageError, UserError } from "../lib/errors.ts";
import { settleWithin } from "../lib/settle-within.ts";
import { quoteWord } from "../shell/quote-word.ts";
import type { TRUST_FLAGS } from "./hook-flags.ts";

const AGENT_NOT_TRUSTED: Help = {
  cause:
    "The agent comes from elsewhere, or hooksh found it in the directory, and it was never trusted on this machine or has changed since.",
  cure: "Read what it would do (`hooksh trust show AGENT`), then `hooksh trust add AGENT DIGEST`, or `--trust DIGEST` for one run; name a file in the directory, or add `--trust-folder`. See [agents from elsewhere](agents-from-elsewhere.md).",
};

export interface TrustOptions {
  flags: Flags<typeof TRUST_FLAGS> & { "trust-folder"?: boolean | undefined };
  directories: Directories;
  /** False if there is no terminal to ask on; an agent that is not trusted is then refused. */
  interactive: boolean;
  signal?: AbortSignal;
}

/** True if standard input and output are both a terminal. */
export function isInteractive(): boolean {
  return isatty(0) && isatty(1);
}

/**
 * Makes sure that the user trusts an agent file that hooksh found, and every part of one that came from elsewhere, before
 * any of it runs: asks, and remembers the answer. Throws a {@link UserError} if the user says no, or if there is no terminal to ask on; the
 * error then lists what the agent would do.
 */
export async function checkTrust(file: LoadedAgentFile, options: TrustOptions): Promise<void> {
  const { flags, directories } = options;
  const wrong = flags.trust.find((digest) => !isDigest(digest));
  if (wrong !== undefined)
    throw new UsageError(`--trust takes a digest, sha256: and 64 hexadecimal digits, not ${JSON.stringify(wrong)}`);
  if (flags["trust-all"]) return;
  const parts = file.filesToTrust.filter(
    ({ digest, effects, source }) =>
      effects.length > 0 && !flags.trust.includes(digest) && !(source === "found" && flags["trust-folder"]),
  );
  if (parts.length === 0) return;
  const store = openTrustStore(directories);
  for (const part of parts) if (!store.trusts(part)) await settle(part, store, options);
}

async function settle(part: FileToTrust, store: TrustStore, { interactive, signal }: TrustOptions): Promise<void> {
  const text = describeEffects(part, store.previous(part.reference));
  const { reference, digest, source } = part;
  if (!interactive) {
    throw new UserError(
      source === "found"
        ? `${text}\nTrust it for this run with --trust-folder, or by its name: hooksh run ${quoteWord(basename(reference))}`
        : `${text}\nTrust it for this run with --trust ${digest}, ` +
            `or from now on with: hooksh trust add ${reference} ${digest}`,
      { help: AGENT_NOT_TRUSTED },
    );
  }
  printError(text);
  if (!(await confirm("Trust it from now on? [y/N] ", signal)))
    throw new UserError(`${reference}: not trusted, nothing was started`, { help: AGENT_NOT_TRUSTED });
  store.add(part);
}

/** Describes what an agent would do, and how that differs from the content that was trusted before. */
export function describeEffects(
  { reference, digest, source, effects }: FileToTrust,
  previous?: { digest: string; effects: readonly string[] },
): string {
  if (!previous)
    return [
      source === "found"
        ? `${reference} is not trusted yet. hooksh found it in this directory; it would do this on this machine:`
        : `${reference} (${digest}) is not trusted yet. It comes from elsewhere, and would do this on this machine:`,
      ...effects.map((line) => `  ${shortened(line)}`),
    ].join("\n");
  const removed = previous.effects.filter((line) => !effects.includes(line));
  const added = effects.filter((line) => !previous.effects.includes(line));
  const difference = [...removed.map((line) => `- ${shortened(line)}`), ...added.map((line) => `+ ${shortened(line)}`)];
  const same = effects.filter((line) => previous.effects.includes(line)).map((line) => `  ${shortened(line)}`);
  const what = difference.length > 0 ? ", - before, + now" : " is the same as before; the rest of the file differs";
  return [
    source === "found"
      ? `${reference} has changed since it was trusted.`
      : `${reference} has changed since it was trusted: it was ${previous.digest}, it is ${digest}.`,
    `What it would do on this machine${what}:`,
    ...difference,
    ...same,
  ].join("\n");
}

const LONGEST = 1000;

/** Cuts a long line, so that the question below it stays visible. */
function shortened(line: string): string {
  return line.length <= LONGEST
    ? line
    : `${line.slice(0, LONGEST)} ... (${line.length} characters in all; see hooksh trust show)`;
}

/** Asks on standard error. Returns true only for `y` and `yes`. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  return /^y(es)?$/i.test((await askLine(question, signal)) ?? "");
}

/** Asks for a line on standard error, without blanks around it. Undefined if the input ends or the signal ends it. */
export async function askLine(question: string, signal?: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new AbortController();
  lines.on("close", () => ended.abort());
  lines.on("SIGINT", () => ended.abort());
  try {
    const either = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal;
    const answer = await settleWithin(lines.question(question), { signal: either });
    return answer.kind === "done" ? answer.value.trim() : undefined;
  } finally {
    lines.close();
    process.stdin.pause();
  }
}
