import { join, resolve } from "node:path";
import type { CommandInput } from "../../cli/define-command.ts";
import { directoriesOf, openLog } from "../../cli/global-flags.ts";
import { print, printError, redirectWarnings } from "../../cli/print.ts";
import { processEnv } from "../../lib/env.ts";
import { errorText, UsageError, UserError } from "../../lib/errors.ts";
import { optimizeForLongRun } from "../../lib/platform.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { parseInteger } from "../../lib/text/integer.ts";
import { captureToo } from "../capture/capture-too.ts";
import { durationOf, workingDirOf } from "../dispatch/dispatch-flags.ts";
import { openHooks } from "../dispatch/open-hooks.ts";
import { type Access, readToken } from "./access.ts";
import { requestAnswerer, type Service } from "./answer-request.ts";
import { freshHooks } from "./fresh-hooks.ts";
import { type HttpListener, type HttpRequest, listenHttp } from "./listen-http.ts";
import type { SERVE_FLAGS } from "./serve-flags.ts";
import { listenOnSocket } from "./socket-file.ts";

/** How long hooks may still run after the signal to stop, in milliseconds. */
const GRACE_MS = 10_000;

/** How long the last answers may take to reach their clients, in milliseconds. */
const FLUSH_MS = 1000;

/** Maximum number of distinct problems to print; the log has all of them. */
const MAX_REPORTED = 100;

type ServeInput = CommandInput<typeof SERVE_FLAGS>;

/** Serves until the signal aborts, and answers the requests that have arrived by then. Throws a `UserError`. */
export async function serve(input: ServeInput): Promise<void> {
  const { flags, signal } = input;
  const cwd = workingDirOf(flags["working-dir"]);
  const directories = directoriesOf(flags);
  const log = openLog(flags, directories);
  const printOnce = once((problem) => printError(`hooksh serve: ${problem}`));
  const report = (problem: string) => {
    log("warn", `serve: ${problem}`);
    printOnce(problem);
  };
  redirectWarnings(report);
  const stop = new AbortController();
  const shared: Omit<Service, "access"> = {
    hooks: await openFreshHooks(input, { cwd, config: directories.config, report }),
    settings: {
      ask: flags.ask ?? "deny",
      deadlineMs: durationOf(flags.deadline, "deadline"),
      workingDir: flags["working-dir"] === undefined ? undefined : cwd,
      cwd,
      directories: () => (flags["no-audit"] ? undefined : directories),
    },
    stop: stop.signal,
    report,
    ...keeping(flags),
  };
  optimizeForLongRun();
  const listeners = await listen(flags, join(directories.data, "serve.token"), shared);
  await new Promise<void>((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
  const stopped = Promise.all(listeners.map((listener) => listener.stop()));
  const { kind } = await settleWithin(stopped, { ms: GRACE_MS });
  if (kind === "done") return;
  stop.abort(new Error("hooksh serve is stopping"));
  await settleWithin(stopped, { ms: FLUSH_MS });
  await Promise.all(listeners.map((listener) => listener.stop(true)));
}

/** Keeps payloads after their answers are sent. */
function keeping(flags: ServeInput["flags"]): Pick<Service, "keep"> {
  const dir = flags.capture ?? processEnv()["HOOKSH_CAPTURE"];
  return dir ? { keep: (host) => void setTimeout(() => void captureToo(host, dir, flags), 0) } : {};
}

/** Loads the hooks, to report mistakes at the start. The server starts in spite of them: if it exited, it could not deny. */
async function openFreshHooks(
  input: ServeInput,
  { cwd, config, report }: { cwd: string; config: string; report: (problem: string) => void },
): Promise<Service["hooks"]> {
  const { flags, positionals } = input;
  const named = [...(flags["hooks-file"] ?? []), ...(flags["env-from-file"] ?? [])];
  // An agent file can take hooks, texts and agents from any number of others, so it is read for every request.
  const files = positionals.length > 0 ? undefined : { config, named, cwd };
  const hooks = freshHooks(files, async () => {
    try {
      return await openHooks(input, cwd, "serve");
    } catch (error) {
      report(`every guarded call is denied: ${errorText(error)}`);
      throw error;
    }
  });
  await hooks().catch((error: unknown) => {
    if (!(error instanceof UserError) || error instanceof UsageError) throw error;
  });
  return hooks;
}

async function listen(
  flags: ServeInput["flags"],
  defaultTokenFile: string,
  shared: Omit<Service, "access">,
): Promise<HttpListener[]> {
  const listeners: HttpListener[] = [];
  if (flags.socket !== undefined) {
    const path = resolve(flags.socket);
    listeners.push(await listenOnSocket(path, requestAnswerer({ ...shared, access: { kind: "socket" } })));
    await print(`listening on ${path}`);
  }
  if (flags.port !== undefined) {
    const tokenFile = resolve(flags["token-file"] ?? defaultTokenFile);
    const access: Access = { kind: "port", port: portOf(flags.port), token: readToken(tokenFile) };
    const listener = await listenOnPort(access, requestAnswerer({ ...shared, access }));
    access.port = listener.port ?? access.port;
    listeners.push(listener);
    await print(`listening on http://127.0.0.1:${access.port}, for requests with the token in ${tokenFile}`);
  } else if (flags["token-file"] !== undefined) throw new UsageError("--token-file requires --port");
  return listeners;
}

function portOf(text: string): number {
  const port = parseInteger(text);
  if (port !== undefined && port >= 0 && port <= 65_535) return port;
  throw new UsageError(`--port takes a number from 0 to 65535, not ${JSON.stringify(text)}`);
}

async function listenOnPort(
  { port }: { port: number },
  respond: (request: HttpRequest) => Promise<Response>,
): Promise<HttpListener> {
  try {
    return await listenHttp({ port }, respond);
  } catch (error) {
    throw new UserError(`--port ${port}: ${errorText(error)}`, { cause: error });
  }
}

/** Calls `receive` for each distinct text once, and for no more than {@link MAX_REPORTED}. */
function once(receive: (text: string) => void): (text: string) => void {
  const seen = new Set<string>();
  return (text) => {
    if (seen.has(text) || seen.size >= MAX_REPORTED) return;
    seen.add(text);
    receive(text);
  };
}
