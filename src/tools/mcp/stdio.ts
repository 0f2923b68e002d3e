import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { Env } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { type ProcessEnd, type Server, spawnServer } from "../../lib/process.ts";
import { clip, FLOOD_TEXTS, MESSAGE_LIMIT, splitLines, type Watch } from "./bounds.ts";

const STDERR_LINE_LIMIT = 64 * 1024;
const STDERR_LOG_LIMIT = 1024 * 1024;

/** A server that is started as a process. */
export interface StdioServer {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Env;
}

/**
 * A connection to a process over its standard streams, one message a line. Its standard error goes to the debug log;
 * closing ends everything it started.
 *
 * Source: config-and-cli 5.16.
 */
export async function openStdio(request: StdioServer, watch: Watch): Promise<Transport> {
  const { JSONRPCMessageSchema } = await import("@modelcontextprotocol/sdk/types.js");
  let server: Server | undefined;
  const flood = (reason: string) => {
    watch.gone(reason, "flood");
    void server?.stop(0);
  };
  const onLine = (line: string) => {
    try {
      transport.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(line)));
    } catch {
      if (line.trim() !== "") watch.log(`no message: ${clip(line)}`); // many servers greet on standard output
    }
  };
  const stdout = splitLines(MESSAGE_LIMIT, onLine, () => flood(FLOOD_TEXTS.message));
  const stderr = logStderr(watch.log);
  const transport: Transport = {
    start: async () => {
      const started = spawnServer({
        command: [request.command, ...request.args],
        cwd: request.cwd,
        env: request.env,
        onOutput: (chunk, stream) => {
          if (stream === "stderr") return stderr.read(chunk);
          if (!watch.meter.add({ bytes: chunk.length })) return flood(FLOOD_TEXTS.rate);
          stdout(chunk);
        },
      });
      if ("kind" in started) throw new UserError(notStartedText(request, started.error));
      server = started;
      void server.ended.then((end) => {
        watch.gone(endText(end, stderr.lastLine()));
        transport.onclose?.();
      });
    },
    send: async (message) => {
      if (await server?.write(`${JSON.stringify(message)}\n`)) return;
      throw new UserError("no longer reads");
    },
    close: async () => server?.stop(),
  };
  return transport;
}

function notStartedText({ command }: StdioServer, error: string): string {
  const missing = error.startsWith("ENOENT") || error.includes("Executable not found");
  if (!missing) return `${JSON.stringify(command)} did not start: ${error}`;
  return `the command ${JSON.stringify(command)} was not found: install it, or give its whole path`;
}

function endText(end: ProcessEnd, lastLine: string): string {
  const killed = end.kind === "signaled" ? `was killed by ${end.signal}` : "ended";
  const how = end.kind === "exited" ? `exited with code ${end.code}` : killed;
  return lastLine === "" ? how : `${how}: ${lastLine}`;
}

function logStderr(log: (message: string) => void) {
  let last = "";
  let room = STDERR_LOG_LIMIT;
  const onLine = (line: string) => {
    if (line.trim() === "") return;
    last = clip(line.trim(), 300);
    if (room <= 0) return;
    room -= line.length;
    log(room > 0 ? `stderr: ${line}` : "stderr: the rest is left out");
  };
  const start = () => splitLines(STDERR_LINE_LIMIT, onLine, () => (read = start()));
  let read = start();
  return { read: (chunk: Uint8Array) => read(chunk), lastLine: () => last };
}
