import { canonicalJson, isObject } from "../lib/json.ts";
import { type Interaction, loadRecording } from "./recording-file.ts";
import type { Fetch } from "./transport.ts";

/** A recording that answers in place of the network. */
export interface Replay {
  fetch: Fetch;
  /** How many interactions nobody has asked for yet. */
  leftover(): number;
}

/** How a recording is replayed. */
export interface ReplayOptions {
  /** Milliseconds to wait between the events of a stream. */
  fakeStreamMs?: number | undefined;
}

/**
 * Opens a recording for replay. A request gets the first unused interaction with its method, host and path; one whose
 * body says the same is preferred, so that calls made at the same time keep their own answers. Each is used once. A
 * request without one is answered with status 500 and a text that names it and the closest interaction; nothing ever
 * reaches the network. Throws an InputError when the file cannot be read.
 *
 * Source: config-and-cli 6.12, runtime 20.
 */
export async function openRecording(file: string, options: ReplayOptions = {}): Promise<Replay> {
  const unused = new Set(await loadRecording(file));
  const used: Interaction[] = [];
  return {
    leftover: () => unused.size,
    fetch: async (input, init) => {
      init?.signal?.throwIfAborted();
      const method = init?.method ?? "GET";
      const url = new URL(input instanceof Request ? input.url : input);
      const found = pickInteraction([...unused], method, url, bodyText(init));
      if (!found) return noInteraction(method, url, { unused: [...unused], used, file });
      unused.delete(found);
      used.push(found);
      return respond(found, options.fakeStreamMs ?? 0, init?.signal ?? undefined);
    },
  };
}

function pickInteraction(
  unused: readonly Interaction[],
  method: string,
  url: URL,
  body: string,
): Interaction | undefined {
  const candidates = unused.filter(({ request }) => request.method === method && samePlace(new URL(request.url), url));
  if (candidates.length < 2) return candidates[0];
  const wanted = normalise(body);
  return candidates.find(({ request }) => normalise(request.body) === wanted) ?? candidates[0];
}

function samePlace(first: URL, second: URL): boolean {
  return (
    first.host === second.host && first.pathname.replace(/\/{2,}/g, "/") === second.pathname.replace(/\/{2,}/g, "/")
  );
}

/** What may differ between two requests that ask for the same thing. Source: config-and-cli 6.12. */
const IGNORED = new Set([
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
      isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !IGNORED.has(key))) : value,
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
  const recorded = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  const isStream = /^\s*(data|event):/.test(body);
  const type =
    (Array.isArray(recorded) ? recorded[0] : recorded) ?? (isStream ? "text/event-stream" : "application/json");
  return new Response(isStream ? streamEvents(body, waitMs, signal) : body, {
    status: code,
    headers: { "content-type": type },
  });
}

/** The body event by event, with a pause between two; ends at once with the signal's reason when aborted. */
function streamEvents(body: string, waitMs: number, signal: AbortSignal | undefined): ReadableStream<Uint8Array> {
  const events = body.split(/(?<=\r?\n\r?\n)/);
  const encoder = new TextEncoder();
  let next = 0;
  let wanted = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      signal?.addEventListener("abort", () => {
        if (wanted) controller.error(signal.reason);
        wanted = false;
      });
    },
    async pull(controller) {
      if (next > 0 && waitMs > 0) await Bun.sleep(waitMs);
      if (!wanted) return;
      const event = events[next++];
      if (event !== undefined) return controller.enqueue(encoder.encode(event));
      wanted = false;
      controller.close();
    },
    cancel: () => {
      wanted = false;
    },
  });
}

function noInteraction(
  method: string,
  url: URL,
  recording: { unused: Interaction[]; used: Interaction[]; file: string },
): Response {
  const wanted = `${method} ${url.host}${url.pathname}`;
  const closest = closestTo(wanted, [...recording.unused, ...recording.used]);
  const state = closest && recording.used.includes(closest) ? "already replayed" : "not replayed yet";
  const hint = closest
    ? `the closest is interaction ${closest.id ?? "without id"}, ${describe(closest)}, ${state}`
    : "the recording holds no interactions";
  const message = `No recorded interaction is left for ${wanted} in ${recording.file}: ${hint}`;
  return Response.json({ error: { type: "no_recorded_interaction", message } }, { status: 500 });
}

function describe({ request }: Interaction): string {
  const { host, pathname } = new URL(request.url);
  return `${request.method} ${host}${pathname}`;
}

/** The interaction whose description shares the longest beginning or end with the wanted one; of equals the last. */
function closestTo(wanted: string, interactions: readonly Interaction[]): Interaction | undefined {
  return interactions.reduce<Interaction | undefined>(
    (best, candidate) =>
      best && likeness(describe(best), wanted) > likeness(describe(candidate), wanted) ? best : candidate,
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
