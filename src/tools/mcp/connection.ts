import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { version } from "../../../package.json" with { type: "json" };
import { errorText, UserError } from "../../lib/errors.ts";
import { optionalPackage } from "../../lib/optional-package.ts";
import { sleep } from "../../lib/platform.ts";
import { rejectOnAbort, settleWithin } from "../../lib/settle-within.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { MAX_TIMEOUT_MS } from "../run-command.ts";
import type { ToolContext } from "../tool.ts";
import { clip, FLOOD_TEXTS, Meter, NotDeliveredError, type Watch } from "./bounds.ts";
import { askFor } from "./elicitation.ts";
import { type Lifecycle, restartDelay } from "./lifecycle.ts";
import { listTools } from "./list-tools.ts";
import { startTimeLimit, type TimeLimit } from "./time-limit.ts";

/** How a server is reached, and what is expected of it. */
export interface ServerSettings {
  /** In messages, and in the qualified names of its tools. */
  name: string;
  /** Makes a fresh transport, which is not started yet. */
  open: (watch: Watch) => Promise<Transport>;
  lifecycle: Lifecycle;
  /** Ends a start before its time. */
  signal?: AbortSignal;
  /** Told of every new list of tools. */
  onTools: (listed: readonly unknown[]) => void;
  log: (level: "debug" | "warn", message: string) => void;
  /** Tells the user. */
  warn: (message: string) => void;
}

/** Between two requests for the list of tools, however often a server says it has changed. */
const REFRESH_PAUSE_MS = 500;
/** How long a call waits for a list that changed meanwhile, so that the next turn sees it. */
const REFRESH_WAIT_MS = 5000;
const FAREWELL_MS = 1000;

const MAY_HAVE_RUN = "may or may not have run and is not made again";

/** One life of a server. */
interface Life {
  client: Client;
  /** The connection is closed. */
  isOver: boolean;
  /** Why it is over, as far as is known. */
  failure: string | undefined;
  flooded: boolean;
  /** It ended by itself and without a failure. */
  isClean: boolean;
  /** Resolves when the connection is closed. */
  over: Promise<void>;
  onOver: () => void;
}

function endOf({ isOver, failure }: Life): string | undefined {
  return failure ?? (isOver ? "closed the connection" : undefined);
}

interface ActiveCall {
  context: ToolContext;
  limit: TimeLimit;
}

/** A life of this length counts as a success: some servers and proxies close what is idle for half a minute. */
const STABLE_MS = 10_000;

/** A server and its lives: it is started, asked, started again when it ended as its lifecycle says, and closed. */
export class Connection {
  readonly #settings: ServerSettings;
  readonly #calls = new Set<ActiveCall>();
  #life: Life | undefined;
  #starting: Promise<void> | undefined;
  /** Resolves when no list is being read any more. */
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

  /** As messages name the server. */
  get name(): string {
    return this.#settings.name;
  }

  /** What the server tells the model about itself. */
  get instructions(): string | undefined {
    return this.#life?.client.getInstructions();
  }

  /** Starts the server and reads its tools. Throws a {@link UserError}, and leaves nothing behind, when that fails. */
  start(): Promise<void> {
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /**
   * Calls a tool and returns what the server answered. A server that has ended is started again at once, unless its
   * lifecycle forbids that or too many restarts have failed. If it ends during the call, the call is made again once,
   * and only if it was not delivered or is repeatable; otherwise the error says that it may have run. Throws when there
   * is no answer.
   */
  async call(
    params: { name: string; arguments: Record<string, unknown> },
    context: ToolContext,
    isRepeatable: boolean,
  ): Promise<unknown> {
    const { name, lifecycle, log } = this.#settings;
    for (let isRestarted = false; ; ) {
      const end = this.#life && endOf(this.#life);
      if (end !== undefined) {
        if (this.#closing.signal.aborted) throw this.#error("has been closed");
        if (isRestarted || lifecycle.restart === "never") throw this.#error(end);
        isRestarted = true;
        if (!this.#starting) {
          if (this.#isGivenUp) throw this.#error(`${end}; ${this.#givenUpText}`);
          log("warn", `${name} ${end}; it is started again for a call`);
        }
        await rejectOnAbort(this.#startAgain(), context.signal);
      }
      const life = this.#life;
      if (!life) throw this.#error("is not started");
      try {
        const answer = await this.#request(life, params, context);
        this.#restarts = 0;
        return answer;
      } catch (error) {
        context.signal.throwIfAborted();
        const isDelivered = !(error instanceof NotDeliveredError);
        if (!isDelivered) this.#letGo(life, error.message);
        const reason = endOf(life);
        if (reason === undefined) throw error;
        if (isDelivered && !isRepeatable) throw this.#outcomeUnknown(params.name, reason);
        if (isRestarted || life.flooded) throw this.#error(reason);
      }
    }
  }

  /** Ends the server. Never throws. */
  async close(): Promise<void> {
    clearTimeout(this.#restart);
    this.#closing.abort(new Error("has been closed"));
    await this.#starting?.catch(() => {}); // whoever started it was told
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
        // Never asked: answers are checked by `output-schema.ts`; the default would compile schemas without its bounds.
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
      const reason = limit.signal.aborted
        ? `did not start within ${formatDuration(startupMs)} (lifecycle.startup_timeout)`
        : (life.failure ?? clip(errorText(error)));
      life.failure ??= reason; // whatever is still connecting stops here
      await this.#end(life);
      throw new UserError(`${name} ${reason}`, { cause: error });
    } finally {
      limit.stop();
    }
    log("debug", `${name} is connected`);
  }

  async #connect(life: Life, open: ServerSettings["open"]): Promise<void> {
    const { client } = life;
    const meter = new Meter();
    const watch: Watch = {
      meter,
      gone: (reason, kind) => {
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
      if (!meter.add({ messages: 1 })) watch.gone(FLOOD_TEXTS.rate, "flood");
    };
    client.onclose = () => {
      life.isOver = true;
      life.onOver();
    };
    client.onerror = (error) => watch.log(clip(errorText(error)));
    const sdk = await import("@modelcontextprotocol/sdk/types.js");
    client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }, { signal }) => this.#elicit(params, signal));
    client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => this.#changed(life));
    const end = endOf(life);
    if (end !== undefined) throw this.#error(end);
    await client.connect(transport, { timeout: MAX_TIMEOUT_MS });
    this.#settings.onTools(await listTools(client, { timeoutMs: MAX_TIMEOUT_MS, log: watch.log }));
  }

  async #request(life: Life, params: { name: string; arguments: Record<string, unknown> }, context: ToolContext) {
    const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const limit = startTimeLimit(this.#settings.lifecycle.callMs);
    const active: ActiveCall = { context, limit };
    const signal = AbortSignal.any([context.signal, limit.signal]);
    this.#calls.add(active);
    try {
      // Not `callTool`: it drops what it does not understand of a result.
      const request = { method: "tools/call", params } as const;
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

  /** A server's question goes to the user who waits for its newest call; the call's time stands still meanwhile. */
  async #elicit(params: Readonly<Record<string, unknown>>, signal: AbortSignal) {
    const active = [...this.#calls].findLast(({ context }) => context.askUser);
    if (!active) return { action: "decline" as const };
    active.limit.pause();
    try {
      return await askFor(this.#settings.name, params, active.context, signal);
    } finally {
      active.limit.resume();
    }
  }

  /** Reads the tools anew: one request at a time, and not more often than the pause allows. */
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
    this.#isRefreshDue = false; // what changes from here on is one more change
    this.#lastRefresh = performance.now();
    if (endOf(life) !== undefined) return;
    const { lifecycle, onTools, log } = this.#settings;
    const listed = await listTools(life.client, {
      timeoutMs: lifecycle.startupMs,
      log: (message) => log("debug", message),
    });
    if (this.#life === life) onTools(listed);
  }

  /** Schedules a restart of a server that has ended by itself, if its lifecycle wants one. */
  async #onEnd(life: Life, livedMs: number): Promise<void> {
    if (livedMs >= STABLE_MS) this.#restarts = 0;
    await sleep(0); // a call that needs the server starts it now
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
    log("warn", `${name} ${reason}; it is started again in ${formatDuration(Math.round(delay))} (${count})`);
    clearTimeout(this.#restart);
    // The error of the attempt has scheduled the next one.
    this.#restart = setTimeout(() => void this.#startAgain().catch(() => {}), Math.min(delay, MAX_TIMEOUT_MS));
  }

  /** Starts the server once more, at once; the next attempt is scheduled if that fails. */
  #startAgain(): Promise<void> {
    clearTimeout(this.#restart);
    if (this.#starting) return this.#starting;
    this.#restarts++;
    const starting = this.start();
    void starting.catch(async (error: unknown) => {
      await sleep(0); // the attempt is over only now
      this.#scheduleRestart(errorText(error).replace(`${this.#settings.name} `, ""));
    });
    return starting;
  }

  get #isGivenUp(): boolean {
    return this.#restarts >= this.#settings.lifecycle.maxRestarts;
  }

  get #givenUpText(): string {
    return `it was started again ${this.#restarts} times without answering a call and is given up (lifecycle.max_restarts)`;
  }

  async #end(life: Life | undefined): Promise<void> {
    if (!life) return;
    const { transport } = life.client;
    if (transport && "terminateSession" in transport && typeof transport.terminateSession === "function") {
      const farewell = Promise.resolve(transport.terminateSession()).catch(() => {}); // the session expires by itself
      await settleWithin(farewell, { ms: FAREWELL_MS });
    }
    await life.client.close().catch(() => {}); // what cannot be closed is closed already
  }

  #letGo(life: Life, reason: string): void {
    life.failure ??= reason;
    void life.client.close();
  }

  /** Tells the user; the error is for the model. */
  #outcomeUnknown(tool: string, reason: string): UserError {
    this.#settings.warn(`${this.#settings.name} ${reason} during a call of ${tool}, which ${MAY_HAVE_RUN}`);
    return this.#error(`${reason}; the call ${MAY_HAVE_RUN}`);
  }

  #error(reason: string): UserError {
    return new UserError(`${this.#settings.name} ${reason}`);
  }
}
