import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { isatty } from "node:tty";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import { canaryFiles } from "../hosts/registration/heartbeat.ts";
import { type HostStatus, hostStatus } from "../hosts/registration/host-status.ts";
import { currentPlace, dialectOf, dialectsOf, HOST_IDS, namedHost } from "../hosts/registration/named-host.ts";
import { GUARD_NOT_IN_FORCE } from "../hosts/registration/read-heartbeats.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";
import { sleep } from "../lib/platform.ts";
import { parseDuration, roundedDuration } from "../lib/text/duration.ts";

/** For a person, who goes to the agent and asks it. */
const DEFAULT_WAIT = "5m";
/** For a script, which must not stand still if it asks no agent. */
const WAIT_WITHOUT_TERMINAL = "1m";
const POLL_MS = 100;
/** How long to wait after a refusal for a report that the call ran, which means that the host ignored the refusal. */
const AFTERMATH_MS = 2000;

const FLAGS = {
  timeout: {
    kind: "value",
    hint: "DURATION",
    description: `How long to wait for the agent (default: ${DEFAULT_WAIT}; without a terminal ${WAIT_WITHOUT_TERMINAL})`,
  },
} as const satisfies FlagSpecs;

/** `hooksh canary`: tests with a harmless call whether the guard of an agent works. */
export const command = defineCommand({
  positionals: "HOST",
  description:
    "Prints a harmless command for you to ask the agent to run, and waits until the agent asks hooksh about it. hooksh\n" +
    "denies that one call, so that you see the guard work. Exits 0 if the call was denied, 1 if it ran, or if the agent\n" +
    "did not ask in time.",
  flags: FLAGS,
  run: runCanary,
});

async function runCanary({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new UsageError(`canary takes one host: ${HOST_IDS.join(", ")}`);
  const isUnattended = !isatty(0) && !isatty(1);
  const wait = parseDuration(flags.timeout ?? (isUnattended ? WAIT_WITHOUT_TERMINAL : DEFAULT_WAIT));
  if (!wait) throw new UsageError(`--timeout takes a duration such as 30s or 5m, not ${JSON.stringify(flags.timeout)}`);
  const host = namedHost(name);
  const directories = directoriesOf(flags);
  const status = await hostStatus(host, currentPlace(), directories);
  await requireGuard(status);
  const word = `hooksh-canary-${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}`;
  const all = dialectsOf(host).map((dialect) => canaryFiles(directories.data, dialect));
  try {
    for (const files of all) place(files, word);
    await print(`Ask ${status.product}: run the shell command "echo ${word}"`);
    const advice =
      isUnattended && flags.timeout === undefined ? ", because there is no terminal; --timeout 5m waits longer" : "";
    await print(`hooksh denies that call and nothing else. Waiting for up to ${roundedDuration(wait)}${advice} ...`);
    const outcome = await watch(all, wait, signal);
    if (signal.aborted) return EXIT_CODES.interrupted;
    await print(report(outcome, status));
    return outcome.refused !== undefined && outcome.ran === undefined ? EXIT_CODES.ok : EXIT_CODES.failed;
  } finally {
    for (const files of all) clear(files);
  }
}

/** Throws a {@link UserError} if the host would not ask before a tool call. */
async function requireGuard({ host, registered }: HostStatus): Promise<void> {
  if (registered.length === 0)
    throw new UserError(`hooksh is not registered in ${host}; run hooksh install ${host} first`);
  const { events } = await dialectOf(host);
  const asked = registered.flatMap((file) => file.events).some((event) => events[event]?.is.includes("pre_tool_use"));
  if (!asked)
    throw new UserError(`${host}: there are no hooks on pre_tool_use, so the agent does not ask before it runs a tool`);
}

type CanaryFiles = ReturnType<typeof canaryFiles>;

function place(files: CanaryFiles, word: string): void {
  mkdirSync(dirname(files.word), { recursive: true, mode: 0o700 });
  clear(files);
  writeFileSync(files.word, word, { mode: 0o600 });
}

function clear(files: CanaryFiles): void {
  for (const path of Object.values(files)) rmSync(path, { force: true });
}

/** The events with which the agent asked about the call, and reported that it ran. */
interface Outcome {
  refused?: string | undefined;
  ran?: string | undefined;
}

async function watch(all: readonly CanaryFiles[], ms: number, signal: AbortSignal): Promise<Outcome> {
  const read = (kind: "refused" | "ran") =>
    all.flatMap((files) => (existsSync(files[kind]) ? [readFileSync(files[kind], "utf8")] : []))[0];
  let until = performance.now() + ms;
  for (let outcome: Outcome = {}; ; outcome = { refused: read("refused"), ran: read("ran") }) {
    if (outcome.ran !== undefined || signal.aborted || performance.now() >= until) return outcome;
    if (outcome.refused !== undefined) until = Math.min(until, performance.now() + AFTERMATH_MS);
    await sleep(POLL_MS);
  }
}

function report({ refused, ran }: Outcome, { product, host, muted, problems, notes }: HostStatus): string {
  if (refused !== undefined && ran === undefined)
    return `The guard is in force: ${product} asked hooksh (${refused}), and hooksh denied the call.`;
  if (refused !== undefined)
    return `The guard is not in force: ${product} asked hooksh (${refused}), but ran the denied call (${ran}).`;
  if (ran !== undefined)
    return `The guard is not in force: ${product} ran the call (${ran}) and did not ask hooksh before.`;
  const why = [...muted, ...problems, ...notes].map((line) => `\n  ${line}`).join("");
  return `${product} did not ask hooksh about the call: either the agent did not run the command, or the guard is not in force; see hooksh status ${host}${why}`;
}

report.help = GUARD_NOT_IN_FORCE;
