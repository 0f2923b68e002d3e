import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { Env } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { sleep } from "../../lib/platform.ts";
import type { ProcessEnd } from "../../lib/process/child.ts";
import { type Server, spawnServer } from "../../lib/process/server.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import {
  FLOOD_TEXTS,
  type LongLine,
  MCP_SERVER_DID_NOT_START,
  MESSAGE_LIMIT,
  NotDeliveredError,
  type ServerMonitor,
  splitLines,
  truncate,
} from "./bounds.ts";

const VERSION = /"jsonrpc"\s*:\s*"2\.0"/;

const STDERR_LINE_LIMIT = 64 * 1024;
const TAIL_LENGTH = 2048;
/** How long to wait for the end of a server that no longer reads, to report how it ended. */
const END_WAIT_MS = 5000;
/** Maximum characters of a server's output in the debug log. */
const LOG_LIMIT = 1024 * 1024;

/** A server that runs as a process. */
export interface StdioServer {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Env;
}

/**
 * Opens a connection to a process over its standard streams, one message per line. Standard error goes to the debug
 * log. Closing kills the process and its descendants.
 */
export async function openStdio(request: StdioServer, watch: ServerMonitor): Promise<Transport> {
  const { JSONRPCMessageSchema } = await import("@modelcontextprotocol/sdk/types.js");
  let server: Server | undefined;
  let isFlooded = false;
  const flood = (reason: string) => {
    if (isFlooded) return;
    isFlooded = true;
    watch.ended(reason, "flood");
    void server?.stop(0);
  };
  const log = boundedLog(watch.log);
  const onLine = (line: string) => {
    if (isFlooded) return;
    const message = parseMessage(line, JSONRPCMessageSchema);
    if (message) return transport.onmessage?.(message);
    // Many servers print a greeting on standard output.
    log(`not a message: ${truncate(line)}`);
    if (!watch.meter.add({ messages: 1 })) flood(FLOOD_TEXTS.rate);
  };
  const stdout = splitLines(MESSAGE_LIMIT, onLine, (line) => {
    const answer = shortenedAnswer(line);
    if (answer) transport.onmessage?.(answer);
    else flood(FLOOD_TEXTS.message);
  });
  const stderr = readStderr(log);
  const transport: Transport = {
    start: async () => {
      const started = spawnServer({
        command: [request.command, ...request.args],
        cwd: request.cwd,
        env: request.env,
        onOutput: (chunk, stream) => {
          if (isFlooded) return;
          if (!watch.meter.add({ bytes: chunk.length })) return flood(FLOOD_TEXTS.rate);
          (stream === "stderr" ? stderr.read : stdout)(chunk);
        },
      });
      if ("kind" in started)
        throw new UserError(notStartedText(request, started.error), { help: MCP_SERVER_DID_NOT_START });
      server = started;
      void server.ended.then(async (end) => {
        await sleep(0); // lets a message that was not delivered be reported first
        watch.ended(endText(end, stderr.lastLine()), end.kind === "exited" && end.code === 0 ? "clean" : undefined);
        transport.onclose?.();
      });
    },
    send: async (message) => {
      if (await server?.write(`${JSON.stringify(message)}\n`)) return;
      // The line end was not written, so the server got no message. If it has just ended, report how.
      const settled = server && (await settleWithin(server.ended, { ms: END_WAIT_MS }));
      throw new NotDeliveredError(endText(settled?.kind === "done" ? settled.value : undefined, stderr.lastLine()));
    },
    close: async () => server?.stop(),
  };
  return transport;
}

/** Parses a line as a message; undefined if it is not one. */
function parseMessage<T>(line: string, schema: { safeParse(value: unknown): { data?: T } }): T | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return schema.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined; // not JSON, so not a message
  }
}

function notStartedText({ command }: StdioServer, error: string): string {
  const missing = error.startsWith("ENOENT") || error.includes("Executable not found");
  if (!missing) return `${JSON.stringify(command)} did not start: ${error}`;
  const where = command.includes("/") ? "" : " in PATH";
  return `the command ${JSON.stringify(command)} was not found${where}: install it, or give its whole path`;
}

/** Says what became of a server that has ended, or that no longer reads but has not ended (undefined). */
function endText(end: ProcessEnd | undefined, lastLine: string): string {
  const how = howItEnded(end);
  return lastLine === "" ? how : `${how}: ${lastLine}`;
}

function howItEnded(end: ProcessEnd | undefined): string {
  if (!end) return "no longer reads";
  if (end.kind === "exited") return `exited with code ${end.code}`;
  return end.kind === "signaled" ? `was killed by ${end.signal}` : "ended";
}

/** Returns a log with a limited size. The log returns false once it is full. */
function boundedLog(log: (message: string) => void): (message: string) => boolean {
  let room = LOG_LIMIT;
  return (message) => {
    if (room <= 0) return false;
    room -= message.length;
    log(room > 0 ? message : "the rest of its output is left out");
    return room > 0;
  };
}

function readStderr(log: (message: string) => boolean) {
  let tail = Buffer.alloc(0);
  let isLogged = true;
  const onLine = (line: string) => {
    if (line.trim() !== "") isLogged &&= log(`stderr: ${line}`);
  };
  const split = splitLines(STDERR_LINE_LIMIT, onLine, () => log("stderr: a line is left out, it is too long"));
  return {
    read: (chunk: Uint8Array) => {
      tail = Buffer.concat([tail, chunk.subarray(-TAIL_LENGTH)]).subarray(-TAIL_LENGTH);
      if (isLogged) split(chunk);
    },
    lastLine: () => truncate(tail.toString().trim().split("\n").at(-1) ?? "", 300),
  };
}

/**
 * Makes an answer from the beginning and the end of one that is too large, with a note of how much is missing.
 * Undefined if the message is not the result of a request, or if its beginning and end do not show the request's id.
 */
function shortenedAnswer(line: LongLine): JSONRPCMessage | undefined {
  const head = new TextDecoder().decode(line.head);
  const tail = new TextDecoder().decode(line.tail);
  const id = idOf(head, tail);
  if (id === undefined) return undefined;
  const missing = line.bytes - line.head.length - line.tail.length;
  const notice = `[... ${missing} bytes cut: the answer of ${line.bytes} bytes is larger than ${MESSAGE_LIMIT / 1024 / 1024} MiB ...]`;
  const isError = /"isError"\s*:\s*true/.test(tail.slice(-200));
  return {
    jsonrpc: "2.0",
    id,
    result: { content: [{ type: "text", text: `${head}\n${notice}\n${tail}` }], ...(isError ? { isError } : {}) },
  };
}

/** Servers write the id before or after the result. Inside a text its quotes would be escaped. */
function idOf(head: string, tail: string): number | undefined {
  const start = head.replace(new RegExp(`^(\\{\\s*)${VERSION.source}\\s*,\\s*`), "$1");
  const before = /^\{\s*"id"\s*:\s*(\d+)\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"result"\s*:/.exec(start)?.[1];
  const end = tail.replace(new RegExp(`,\\s*${VERSION.source}(?=\\s*(?:,\\s*"id"\\s*:\\s*\\d+\\s*)?\\}\\s*$)`), "");
  const after = /^\{\s*"result"\s*:/.test(start) ? /\}\s*,\s*"id"\s*:\s*(\d+)\s*\}\s*$/.exec(end)?.[1] : undefined;
  const id = before ?? after;
  return id === undefined ? undefined : Number(id);
}
