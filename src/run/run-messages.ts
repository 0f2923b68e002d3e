import { isatty } from "node:tty";
import { warn } from "../cli/print.ts";
import { InputError, UsageError, UserError } from "../lib/errors.ts";
import { readAtMost } from "../lib/network/guarded-fetch.ts";
import { standardInput } from "../lib/platform.ts";
import { nearest } from "../lib/text/nearest.ts";
import type { Agent } from "../runtime/agent/agent.ts";
import type { AttachedFile } from "../runtime/session/attached-file.ts";
import { isForProgram, type RunFlags, type RunMessages } from "./run-flags.ts";

/** Throws a {@link UsageError} if a message is blank. */
export function checkMessages(messages: readonly string[]): void {
  const at = messages.findIndex((text) => text.trim() === "");
  if (at < 0) return;
  throw new UsageError(
    `${messages.length > 1 ? `message ${at + 1}` : "the message"} is empty: say what the agent should do, or leave it out`,
  );
}

/** True if standard input is the only message. */
function isInputMessage(given: readonly string[]): boolean {
  return given.length === 1 && given[0] === "-";
}

/** True if the command line has a message, so that standard input goes with it. */
export function isInputBeside(given: readonly string[]): boolean {
  return given.length > 0 && !isInputMessage(given);
}

/** Returns the messages of a run: from the command line, from standard input, or typed at the prompt. */
export async function messagesOf(given: readonly string[], flags: RunFlags): Promise<RunMessages> {
  if (isInputMessage(given)) return { kind: "given", texts: [await readMessage()] };
  if (given.length > 0) return { kind: "given", texts: given };
  const terminal = isatty(0) && isatty(1);
  if (terminal && !isForProgram(flags) && !flags.exec) return { kind: "prompt" };
  if (isatty(0)) throw new InputError("no message: give one after the agent, or pipe one in");
  return { kind: "given", texts: [await readMessage()] };
}

/** The largest message that is read, in bytes: more than any model accepts. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

async function readMessage(): Promise<string> {
  const { bytes, truncated } = await readAtMost(new Response(standardInput()), MAX_MESSAGE_BYTES);
  if (truncated) throw new InputError("the message on standard input is longer than 64 MiB");
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "")
    throw new InputError("no message on standard input: give one after the agent, or pipe one in");
  return text.replace(/\r?\n$/, "");
}

/** Warns about `/attach` in a message that may come from elsewhere, such as an issue: it names no file there. */
export function warnAboutAttachCommand(source: RunMessages): void {
  if (source.kind !== "given" || !source.texts.some((text) => /(^|\s)\/attach[ \t]+\S/.test(text))) return;
  warn("/attach in a message is text, except at the prompt: name the file with --attach FILE");
}

/** Warns about a message that is the name of an agent file: a run takes one agent, and what follows it is a message. */
export function warnAboutFileAsMessage(given: readonly string[]): void {
  const file = given.find((text) => /^\S+\.ya?ml$/i.test(text));
  if (file !== undefined) warn(`${JSON.stringify(file)} is sent as a message: a run takes one agent`);
}

/** Warns about a message that begins like a command of the agent, with another name: it is sent as text. */
export function warnAboutMistypedCommand(given: readonly string[], { commands, skills }: Agent): void {
  const names = [...(commands?.keys() ?? []), ...(skills ?? []).map(({ name }) => name)];
  for (const text of given) {
    const [, name = ""] = /^\/([\w.:-]+)(?=\s|$)/.exec(text) ?? [];
    const close = name === "" || names.includes(name) ? undefined : nearest(name, names);
    if (close !== undefined) warn(`/${name} is no command of the agent and is sent as text, did you mean /${close}?`);
  }
}

/** Reads the files of `--attach`. Throws a {@link UsageError} for one that cannot be attached. */
export async function attachedFiles(names: readonly string[], signal: AbortSignal): Promise<AttachedFile[]> {
  if (names.length === 0) return [];
  const { attachFile } = await import("../runtime/session/attached-file.ts");
  const files: AttachedFile[] = [];
  for (const name of names) {
    try {
      files.push(await attachFile(name, process.cwd(), signal));
    } catch (error) {
      throw error instanceof UserError ? new UsageError(`--attach ${error.message}`) : error;
    }
  }
  return files;
}
