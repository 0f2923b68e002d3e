/**
 * A dispatch that ends here if every hook is silent: each that matches is a plain command that exits with 0 and
 * prints nothing. It decides nothing else. Whatever it does not know exactly it hands over to the engine untouched, with
 * the input that it has read and the hooks that it has started, so that nothing happens twice.
 *
 * It loads neither Node's modules nor the engine, which take longer than everything that it does (cold start). What it
 * shares with the engine it imports from there. docs/design/decisions.md#cold-start says why it calls the system itself.
 */
import { maySaySecret, short, subjectDigest, subjectFields } from "../../audit/subject.ts";
import { type HandedOver, SIGNALS, type StopSignal } from "../../lib/process/handed-over.ts";
import { SystemCalls } from "../../lib/process/system-calls.ts";
import { processEnv } from "../../lib/process-env.ts";
import { roundedMilliseconds } from "../../lib/text/duration.ts";
import { simpleTest } from "../../pattern/simple-test.ts";
import { contractOf } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { Unwritten } from "./answer-slowly.ts";
import { QuickLog } from "./append-line.ts";
import { isCommonMatcher } from "./common-tools.ts";
import { mayRefuse } from "./harmless-call.ts";
import type { PlainHook } from "./plain-hooks.ts";
import { isPlainPath } from "./plain-path.ts";
import { hasPlainStreams, isPlainEnvironment, plainDirectories } from "./plain-surroundings.ts";
import { readClaudeQuestion } from "./quick-claude.ts";
import { isOwn, isPeculiar, type Question, type QuickEvent, readOwn } from "./quick-event.ts";
import { Heartbeat } from "./quick-heartbeat.ts";
import { type QuickLine, readQuickLine } from "./quick-line.ts";
import { readHooksFiles } from "./read-hooks-files.ts";
import { eventIn, readInput } from "./read-input.ts";
import { runQuietly, type SilentRun } from "./run-hooks.ts";

/** How it ended: in silence, so that `exit` can end the process; with an answer that standard output did not take at once; or handed over. */
export type QuickEnd = { exit?: () => void; unwritten?: Unwritten; handedOver?: HandedOver };

/** Dispatches the event on standard input, given the words of the command line. Never throws. */
export async function quickDispatch(words: readonly string[]): Promise<QuickEnd> {
  const signals: StopSignal[] = [];
  const keep = (name: StopSignal) => void signals.push(name);
  const handedOver: HandedOver = {
    input: undefined,
    session: undefined,
    started: [],
    signals,
    release: () => {
      for (const name of SIGNALS) process.off(name, keep);
    },
  };
  try {
    const line = process.platform === "linux" ? readQuickLine(words.slice(1)) : undefined;
    if (line === undefined) return {};
    const keepSignals = () => {
      for (const name of SIGNALS) process.on(name, keep);
    };
    const end = await answerSilence(line, handedOver, keepSignals);
    if (end !== undefined) return end;
  } catch {
    // The engine goes on, and reports what is wrong.
  }
  handedOver.startedAt = handedOver.started[0]?.startedAt;
  return { handedOver };
}

/** Judges, records and answers the event. Undefined if that is not for this file. */
async function answerSilence(
  line: QuickLine,
  handedOver: HandedOver,
  keepSignals: () => void,
): Promise<QuickEnd | undefined> {
  const env = processEnv();
  if (!isPlainEnvironment(env)) return undefined;
  const system = new SystemCalls();
  const cwd = process.cwd();
  const directories = plainDirectories(system, line.directories, env);
  if (directories === undefined || !isPlainPath(cwd) || !hasPlainStreams(system)) return undefined;
  const { config, data } = directories;
  const files: string[] = [];
  for (const file of line.hooksFiles) {
    const path = file.startsWith("/") ? file : `${cwd}/${file}`;
    if (!isPlainPath(path)) return undefined;
    files.push(path);
  }
  const hooks = readHooksFiles(system, { config, files });
  if (hooks === undefined || hooks.length === 0) return undefined;
  const uncommon: string[] = [];
  for (const { matcher } of hooks) if (!isCommonMatcher(matcher)) uncommon.push(matcher);
  if (uncommon.length > 0 && !(await import("./plain-matcher.ts")).arePlainMatchers(uncommon)) return undefined;

  const input = readInput(system, line.dialect !== undefined);
  if (input === undefined) return undefined;
  handedOver.input = input;
  const value = input.ended || line.dialect !== undefined ? eventIn(input.bytes) : undefined;
  if (value === undefined) return undefined;
  const defaults = {
    get session_id() {
      return (handedOver.session ??= `dispatch-${crypto.randomUUID()}`);
    },
    cwd,
  };
  const question = isOwn(value, line)
    ? readOwn(value, line, defaults)
    : (readClaudeQuestion(value, line, { system, env }) ??
      (await (await import("./quick-host.ts")).readHostQuestion(value, line, { system, env, defaults })));
  if (question === undefined || (!input.ended && question.host === undefined)) return undefined;
  for (const { event } of hooks) if (event === "prompt_file_guard" || question.beside.includes(event)) return undefined;
  const matching: { event: QuickEvent; found: readonly PlainHook[]; isGuarded: boolean }[] = [];
  for (const event of question.events) {
    const found = isPeculiar(event) ? undefined : hooksOn(event, hooks);
    const isGuarded = line.guardsStay && event.event === "pre_tool_use";
    const { tool_name: tool, tool_input: call } = event.input;
    if (found === undefined || (isGuarded && mayRefuse(String(tool), call as Payload))) return undefined;
    matching.push({ event, found, isGuarded });
  }

  const log = line.isAudited ? QuickLog.open(system, data) : undefined;
  const heartbeat = question.host && Heartbeat.open(system, data, question.host);
  // The engine may need every descriptor.
  const handOver = () => {
    log?.close();
    heartbeat?.close();
    return undefined;
  };
  if ((line.isAudited && !log) || (question.host && !heartbeat)) return handOver();
  keepSignals();
  const entries: string[] = [];
  for (const { event, found, isGuarded } of matching) {
    const startedAt = performance.now();
    const place = { cwd: question.cwd, env: { ...env, ...question.env }, input: `${JSON.stringify(event.input)}\n` };
    let subject: ReturnType<typeof subjectOf> | undefined;
    const meanwhile = () => {
      if (log) subject = subjectOf(event, question, found);
      return !log || subject !== undefined;
    };
    const runs = runQuietly(system, found, place, { started: handedOver.started, meanwhile });
    if (runs === undefined) return handOver();
    if (subject) entries.push(entryOf(subject, runs, { isGuarded, startedAt }));
  }
  if (log && !log.append(entries)) {
    heartbeat?.close();
    return undefined;
  }
  heartbeat?.beat();
  const bytes = new TextEncoder().encode(question.silence);
  return system.write(1, bytes) === bytes.length
    ? { exit: () => system.exit(0) }
    : { unwritten: { ...question, format: line.format, isProved: line.isProved } };
}

/** True if a matcher that needs no compiling matches one of the names of a tool. */
function matches(matcher: string, names: readonly string[]): boolean {
  if (isCommonMatcher(matcher)) return matcher === "" || matcher === "*" || names.includes(matcher);
  const test = simpleTest(matcher);
  for (const name of names) if (test === undefined || test(name)) return true;
  return false;
}

/** Hooks at once, each of which takes three descriptors. */
const MOST_HOOKS = 64;

/** Returns the hooks that match an event, each once. Undefined if the engine must run or record them. */
function hooksOn({ event, names }: QuickEvent, hooks: readonly PlainHook[]): PlainHook[] | undefined {
  const { matcher, mode } = contractOf(event);
  const found: PlainHook[] = [];
  for (const hook of hooks) {
    if (hook.event !== event || (matcher && !matches(hook.matcher, names))) continue;
    if (!isAmong(found, hook)) found.push(hook);
  }
  return found.length > MOST_HOOKS || (mode === "sequential" && found.length > 0) ? undefined : found;
}

function isAmong(hooks: readonly PlainHook[], { identity }: PlainHook): boolean {
  for (const hook of hooks) if (hook.identity === identity) return true;
  return false;
}

/** What an entry says besides how its hooks ran. Undefined if it would hold the name of a hook without secrets. */
function subjectOf({ event, input }: QuickEvent, { host }: Question, hooks: readonly PlainHook[]): object | undefined {
  for (const { name } of hooks) if (maySaySecret(name)) return undefined;
  return subjectFields(event, input, host, subjectDigest(event, input));
}

/** Returns the entry of an event as the engine writes it, as JSON. */
function entryOf(
  subject: object,
  runs: readonly SilentRun[],
  { isGuarded, startedAt }: { isGuarded: boolean; startedAt: number },
): string {
  const outcome = "silent";
  const hooks: object[] = [];
  if (isGuarded)
    hooks.push({ name: "guards_stay", source: "--guards-stay", type: "builtin", stage: "preempt", outcome, ms: 0 });
  for (const { hook, milliseconds } of runs)
    hooks.push({
      name: short(hook.name),
      source: short(hook.source),
      type: "command",
      stage: "concurrent",
      outcome,
      ms: roundedMilliseconds(milliseconds),
      exit_code: 0,
    });
  return JSON.stringify({
    source: "dispatch",
    ...subject,
    hooks,
    decision: "none",
    ms: roundedMilliseconds(performance.now() - startedAt),
  });
}
