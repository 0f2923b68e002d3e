import type { Readable } from "node:stream";
import { workAfterAnswer } from "../../cli/print.ts";
import { DIALECTS } from "../../dialects/names.ts";
import { jsonItems } from "../../lib/json-stream/json-items.ts";
import { settleWithin, type Wait } from "../../lib/settle-within.ts";
import { isEventName, unknownEvent } from "../../protocol/events.ts";
import { continueTrace } from "../../trace/active.ts";
import { type HostDispatch, judgeHost, problemOf } from "../dispatch/judge-host.ts";
import type { OpenHooks } from "../dispatch/open-hooks.ts";
import { Incoming } from "../dispatch/read-events.ts";
import { findHost } from "../dispatch/route.ts";
import type { Host } from "../host.ts";
import { recordFailure } from "../watch/record-failure.ts";
import { type Access, refusalOf } from "./access.ts";
import { type Canonical, judgeCanonical } from "./answer-canonical.ts";
import { denialResponse, hostResponse, jsonResponse } from "./http-answer.ts";
import type { HttpRequest } from "./listen-http.ts";
import { type RequestTarget, targetOf } from "./request-target.ts";

/** Limits how many requests are worked on at once. The others wait in the order of their arrival. */
class Slots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a slot. Returns false if `wait` ends first; after true, {@link give} must be called once. */
  async take(wait: Wait): Promise<boolean> {
    if (this.#free > 0) {
      this.#free--;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    const settled = await settleWithin(promise, wait);
    if (settled.kind === "done") return true;
    const index = this.#waiting.indexOf(resolve);
    if (index >= 0) this.#waiting.splice(index, 1);
    else this.give(); // the wait ended at the moment when the slot was given
    return false;
  }

  /** Gives a slot back. */
  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
  }
}

/** The largest body of a request, in bytes. */
const BODY_LIMIT = 10 * 1024 * 1024;

/** How long the body of a request may take to arrive, in milliseconds. */
const BODY_MS = 10_000;

/** Maximum number of requests in work at once. Each can hold a body of 10 MiB. */
const MAX_REQUESTS = 64;

/** The same for refused requests, so that they cannot delay others. */
const MAX_REFUSED = 8;

/** How long a request waits for its turn, in milliseconds, unless it has a shorter deadline. */
const MAX_WAIT_MS = 20_000;

/** A running server. */
export interface Service {
  access: Access;
  hooks: () => Promise<OpenHooks>;
  /** The flags that concern verdicts. */
  settings: Pick<HostDispatch, "ask" | "deadlineMs" | "workingDir" | "directories"> & { cwd: string };
  /** Aborts when the server can wait for hooks no longer. */
  stop: AbortSignal;
  /** Receives one line for each request that is refused. */
  report: (problem: string) => void;
  /** Keeps the payload of a host (`--capture`). */
  keep?: (host: Host) => void;
}

/** Returns a function that answers requests: every POST with status 200, and with a denial if anything is wrong. */
export function requestAnswerer(service: Service): (request: HttpRequest) => Promise<Response> {
  const slots = { open: new Slots(MAX_REQUESTS), refused: new Slots(MAX_REFUSED) };
  return async (request) => {
    if (request.method !== "POST") return new Response("POST an event\n", { status: 405, headers: { allow: "POST" } });
    const startedAt = performance.now();
    const target = targetOf(request.target);
    const deadlineMs = target.deadlineMs ?? service.settings.deadlineMs;
    const refusal = refusalOf(request.headers, service.access) ?? target.problem;
    if (refusal !== undefined) service.report(refusal);
    const turn = refusal === undefined ? slots.open : slots.refused;
    const wait = { ms: Math.min(deadlineMs ?? MAX_WAIT_MS, MAX_WAIT_MS), signal: request.signal };
    const inTurn = await turn.take(wait);
    try {
      const problem = refusal ?? (inTurn ? undefined : "too many requests at once");
      const served = { ...target, problem, deadlineMs, startedAt, reads: inTurn };
      return await continueTrace(request.headers, () => answer(request, served, service));
    } catch (error) {
      return denialResponse(`hooksh: ${problemOf(error)}`);
    } finally {
      if (inTurn) turn.give();
      setTimeout(() => void workAfterAnswer(), 0); // after the answer is sent
    }
  };
}

/** A request whose turn it is. */
type Turn = Omit<RequestTarget, "problem" | "deadlineMs"> & {
  problem: string | undefined;
  deadlineMs: number | undefined;
  startedAt: number;
  /** Whether there is room to read the body. */
  reads: boolean;
};

async function answer(request: HttpRequest, turn: Turn, service: Service): Promise<Response> {
  const body = turn.reads ? await readBody(request.body) : { problem: "" };
  const bytes = "bytes" in body ? body.bytes : new Uint8Array();
  const problem = turn.problem ?? ("problem" in body ? body.problem : undefined);
  const open = () => new Blob([]).stream();
  const incoming = new Incoming(jsonItems(open, { ready: { bytes, ended: true }, name: "the request" }));
  const host = await findHost(incoming, turn, {});
  const dispatch: HostDispatch = {
    ...service.settings,
    load: service.hooks,
    startedAt: turn.startedAt,
    deadlineMs: turn.deadlineMs,
    defaults: { session_id: `serve-${crypto.randomUUID()}`, cwd: service.settings.cwd },
    signal: AbortSignal.any([request.signal, service.stop]),
  };
  if (host === undefined) {
    const canonical: Canonical = {
      incoming,
      event: turn.event,
      problem: problem ?? eventProblem(turn.event),
      isRecorded: turn.problem === undefined,
    };
    return jsonResponse(await judgeCanonical(canonical, dispatch));
  }
  const judged = problem === undefined ? host : { ...host, problem };
  const response = await answerHost(judged, dispatch, { isRecorded: turn.problem === undefined });
  if (problem === undefined) service.keep?.(host);
  return response;
}

function eventProblem(event: string | undefined): string | undefined {
  return event === undefined || isEventName(event) ? undefined : unknownEvent(event);
}

/** `isRecorded`: whether a refusal leaves an entry in the audit log; those without access must not fill the disk. */
async function answerHost(
  host: Host,
  dispatch: HostDispatch,
  { isRecorded }: { isRecorded: boolean },
): Promise<Response> {
  const { dialect } = await DIALECTS[host.dialect].load();
  let log: OpenHooks["log"] = () => {};
  const encoded = await judgeHost(dialect, host, dispatch, (opened) => void (log = opened));
  for (const note of encoded.notes) log("warn", note);
  if (encoded.failure !== undefined && isRecorded) {
    const { event, payload } = host;
    const failed = { source: "serve", problem: encoded.failure, host: { dialect, event, payload } } as const;
    await recordFailure(failed, dispatch.directories);
  }
  const ms = Math.round(performance.now() - dispatch.startedAt);
  log(
    "debug",
    `serve: ${dialect.name} event answered after ${ms} ms: ${encoded.stdout || encoded.stderr || "no opinion"}`,
  );
  return hostResponse(dialect, encoded);
}

/** The body of a request, or why it is rejected. */
type Body = { bytes: Uint8Array } | { problem: string };

/**
 * Reads the body of a request. Reads one that is too large to its end, but keeps none of it: a client that is still
 * sending reads no answer.
 */
async function readBody(body: Readable): Promise<Body> {
  const stop = new AbortController();
  const reading = readAll(body, stop.signal).catch((): Body => ({ problem: "the body of the request is incomplete" }));
  const settled = await settleWithin(reading, { ms: BODY_MS });
  if (settled.kind === "done") return settled.value;
  stop.abort();
  return { problem: `the body of the request was incomplete after ${BODY_MS / 1000} s` };
}

async function readAll(body: Readable, signal: AbortSignal): Promise<Body> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    if (signal.aborted) break;
    size += chunk.length;
    if (size > BODY_LIMIT) chunks.length = 0;
    else chunks.push(chunk);
  }
  if (size > BODY_LIMIT) return { problem: `the body of the request is larger than ${BODY_LIMIT / 1024 / 1024} MiB` };
  return { bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks) };
}
