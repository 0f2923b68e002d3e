import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { version } from "../../../package.json" with { type: "json" };
import { formatDuration } from "../../lib/duration.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { settleWithin, unlessAborted } from "../../lib/settle-within.ts";
import { LONGEST_MS } from "../command.ts";
import type { ToolContext } from "../tool.ts";
import { clip, FLOOD_TEXTS, Meter, NotDeliveredError, type Watch } from "./bounds.ts";
import { askFor } from "./elicitation.ts";
import { listTools } from "./list-tools.ts";
import { startTimeLimit, type TimeLimit } from "./time-limit.ts";

/** How a server is reached, and what is expected of it. */
export interface ServerSettings {
  /** In messages, and in the qualified names of its tools. */
  name: string;
  /** Makes a fresh transport, which is not started yet. */
  open: (watch: Watch) => Promise<Transport>;
  startupMs: number;
  callMs: number;
  /** Ends a start before its time. */
  signal?: AbortSignal;
  /** A dead server is started once more for a call. */
  mayRestart: boolean;
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
}

function endOf({ isOver, failure }: Life): string | undefined {
  return failure ?? (isOver ? "closed the connection" : undefined);
}

interface ActiveCall {
  context: ToolContext;
  limit: TimeLimit;
}

/** A server and its lives: it is started, asked, started once more when it died, and ended. */
export class Connection {
  readonly #settings: ServerSettings;
  readonly #calls = new Set<ActiveCall>();
  #life: Life | undefined;
  #starting: Promise<void> | undefined;
  /** Resolves when no list is being read any more. */
  #refresh: Promise<void> = Promise.resolve();
  #isRefreshDue = false;
  #lastRefresh = -REFRESH_PAUSE_MS;
  #isClosed = false;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
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
   * Calls a tool and returns what the server answered. A server that is dead is started once more. If it dies during the
   * call, the call is made again only if it was not delivered or is repeatable; otherwise the error says that it may
   * have run. Throws when there is no answer.
   */
  async call(
    params: { name: string; arguments: Record<string, unknown> },
    context: ToolContext,
    isRepeatable: boolean,
  ): Promise<unknown> {
    const { name, mayRestart, log } = this.#settings;
    for (let isRestarted = false; ;) {
      const end = this.#life && endOf(this.#life);
      if (end !== undefined) {
        if (isRestarted || !mayRestart) throw this.#error(end);
        log("warn", `${name} ${end}; it is started again`);
        isRestarted = true;
        await unlessAborted(this.start(), context.signal);
      }
      const life = this.#life;
      if (!life) throw this.#error("is not started");
      try {
        return await this.#request(life, params, context);
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
    this.#isClosed = true;
    await this.#starting?.catch(() => {}); // whoever started it was told
    await this.#end(this.#life);
  }

  async #start(): Promise<void> {
    const { name, open, startupMs, log, signal } = this.#settings;
    if (this.#isClosed) throw this.#error("has been closed");
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const client = new Client(
      { name: "hooksh", version },
      {
        capabilities: { elicitation: { form: {} } },
        // Never asked, as results are not held to the schemas of their server; the default would compile those schemas.
        jsonSchemaValidator: {
          getValidator: () => () => ({ valid: false, data: undefined, errorMessage: "not checked" }),
        },
      },
    );
    const life: Life = { client, isOver: false, failure: undefined, flooded: false };
    const limit = startTimeLimit(startupMs);
    try {
      const ended = signal ? AbortSignal.any([limit.signal, signal]) : limit.signal;
      await unlessAborted(this.#connect(life, open), ended);
      this.#life = life;
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
    };
    client.onerror = (error) => watch.log(clip(errorText(error)));
    const sdk = await import("@modelcontextprotocol/sdk/types.js");
    client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }, { signal }) => this.#elicit(params, signal));
    client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => this.#changed(life));
    const end = endOf(life);
    if (end !== undefined) throw this.#error(end);
    await client.connect(transport, { timeout: LONGEST_MS });
    this.#settings.onTools(await listTools(client, { timeoutMs: LONGEST_MS, log: watch.log }));
  }

  async #request(life: Life, params: { name: string; arguments: Record<string, unknown> }, context: ToolContext) {
    const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
    const limit = startTimeLimit(this.#settings.callMs);
    const active: ActiveCall = { context, limit };
    const signal = AbortSignal.any([context.signal, limit.signal]);
    this.#calls.add(active);
    try {
      // Not `callTool`: it fails where a result does not fit the schema its server declared.
      const request = { method: "tools/call", params } as const;
      const answer = await life.client.request(request, ResultSchema, { signal, timeout: LONGEST_MS });
      await settleWithin(this.#refresh, { ms: REFRESH_WAIT_MS });
      return answer;
    } catch (error) {
      if (!limit.signal.aborted) throw error;
      throw this.#error(`did not answer within ${formatDuration(this.#settings.callMs)} (lifecycle.call_timeout)`);
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
    await Bun.sleep(Math.max(0, this.#lastRefresh + REFRESH_PAUSE_MS - performance.now()));
    this.#isRefreshDue = false; // what changes from here on is one more change
    this.#lastRefresh = performance.now();
    if (endOf(life) !== undefined) return;
    const { startupMs, onTools, log } = this.#settings;
    const listed = await listTools(life.client, { timeoutMs: startupMs, log: (message) => log("debug", message) });
    if (this.#life === life) onTools(listed);
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
