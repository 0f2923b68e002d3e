import type { Help } from "../../lib/errors.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import { sleep } from "../../lib/platform.ts";
import type { Fetch } from "../calls/transport.ts";
import { WAIT_HEADERS } from "../calls/wait-hint.ts";
import { NO_RECORDED_INTERACTION } from "../catalog/failure.ts";
import { type Question, questionOf } from "./question.ts";
import { type Interaction, loadRecording } from "./recording-file.ts";

const REQUEST_NOT_RECORDED: Help = {
  cause: "The recording of `--replay` does not hold a request like this one.",
  cure: "Record again with `run --record=FILE`, or pass `--replay-loose` to take answers in order.",
};

/** A recording that answers instead of the network. */
export interface Replay {
  fetch: Fetch;
  /** Returns the number of interactions that no request has used yet. */
  unusedCount(): number;
}

/** The options of a replay. */
export interface ReplayOptions {
  /** Milliseconds to wait between the events of a stream. */
  fakeStreamMs?: number | undefined;
  /** Answers a request whose question is not recorded with the next interaction of its method, host and path. */
  loose?: boolean | undefined;
  /** Removes secrets from a request as the recorder did, so that it matches the recording. */
  redact?: ((text: string) => string) | undefined;
}

/**
 * Opens a recording for replay. A request gets an unused interaction with its method, host and path that asks the same
 * question: preferably one with an equal body, then one with the same number of tool results, then the first. Each is
 * used once. A request without a match gets status 500 and a text that names it and the nearest interaction; nothing
 * ever reaches the network. Throws an InputError if the file cannot be read.
 */
export async function openRecording(file: string, options: ReplayOptions = {}): Promise<Replay> {
  const unused = new Set(await loadRecording(file));
  const used: Interaction[] = [];
  return {
    unusedCount: () => unused.size,
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted();
      const method = init?.method ?? "GET";
      const url = new URL(input instanceof Request ? input.url : input);
      const received = { method, url, body: options.redact?.(bodyText(init)) ?? bodyText(init) };
      const found = pickInteraction([...unused], received, options.loose ?? false);
      if (!found) return noInteraction(received, { unused: [...unused], used, file });
      unused.delete(found);
      used.push(found);
      return respond(found, options.fakeStreamMs ?? 0, init?.signal ?? undefined);
    },
  };
}

interface ReplayedRequest {
  method: string;
  url: URL;
  body: string;
}

function pickInteraction(
  unused: readonly Interaction[],
  received: ReplayedRequest,
  loose: boolean,
): Interaction | undefined {
  const candidates = unused.filter((interaction) => isSamePlace(interaction, received));
  const question = questionOf(received.body);
  const body = normalise(received.body);
  const fitting = candidates.filter(({ request }) => isSameQuestion(questionOf(request.body), question));
  return (
    candidates.find(({ request }) => normalise(request.body) === body) ??
    fitting.find(({ request }) => questionOf(request.body)?.toolResults === question?.toolResults) ??
    fitting[0] ??
    (loose ? candidates[0] : undefined)
  );
}

/** True if both have the same text, and both or neither follow tool results. */
function isSameQuestion(recorded: Question | undefined, received: Question | undefined): boolean {
  if (!recorded || !received) return recorded === received;
  return recorded.text === received.text && recorded.toolResults > 0 === received.toolResults > 0;
}

function isSamePlace({ request }: Interaction, { method, url }: ReplayedRequest): boolean {
  return request.method === method && samePlace(new URL(request.url), url);
}

function samePlace(first: URL, second: URL): boolean {
  return (
    first.host === second.host && first.pathname.replace(/\/{2,}/g, "/") === second.pathname.replace(/\/{2,}/g, "/")
  );
}

/** Settings that may differ between a request and its recording, so that a recording survives a change of settings. */
const IGNORED_SETTINGS = new Set([
  "max_tokens",
  "max_output_tokens",
  "max_completion_tokens",
  "reasoning",
  "reasoning_effort",
  "tool_choice",
  "thinking",
]);

function normalise(body: string): string {
  const stable = body.replace(/\b(call|toolu)_\w+/g, "call_id");
  try {
    const value: unknown = JSON.parse(stable);
    return canonicalJson(
      isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !IGNORED_SETTINGS.has(key))) : value,
    );
  } catch {
    return stable; // not JSON: compared as it is
  }
}

function bodyText(init: RequestInit | undefined): string {
  return typeof init?.body === "string" ? init.body : "";
}

function respond(interaction: Interaction, waitMs: number, signal: AbortSignal | undefined): Response {
  const { body, code, headers } = interaction.response;
  const recorded = new Map(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), Array.isArray(value) ? value[0] : value]),
  );
  const isStream = /^\s*(data|event):/.test(body);
  const type = recorded.get("content-type") ?? (isStream ? "text/event-stream" : "application/json");
  const hints = WAIT_HEADERS.flatMap((name) => {
    const value = recorded.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return new Response(isStream ? streamEvents(body, waitMs, signal) : body, {
    status: code,
    headers: { "content-type": type, ...Object.fromEntries(hints) },
  });
}

/** Streams the body event by event, with pauses between them. Fails immediately with the signal's reason when aborted. */
function streamEvents(body: string, waitMs: number, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const events = body.split(/(?<=\r?\n\r?\n)/);
  const encoder = new TextEncoder();
  let next = 0;
  let isRead = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal?.addEventListener("abort", () => {
        if (isRead) controller.error(signal.reason);
        isRead = false;
      });
    },
    async pull(controller) {
      if (next > 0 && waitMs > 0) await sleep(waitMs);
      if (!isRead) return;
      const event = events[next++];
      if (event !== undefined) return controller.enqueue(encoder.encode(event));
      isRead = false;
      controller.close();
    },
    cancel: () => {
      isRead = false;
    },
  });
}

interface Recorded {
  unused: Interaction[];
  used: Interaction[];
  file: string;
}

function noInteraction(received: ReplayedRequest, { unused, used, file }: Recorded): Response {
  const nearest = nearestTo(received, [...unused, ...used]);
  const state = nearest && used.includes(nearest) ? "already replayed" : "not replayed yet";
  const hint = nearest
    ? `the nearest is interaction ${nearest.id ?? "without id"}, ${describe(requestOf(nearest))}, ${state}`
    : "the recording holds no interactions";
  const message = `no recorded interaction is left for ${describe(received)} in ${file}: ${hint}`;
  return Response.json({ error: { type: NO_RECORDED_INTERACTION, message } }, { status: 500 });
}

noInteraction.help = REQUEST_NOT_RECORDED;

function requestOf({ request }: Interaction): ReplayedRequest {
  return { method: request.method, url: new URL(request.url), body: request.body };
}

/** Describes a request, for example `POST host/path "What is 2+2?" after 1 tool result`. */
function describe({ method, url, body }: ReplayedRequest): string {
  const question = questionOf(body);
  const asks = question ? ` ${JSON.stringify(cut(question.text))}` : "";
  const results = question?.toolResults ?? 0;
  const after = results > 0 ? ` after ${results} tool ${results === 1 ? "result" : "results"}` : "";
  return `${method} ${url.host}${url.pathname}${asks}${after}`;
}

function cut(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/**
 * Returns the interaction whose description has the longest beginning and end in common with the request's; the last of
 * equals.
 */
function nearestTo(received: ReplayedRequest, interactions: readonly Interaction[]): Interaction | undefined {
  const text = describe(received);
  const likenessOf = (interaction: Interaction) => likeness(describe(requestOf(interaction)), text);
  return interactions.reduce<Interaction | undefined>(
    (best, candidate) => (best && likenessOf(best) > likenessOf(candidate) ? best : candidate),
    undefined,
  );
}

function likeness(first: string, second: string): number {
  let start = 0;
  while (start < first.length && first[start] === second[start]) start++;
  let end = 0;
  while (end < first.length - start && first.at(-1 - end) === second.at(-1 - end)) end++;
  return start + end;
}
