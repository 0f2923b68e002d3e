import { fstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isOwnHook } from "../config/hooks/read-hooks.ts";
import { newRegistry } from "../engine/default-registry.ts";
import { type DetailedResult, Executor } from "../engine/executor.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, InputError, UsageError } from "../lib/errors.ts";
import { optimizeForLongRun } from "../lib/jit.ts";
import { isObject } from "../lib/json.ts";
import { readStream, standardInput } from "../lib/platform.ts";
import { type ReadyInput, readReadyInput } from "../lib/process/ready-input.ts";
import { parseDuration } from "../lib/text/duration.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "../protocol/events.ts";
import { type ParsedInput, parseInput } from "../protocol/input.ts";
import { type CommandInput, defineCommand } from "./cli/define-command.ts";
import type { FlagSpecs } from "./cli/flags.ts";
import { directoriesOf, openLog } from "./cli/global-flags.ts";
import { isOutputDiscarded, printError, reserveStandardOutput, warn } from "./cli/print.ts";
import { checkRestrictions, RESTRICTION_FLAGS } from "./cli/restriction-flag.ts";
import { TRUST_FLAGS } from "./cli/trust-flags.ts";
import { jsonItems } from "./dispatch/event-stream.ts";
import { worseExitCode } from "./dispatch/exit-codes.ts";
import { lazyModelClient, MODEL_FLAGS } from "./dispatch/lazy-model-client.ts";
import { VerdictWriter } from "./dispatch/verdict-writer.ts";
import { loadHookEntries, SOURCE_FLAGS } from "./hooks/load-hooks.ts";
import { renderVerdict, VERDICT_FORMATS, type VerdictFormat } from "./render/verdict-text.ts";

const FLAGS = {
  ...SOURCE_FLAGS,
  ...MODEL_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
  event: { kind: "value", hint: "EVENT", description: "The event, for objects without hook_event_name" },
  input: { kind: "value", hint: "FILE", description: "Read events from a file instead of standard input (-)" },
  output: {
    kind: "value",
    hint: "FORMAT",
    choices: VERDICT_FORMATS,
    description: "hook (what a hook would print), result (everything), text (default: hook)",
  },
  details: { kind: "switch", description: "Add the outcome of each hook" },
  "fail-fast": { kind: "switch", description: "Stop at the first event that is blocked" },
  "input-timeout": {
    kind: "value",
    hint: "DURATION",
    description: "End the reading after so long a silence (2s, 500ms); without it, only at the end of the input",
  },
  stream: { kind: "switch", description: "Accepted and without effect: silence never ends the reading" },
  "working-dir": { kind: "value", hint: "DIR", description: "Where hooks run (default: the current directory)" },
} as const satisfies FlagSpecs;

type DispatchFlags = CommandInput<typeof FLAGS>["flags"];

/** `hooksh dispatch`: JSON events in, verdicts out. */
export const command = defineCommand({
  positionals: "[AGENT]",
  description:
    "Reads JSON events from standard input to its end (one object, an array, or one a line), runs the hooks configured for each, and\n" +
    "prints one verdict a line as soon as it is known. Exits 0 when every event is allowed. With --output hook it exits 2 when anything\n" +
    "is blocked or there is no verdict (broken configuration, input or usage). With --output result and text: 2 blocked, 3 ask, 1 broken, 64 usage.",
  flags: FLAGS,
  run: runDispatch,
});

async function runDispatch({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  if (positionals.length > 1)
    throw new UsageError(`dispatch takes one agent, not ${positionals.length}: ${positionals.join(" ")}`);
  if (flags.event !== undefined && !isEventName(flags.event)) throw new UsageError(unknownEvent(flags.event));
  const silence = silenceOf(flags["input-timeout"]);
  const workingDir = workingDirOf(flags);
  const directories = directoriesOf(flags);
  const log = openLog(flags, directories);
  const [reference] = positionals;
  // Without an agent nothing beside the hooks themselves is loaded.
  const notices = reference === undefined ? [] : (["relative"] as const);
  const { entries, file, unenforced } = await loadHookEntries({
    reference,
    flags,
    directories,
    cwd: workingDir,
    notices,
  });
  checkRestrictions(unenforced, flags);
  if (file && file.remotes.length > 0) {
    const { checkTrust } = await import("./trust/trust-check.ts");
    await checkTrust(file, { flags, directories, interactive: false }); // standard input is for events
  }
  if (entries.some(({ hook }) => isOwnHook(hook))) reserveStandardOutput();
  const registry = newRegistry(lazyModelClient({ flags, file, directories, cwd: workingDir }));
  const executor = new Executor(entries, { workingDir, env: processEnv(), directories, log, registry });
  const format = flags.output ?? "hook";
  const defaults = { session_id: `dispatch-${crypto.randomUUID()}`, cwd: workingDir };
  const lines = new VerdictWriter(format === "hook");
  let exitCode: number = EXIT_CODES.ok;
  let answered = 0;
  for await (const event of readEvents(flags, { workingDir, silence, signal })) {
    const code = await answer(executor, event, defaults, { format, details: flags.details ?? false, signal, lines });
    exitCode = worseExitCode(exitCode, code);
    if (++answered === 2) optimizeForLongRun();
    if (flags["fail-fast"] && code !== EXIT_CODES.ok && code !== EXIT_CODES.asked) break;
  }
  await lines.end();
  return signal.aborted ? EXIT_CODES.interrupted : exitCode;
}

/** Hooks run there, and relative paths begin there. */
function workingDirOf(flags: DispatchFlags): string {
  const given = flags["working-dir"];
  const path = resolve(given ?? ".");
  if (given === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--working-dir ${given}: no such directory`);
}

/** An event that cannot be judged: why, and the exit code that says so. */
interface Refused {
  problem: string;
  exitCode: number;
}

/** The events of the input in order. One that cannot be judged is answered in its place; those behind it are read. */
async function* readEvents(
  flags: DispatchFlags,
  { workingDir, silence, signal }: { workingDir: string; silence: number | undefined; signal: AbortSignal },
): AsyncGenerator<ParsedInput | Refused> {
  let items = 0;
  const name = flags.input === undefined || flags.input === "-" ? "standard input" : flags.input;
  const { open, ready } = await findInput(flags.input, workingDir);
  for await (const item of jsonItems(open, { ready, silence, signal, name })) {
    items++;
    if ("problem" in item) yield { problem: item.problem, exitCode: EXIT_CODES.failed };
    else
      for (const event of Array.isArray(item.value) ? (item.value as unknown[]) : [item.value])
        yield readEvent(event, flags.event);
  }
  if (items === 0 && !signal.aborted)
    throw new InputError(`${name} holds no event: pipe a JSON event into hooksh dispatch`);
}

/** The milliseconds of `--input-timeout`. */
function silenceOf(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const milliseconds = parseDuration(duration);
  if (milliseconds) return milliseconds;
  throw new UsageError(`--input-timeout takes a duration such as 2s or 500ms, not ${JSON.stringify(duration)}`);
}

/** Where events come from: a stream, and what of it can be read without one. */
interface Input {
  open: () => ReadableStream<Uint8Array>;
  ready?: ReadyInput;
}

async function findInput(file: string | undefined, workingDir: string): Promise<Input> {
  if (file !== undefined && file !== "-") return { open: () => openFile(resolve(workingDir, file), file) };
  if (await isTerminal()) throw new InputError("standard input is a terminal: pipe a JSON event into hooksh dispatch");
  return { open: standardInput, ready: readReadyInput() };
}

/** Loading node:tty costs as much as a whole dispatch, so it is asked only about what may be a terminal. */
async function isTerminal(): Promise<boolean> {
  try {
    if (!fstatSync(0).isCharacterDevice()) return false;
  } catch {
    return false; // standard input is closed: it is read as empty
  }
  const { isatty } = await import("node:tty");
  return isatty(0);
}

function openFile(path: string, shownName: string): ReadableStream<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new InputError(`${shownName}: no such file`);
  if (found.isDirectory()) throw new InputError(`${shownName}: is a directory`);
  return readStream(path);
}

function readEvent(item: unknown, event: string | undefined): ParsedInput | Refused {
  if (!isObject(item)) return { problem: "an event must be a JSON object", exitCode: EXIT_CODES.failed };
  const named = item["hook_event_name"];
  if (event !== undefined && named && named !== event) {
    return {
      problem: `--event ${event} contradicts the input's hook_event_name ${JSON.stringify(named)}`,
      exitCode: EXIT_CODES.usage,
    };
  }
  const parsed = parseInput(event === undefined ? item : { ...item, hook_event_name: event });
  return typeof parsed === "string" ? { problem: parsed, exitCode: EXIT_CODES.failed } : parsed;
}

interface AnswerOptions {
  format: VerdictFormat;
  details: boolean;
  signal: AbortSignal;
  lines: VerdictWriter;
}

/** Dispatches one event, prints its verdict, and gives its exit code. An event that is broken is never allowed. */
async function answer(
  executor: Executor,
  event: ParsedInput | Refused,
  defaults: { session_id: string; cwd: string },
  { format, details, signal, lines }: AnswerOptions,
): Promise<number> {
  if (isRefused(event)) {
    printError(event.problem);
    await lines.refusal(renderVerdict("", { allowed: false, message: event.problem }, { format }));
    return event.exitCode;
  }
  lines.release();
  const name = event.hook_event_name;
  const payload = {
    ...event,
    session_id: event["session_id"] ?? defaults.session_id,
    cwd: event["cwd"] || defaults.cwd,
  };
  const dispatched = await executor.dispatch(name, payload as EventPayload<EventName>, { signal, warn, details: true });
  const verdict = renderVerdict(name, dispatched.result, {
    format,
    details: details ? await dispatched.details() : undefined,
  });
  const isDelivered = await lines.verdict(verdict);
  const exitCode = exitCodeOf(name, dispatched);
  if (exitCode === EXIT_CODES.asked && format === "hook" && isOutputDiscarded()) {
    printError(`${name}: a hook asks for approval, and standard output, which says so, is discarded`);
    return EXIT_CODES.blocked;
  }
  // A rewrite or an ask is lost with the verdict: the operation must not go on as it was.
  if (isDelivered) return exitCode;
  return isEventName(name) && contractOf(name).canBlock ? EXIT_CODES.blocked : EXIT_CODES.failed;
}

function isRefused(event: ParsedInput | Refused): event is Refused {
  return !("hook_event_name" in event);
}

function exitCodeOf(event: string, { result }: DetailedResult): number {
  if (result.allowed) return result.decision === "ask" ? EXIT_CODES.asked : EXIT_CODES.ok;
  printError(result.message ?? `${event} was blocked without a reason`);
  return EXIT_CODES.blocked;
}
