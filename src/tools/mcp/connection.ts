import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { version } from "../../../package.json" with { type: "json" };
import { errorText, UserError } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import { optionalPackage } from "../../lib/optional-package.ts";
import { sleep } from "../../lib/platform.ts";
import { rejectOnAbort, settleWithin } from "../../lib/settle-within.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { traceHeaders } from "../../trace/active.ts";
import { MAX_TIMEOUT_MS } from "../run-command.ts";
import type { ToolContext } from "../tool.ts";
import {
  FLOOD_TEXTS,
  MCP_CALL_WITHOUT_ANSWER,
  MCP_SERVER_DID_NOT_START,
  NotDeliveredError,
  type ServerMonitor,
  TrafficMeter,
  truncate,
} from "./bounds.ts";
import { askUserFor, Withdrawable } from "./elicitation.ts";
import { type Lifecycle, restartDelay, startTimeLimit, type TimeLimit } from "./lifecycle.ts";
import { listOffers } from "./list-offers.ts";

/** How to reach a server, and how long to wait for it. */
export interface ServerSettings {
  /** The name of the server in messages. */
  name: string;
  /** Makes a new transport, and does not start it. */
  open: (watch: ServerMonitor) => Promise<Transport>;
  lifecycle: Lifecycle;
  /** Cancels a start. */
  signal?: AbortSignal;
  /** Called with every new list of tools. */
  onTools: (listed: readonly unknown[]) => void;
  log: (level: "debug" | "warn", message: string) => void;
  /** Warns the user. */
  warn: (message: string) => void;
}

/** The minimum time between two requests for the list of tools, however often a server reports a change. */
const REFRESH_PAUSE_MS = 500;
/** How long a call waits for the new list if it changed during the call, so that the next turn has the new tools. */
const REFRESH_WAIT_MS = 5000;
const SESSION_END_MS = 1000;

const MAY_HAVE_RUN = "may or may not have run and is not repeated";

/** A server from one start to its end. */
interface Life {
  client: Client;
  /** The connection is closed. */
  isOver: boolean;
  /** Why it is over, if known. */
  failure: string | undefined;
  flooded: boolean;
  /** The server exited by itself and without a failure. */
  isClean: boolean;
  /** Resolves when the connection is closed. */
  over: Promise<void>;
  onOver: () => void;
}

function endOf({ isOver, failure }: Life): string | undefined {
  return failure ?? (isOver ? "closed the connection" : undefined);
}

/** A request of the user or the model: a call of a tool, or for the text of a prompt. */
interface ServerRequest {
  method: "tools/call" | "prompts/get";
  params: { name: string; arguments: Readonly<Record<string, unknown>> };
}

type RequestContext = Pick<ToolContext, "signal" | "askUser">;

interface ActiveCall {
  context: RequestContext;
  limit: TimeLimit;
}

/** A server that ran this long counts as started successfully: some servers and proxies close idle connections. */
const STABLE_MS = 10_000;

/** The connection to a server: starts it, calls its tools, restarts it according to its lifecycle, and closes it. */
export class Connection {
  readonly #settings: ServerSettings;
  readonly #calls = new Set<ActiveCall>();
  #life: Life | undefined;
  #starting: Promise<void> | undefined;
  /** Resolves when no list is being read. */
  #refresh: Promise<void> = Promise.resolve();
  #isRefreshDue = false;
  #lastRefresh = -REFRESH_PAUSE_MS;
  readonly #closing = new AbortController();
  /** Restarts since a call was last answered. */
  #restarts = 0;
  #restart: Timer | undefined;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
  }

  /** The name of the server in messages. */
  get name(): string {
    return this.#settings.name;
  }

  /** The server's instructions for the model. */
  get instructions(): string | undefined {
    return this.#life?.client.getInstructions();
  }

  /** Starts the server and reads its tools. Throws a {@link UserError}, with nothing left running, if that fails. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Why the server cannot be used now; undefined if it is connected. */
  get problem(): string | undefined {
    if (this.#starting) return "is starting";
    return this.#life ? endOf(this.#life) : "is not started";
  }

  /** Returns the prompts of the server; none if it is not connected or offers none. Throws if the request fails. */
  async listPrompts(): Promise<unknown[]> {
    const { lifecycle, name, log } = this.#settings;
    if (!this.#life || this.problem !== undefined) return [];
    const { client } = this.#life;
    if (!client.getServerCapabilities()?.prompts) return [];
    const note = (message: string) => log("debug", `${name} ${message}`);
    return listOffers(client, "prompts", { timeoutMs: lifecycle.startupMs, log: note });
  }

  /** Ends the server and starts it again, also one that is not restarted by itself any more. Throws if it does not start. */
  restart(): Promise<void> {
    clearTimeout(this.#restart);
    this.#restarts = 0;
    if (this.#life) this.#life.failure ??= "was restarted";
    this.#starting ??= this.#end(this.#life)
      .then(() => this.#start())
      .finally(() => {
        this.#starting = undefined;
      });
    return this.#starting;
  }

  /**
   * Sends a request, such as a tool call, and returns the server's answer. Restarts a server that has ended, unless its lifecycle forbids that
   * or too many restarts have failed. If the server ends during the call, repeats the call once, but only if it was not
   * delivered or is repeatable; otherwise the error says that the call may have run. Throws if there is no answer.
   */
  async call(request: ServerRequest, context: RequestContext, isRepeatable: boolean): Promise<unknown> {
    const { name, lifecycle, log } = this.#settings;
    for (let isRestarted = false; ; ) {
      const end = this.#life && endOf(this.#life);
      if (end !== undefined) {
        if (this.#closing.signal.aborted) throw this.#error("has been closed");
        if (isRestarted || lifecycle.restart === "never") throw this.#error(end);
        isRestarted = true;
        if (!this.#starting) {
          if (this.#isGivenUp) throw this.#error(`${end}; ${this.#givenUpText}`);
          log("warn", `${name} ${end}; it is restarted for a call`);
        }
        await rejectOnAbort(this.#startAgain(), context.signal);
      }
      const life = this.#life;
      if (!life) throw this.#error("is not started");
      try {
        const answer = await this.#request(life, request, context);
        this.#restarts = 0;
        return answer;
      } catch (error) {
        context.signal.throwIfAborted();
        const isDelivered = !(error instanceof NotDeliveredError);
        if (!isDelivered) this.#letGo(life, error.message);
        const reason = endOf(life);
        if (reason === undefined) throw error;
        if (isDelivered && !isRepeatable) throw this.#outcomeUnknown(request.params.name, reason);
        if (isRestarted || life.flooded) throw this.#error(reason);
      }
    }
  }

  /** Ends the server. Never throws. */
  async close(): Promise<void> {
    clearTimeout(this.#restart);
    this.#closing.abort(new Error("has been closed"));
    await this.#starting?.catch(() => {}); // start() has reported the error
    await this.#end(this.#life);
  }

  async #start(): Promise<void> {
    const {
      name,
      open,
      lifecycle: { startupMs },
      log,
      signal,
    } = this.#settings;
    if (this.#closing.signal.aborted) throw this.#error("has been closed");
    const { Client } = await optionalPackage(
      "@modelcontextprotocol/sdk",
      () => import("@modelcontextprotocol/sdk/client/index.js"),
    );
    const client = new Client(
      { name: "hooksh", version },
      {
        capabilities: { elicitation: { form: {} } },
        // Never called: `output-schema.ts` checks answers. The default would compile schemas without limits.
        jsonSchemaValidator: {
          getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not checked" }),
        },
      },
    );
    const { promise: over, resolve: onOver } = Promise.withResolvers<void>();
    const life: Life = { client, isOver: false, failure: undefined, flooded: false, isClean: false, over, onOver };
    const limit = startTimeLimit(startupMs);
    try {
      const ended = AbortSignal.any([limit.signal, this.#closing.signal, ...(signal ? [signal] : [])]);
      await rejectOnAbort(this.#connect(life, open), ended);
      this.#life = life;
      const startedAt = performance.now();
      void life.over.then(() => this.#onEnd(life, performance.now() - startedAt));
    } catch (error) {
      const late = `did not start within ${formatDuration(startupMs)} (lifecycle.startup_timeout)`;
      const reason = life.failure ?? truncate(errorText(error));
      life.failure ??= limit.signal.aborted ? late : reason; // ends a connection attempt that is still running
      await this.#end(life);
      const text = limit.signal.aborted ? `${name} ${late}` : `${name}: ${reason}`;
      throw new UserError(text, { cause: error, help: MCP_SERVER_DID_NOT_START });
    } finally {
      limit.stop();
    }
    log("debug", `${name} is connected`);
  }

  async #connect(life: Life, open: ServerSettings["open"]): Promise<void> {
    const { client } = life;
    const meter = new TrafficMeter();
    const watch: ServerMonitor = {
      meter,
      ended: (reason, kind) => {
        life.flooded ||= kind === "flood";
        life.isClean ||= kind === "clean" && life.failure === undefined;
        this.#letGo(life, reason);
      },
      log: (message) => this.#settings.log("debug", `${this.#settings.name}: ${message}`),
    };
    const transport = await open(watch);
    const onMessage = transport.onmessage;
    transport.onmessage = (message) => {
      onMessage?.(message);
      if (!meter.add({ messages: 1 })) watch.ended(FLOOD_TEXTS.rate, "flood");
    };
    client.onclose = () => {
      life.isOver = true;
      life.onOver();
    };
    client.onerror = (error) => watch.log(truncate(errorText(error)));
    const sdk = await import("@modelcontextprotocol/sdk/types.js");
    const questions = new Withdrawable(client, sdk.CancelledNotificationSchema);
    client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }, { signal, requestId }) =>
      questions.handle(requestId, signal, (either) => this.#elicit(params, either)),
    );
    client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => this.#changed(life));
    const end = endOf(life);
    if (end !== undefined) throw this.#error(end);
    await client.connect(transport, { timeout: MAX_TIMEOUT_MS });
    this.#settings.onTools(await listOffers(client, "tools", { timeoutMs: MAX_TIMEOUT_MS, log: watch.log }));
  }

  async #request(life: Life, { method, params }: ServerRequest, context: RequestContext) {
    const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const limit = startTimeLimit(this.#settings.lifecycle.callMs);
    const active: ActiveCall = { context, limit };
    const signal = AbortSignal.any([context.signal, limit.signal]);
    this.#calls.add(active);
    try {
      // Not `callTool`, which drops the parts of a result that it does not know.
      // MCP passes a trace on in `_meta`: https://modelcontextprotocol.io/seps/414-request-meta
      const meta = omitEmpty({ _meta: traceHeaders() });
      const request = { method, params: { ...params, ...meta } };
      const answer = await life.client.request(request, ResultSchema, { signal, timeout: MAX_TIMEOUT_MS });
      await settleWithin(this.#refresh, { ms: REFRESH_WAIT_MS });
      return answer;
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      throw this.#error(
        `did not answer within ${formatDuration(this.#settings.lifecycle.callMs)} (lifecycle.call_timeout)`,
      );
    } finally {
      limit.stop();
      this.#calls.delete(active);
    }
  }

  /** Asks the user of the newest call a question of the server. The call's time limit is paused meanwhile. */
  async #elicit(params: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const active = [...this.#calls].findLast(({ context }) => context.askUser);
    if (!active) return { action: "decline" as const };
    active.limit.pause();
    try {
      return await askUserFor(this.#settings.name, params, active.context, signal);
    } finally {
      active.limit.resume();
    }
  }

  /** Reads the tools again: one request at a time, with a pause between requests. */
  #changed(life: Life): void {
    if (this.#isRefreshDue) return;
    this.#isRefreshDue = true;
    const { name, log } = this.#settings;
    this.#refresh = this.#refresh
      .then(() => this.#readAgain(life))
      .catch((error: unknown) => log("warn", `${name}: its tools changed and could not be read: ${errorText(error)}`));
  }

  async #readAgain(life: Life): Promise<void> {
    await sleep(Math.max(0, this.#lastRefresh + REFRESH_PAUSE_MS - performance.now()));
    this.#isRefreshDue = false; // a change from now on needs another refresh
    this.#lastRefresh = performance.now();
    if (endOf(life) !== undefined) return;
    const { lifecycle, onTools, log } = this.#settings;
    const listed = await listOffers(life.client, "tools", {
      timeoutMs: lifecycle.startupMs,
      log: (message) => log("debug", message),
    });
    if (this.#life === life) onTools(listed);
  }

  /** Schedules the restart of a server that has ended by itself, if its lifecycle says so. */
  async #onEnd(life: Life, livedMs: number): Promise<void> {
    if (livedMs >= STABLE_MS) this.#restarts = 0;
    await sleep(0); // lets a waiting call restart the server first
    const { restart } = this.#settings.lifecycle;
    const reason = endOf(life) ?? "ended";
    const isWanted = restart === "always" || (restart === "on_failure" && !life.isClean);
    if (isWanted && this.#life === life) this.#scheduleRestart(reason);
  }

  #scheduleRestart(reason: string): void {
    const {
      name,
      lifecycle: { backoff, maxRestarts },
      log,
      warn,
    } = this.#settings;
    if (this.#closing.signal.aborted || this.#starting) return;
    if (this.#isGivenUp) return warn(`${name} ${reason}; ${this.#givenUpText}`);
    const delay = restartDelay(backoff, this.#restarts, Math.random());
    const count = `restart ${this.#restarts + 1}${maxRestarts === Infinity ? "" : ` of ${maxRestarts}`}`;
    log("warn", `${name} ${reason}; it is restarted in ${formatDuration(Math.round(delay))} (${count})`);
    clearTimeout(this.#restart);
    // A failed attempt schedules the next one itself.
    this.#restart = setTimeout(() => void this.#startAgain().catch(() => {}), Math.min(delay, MAX_TIMEOUT_MS));
  }

  /** Restarts the server immediately, and schedules the next attempt if that fails. */
  #startAgain(): Promise<void> {
    clearTimeout(this.#restart);
    if (this.#starting) return this.#starting;
    this.#restarts++;
    const starting = this.start();
    void starting.catch(async (error: unknown) => {
      await sleep(0); // until then the attempt still counts as running
      this.#scheduleRestart(
        errorText(error)
          .replace(this.#settings.name, "")
          .replace(/^[: ]+/, ""),
      );
    });
    return starting;
  }

  get #isGivenUp(): boolean {
    return this.#restarts >= this.#settings.lifecycle.maxRestarts;
  }

  get #givenUpText(): string {
    return `it was restarted ${this.#restarts} times without answering a call and is not restarted again (lifecycle.max_restarts)`;
  }

  async #end(life: Life | undefined): Promise<void> {
    if (!life) return;
    const { transport } = life.client;
    if (transport && "terminateSession" in transport && typeof transport.terminateSession === "function") {
      const ended = Promise.resolve(transport.terminateSession()).catch(() => {}); // otherwise the session expires
      await settleWithin(ended, { ms: SESSION_END_MS });
    }
    await life.client.close().catch(() => {}); // already closed
  }

  #letGo(life: Life, reason: string): void {
    life.failure ??= reason;
    void life.client.close();
  }

  /** Warns the user, and returns the error for the model. */
  #outcomeUnknown(tool: string, reason: string): UserError {
    this.#settings.warn(`${this.#settings.name} ${reason} during a call of ${tool}, which ${MAY_HAVE_RUN}`);
    return this.#error(`${reason}; the call ${MAY_HAVE_RUN}`);
  }

  #error(reason: string): UserError {
    return new UserError(`${this.#settings.name} ${reason}`, { help: MCP_CALL_WITHOUT_ANSWER });
  }
}
