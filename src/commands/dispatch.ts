import { fstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type HookEntry, isHookFile } from "../config/hooks.ts";
import { newRegistry } from "../engine/default-registry.ts";
import { type DetailedResult, Executor } from "../engine/executor.ts";
import { processEnv } from "../lib/env.ts";
import { errorText, EXIT_CODES, InputError, UsageError } from "../lib/errors.ts";
import { expectLongRun } from "../lib/jit.ts";
import { isObject } from "../lib/json.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "../protocol/events.ts";
import { parseInput, type ParsedInput } from "../protocol/input.ts";
import { type CommandInput, defineCommand } from "./command.ts";
import { jsonValues } from "./event-stream.ts";
import type { FlagSpecs } from "./flags.ts";
import { loadEntries, SOURCE_FLAGS } from "./load-hooks.ts";
import { lazyModelClient, MODEL_FLAGS } from "./model-client.ts";
import { directoriesOf, keepStandardOutput, openLog, print, printError, warn } from "./output.ts";
import { renderVerdict, VERDICT_FORMATS, type VerdictFormat } from "./render/verdict.ts";
import { checkRestrictions, RESTRICTION_FLAGS } from "./restrictions.ts";
import { TRUST_FLAGS } from "./trust-flags.ts";

const FLAGS = {
  ...SOURCE_FLAGS,
  ...MODEL_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
  event: { kind: "value", hint: "EVENT", description: "The event, for objects without hook_event_name" },
  input: { kind: "value", hint: "FILE", description: "Read events from a file instead of standard input (-)" },
  output: { kind: "value", hint: "FORMAT", choices: VERDICT_FORMATS, description: "hook (what a hook would print), result (everything), text (default: hook)" },
  details: { kind: "switch", description: "Add what each hook came to" },
  "fail-fast": { kind: "switch", description: "Stop at the first event that is blocked" },
  stream: { kind: "switch", description: "Standard input stays open: never take silence for its end" },
  "working-dir": { kind: "value", hint: "DIR", description: "Where hooks run (default: the current directory)" },
} as const satisfies FlagSpecs;

type DispatchFlags = CommandInput<typeof FLAGS>["flags"];

/** `hooksh dispatch`: JSON events in, verdicts out. Source: config-and-cli 9.7 and the rulings. */
export const command = defineCommand({
  positionals: "[AGENT]",
  description:
    "Reads JSON events from standard input (one object, an array, or one a line), runs the hooks configured for each, and prints one\n" +
    "verdict a line. Exits 0 when everything is allowed, 2 when something is blocked, 1 on broken input or configuration.",
  flags: FLAGS,
  run: runDispatch,
});

async function runDispatch({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  if (positionals.length > 1) throw new UsageError(`dispatch takes one agent, not ${positionals.length}: ${positionals.join(" ")}`);
  if (flags.event !== undefined && !isEventName(flags.event)) throw new UsageError(unknownEvent(flags.event));
  const workingDir = workingDirOf(flags);
  const directories = directoriesOf(flags);
  const log = openLog(flags, directories);
  const [reference] = positionals;
  // Without an agent nothing beside the hooks themselves is loaded.
  const notices = reference === undefined ? [] : (["relative"] as const);
  const { entries, file, unenforced } = await loadEntries({ reference, flags, directories, cwd: workingDir, notices });
  checkRestrictions(unenforced, flags);
  if (file && file.remotes.length > 0) {
    const { checkTrust } = await import("./trust-check.ts");
    await checkTrust(file, { flags, directories, interactive: false }); // standard input is for events
  }
  if (entries.some(isOwnHook)) keepStandardOutput();
  const registry = newRegistry(lazyModelClient({ flags, file, directories, cwd: workingDir }));
  const executor = new Executor(entries, { workingDir, env: processEnv(), directories, log, registry });
  const format = flags.output ?? "hook";
  const defaults = { session_id: `dispatch-${crypto.randomUUID()}`, cwd: workingDir };
  let exitCode: number = EXIT_CODES.ok;
  let answered = 0;
  for await (const event of readEvents(flags, workingDir, signal)) {
    const code = await answer(executor, event, defaults, { format, details: flags.details ?? false, signal });
    exitCode = worst(exitCode, code);
    if (++answered === 2) expectLongRun();
    if (code !== EXIT_CODES.ok && flags["fail-fast"]) break;
  }
  return signal.aborted ? EXIT_CODES.interrupted : exitCode;
}

/** True for a hook of the user's own that runs in this process, and could write to its standard output. */
function isOwnHook({ hook }: HookEntry): boolean {
  return hook.type === "builtin" && isHookFile(hook.command);
}

/** Hooks run there, and relative paths begin there. Source: config-and-cli 9.3. */
function workingDirOf(flags: DispatchFlags): string {
  const given = flags["working-dir"];
  const path = resolve(given ?? ".");
  if (given === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--working-dir ${given}: no such directory`);
}

/** 1, broken, is worse than 2, blocked, is worse than 0. */
function worst(a: number, b: number): number {
  return a === EXIT_CODES.failed || b === EXIT_CODES.failed ? EXIT_CODES.failed : Math.max(a, b);
}

/** The events of the input, in order; what is an object of JSON but no event is a problem in its place. */
async function* readEvents(flags: DispatchFlags, workingDir: string, signal: AbortSignal): AsyncGenerator<ParsedInput | string> {
  let values = 0;
  const name = flags.input === undefined || flags.input === "-" ? "standard input" : flags.input;
  for await (const text of jsonValues(await openInput(flags.input, workingDir), { keepOpen: flags.stream ?? false, signal, name })) {
    values++;
    let parsed: unknown;
    try {
      parsed = JSON.parse(text);
    } catch (error) {
      throw new InputError(`JSON value ${values} of ${name} cannot be read: ${errorText(error)}`, { cause: error });
    }
    for (const item of Array.isArray(parsed) ? (parsed as unknown[]) : [parsed]) yield readEvent(item, flags.event);
  }
  if (values === 0 && !signal.aborted) throw new InputError(`${name} is empty: pipe a JSON event into hooksh dispatch`);
}

async function openInput(file: string | undefined, workingDir: string): Promise<ReadableStream<Uint8Array>> {
  if (file !== undefined && file !== "-") return openFile(resolve(workingDir, file), file);
  if (await isTerminal()) throw new InputError("standard input is a terminal: pipe a JSON event into hooksh dispatch");
  return Bun.stdin.stream();
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
  return Bun.file(path).stream();
}

function readEvent(item: unknown, event: string | undefined): ParsedInput | string {
  if (!isObject(item)) return "an event must be a JSON object";
  const named = item["hook_event_name"];
  if (event !== undefined && named && named !== event) {
    throw new UsageError(`--event ${event} contradicts the input's hook_event_name ${JSON.stringify(named)}`);
  }
  return parseInput(event === undefined ? item : { ...item, hook_event_name: event });
}

interface AnswerOptions {
  format: VerdictFormat;
  details: boolean;
  signal: AbortSignal;
}

/** Dispatches one event, prints its verdict, and gives its exit code. An event that is broken is never allowed. */
async function answer(
  executor: Executor,
  event: ParsedInput | string,
  defaults: { session_id: string; cwd: string },
  { format, details, signal }: AnswerOptions,
): Promise<number> {
  if (typeof event === "string") {
    printError(event);
    await print(renderVerdict("", { allowed: false, message: event }, { format }));
    return EXIT_CODES.failed;
  }
  const name = event.hook_event_name;
  const payload = { ...event, session_id: event["session_id"] ?? defaults.session_id, cwd: event["cwd"] || defaults.cwd };
  const dispatched = await executor.dispatch(name, payload as EventPayload<EventName>, { signal, warn, details: true });
  const verdict = renderVerdict(name, dispatched.result, { format, details: details ? await dispatched.details() : undefined });
  const isTold = await print(verdict).then(() => true, (error: unknown) => {
    printError(`standard output: ${errorText(error)}`);
    return false;
  });
  const exitCode = exitCodeOf(name, dispatched);
  // What was rewritten is lost with the verdict: the operation must not go on as it was.
  if (isTold) return exitCode;
  return isEventName(name) && contractOf(name).canBlock ? EXIT_CODES.blocked : EXIT_CODES.failed;
}

function exitCodeOf(event: string, { result }: DetailedResult): number {
  if (result.allowed) return EXIT_CODES.ok;
  printError(result.message ?? `${event} was blocked without a reason`);
  return EXIT_CODES.blocked;
}
