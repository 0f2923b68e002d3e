import { isObject } from "../../../src/lib/json.ts";
import { type Fields, fieldsOf, refusal, rulesFor, type SentRequest } from "./google-rules.ts";

/** A part of a scripted reply. The server signs the first call of a reply, or else its last part. */
export type Scripted =
  | { thought: string; signed?: true }
  | { text: string }
  | { call: string; args?: unknown; id?: string };

/** A reply of the script: its parts, or a raw response. */
export type GoogleStep =
  | readonly Scripted[]
  | { parts: readonly Scripted[]; finish?: string; usage?: Fields }
  | (() => Response | Promise<Response>);

/** A strict Gemini API on loopback. */
export interface GoogleServer extends AsyncDisposable {
  /** The value for `base_url`. */
  url: string;
  /** The requests that were accepted or answered by a raw response, in order. */
  requests: SentRequest[];
  /** The reasons for refused requests, in order. */
  refusals: string[];
  /** The parts of each reply, as the client received them. */
  replies: Fields[][];
  /** Returns the number of unused steps. */
  left(): number;
}

/**
 * Starts a server that answers `streamGenerateContent` with a stream from the script, and refuses, with the status and the
 * error shape of the Gemini API, requests that the API refuses; see `google-rules.ts`. A refused request uses no step.
 * https://ai.google.dev/api/generate-content
 */
export function googleServer(...script: GoogleStep[]): GoogleServer {
  const replies: Fields[][] = [];
  const requests: SentRequest[] = [];
  const refusals: string[] = [];
  let next = 0;
  const refuse = (code: number, status: string, message: string) => {
    refusals.push(message);
    return Response.json({ error: { code, message, status } }, { status: code });
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(http) {
      const { pathname, searchParams } = new URL(http.url);
      const model = /^\/v1beta\/models\/([^/:]+):streamGenerateContent$/.exec(decodeURIComponent(pathname))?.[1];
      if (http.method !== "POST" || !model) return refuse(404, "NOT_FOUND", `Not found: ${pathname}`);
      if (searchParams.get("alt") !== "sse") return refuse(400, "INVALID_ARGUMENT", "alt: expected sse");
      if (!http.headers.get("x-goog-api-key"))
        return refuse(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers");
      const body = fieldsOf(await http.json());
      const request: SentRequest = { body, model, contents: contentsOf(body) };
      const step = script[next];
      const message = refusal(request, replies) ?? (step === undefined ? "the script has no further step" : undefined);
      if (message !== undefined || step === undefined) return refuse(400, "INVALID_ARGUMENT", message ?? "");
      next++;
      requests.push(request);
      if (typeof step === "function") return step();
      const reply = "parts" in step ? step : { parts: step };
      return stream(reply, request, replies);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    refusals,
    replies,
    left: () => script.length - next,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function contentsOf(body: Fields): SentRequest["contents"] {
  const contents = Array.isArray(body["contents"]) ? body["contents"].filter(isObject) : [];
  return contents.map(({ role, parts }) => ({
    role: String(role ?? "user"),
    parts: Array.isArray(parts) ? parts.filter(isObject) : [],
  }));
}

function stream(
  { parts: scripted, finish, usage }: { parts: readonly Scripted[]; finish?: string; usage?: Fields },
  request: SentRequest,
  replies: Fields[][],
): Response {
  const place = `${replies.length}`;
  const parts = scripted.map((part, index) => replyPart(part, `${place}_${index}`, rulesFor(request.model).signs));
  const calls = parts.findIndex((part) => "functionCall" in part);
  const signed = calls >= 0 ? calls : parts.length - 1;
  if (rulesFor(request.model).thinking !== "nothing" && parts[signed]) {
    parts[signed] = { ...parts[signed], thoughtSignature: `signed+/${place}==` };
  }
  replies.push(parts);
  const chunk = (each: Fields[], more: Fields = {}) => ({
    candidates: [{ content: { role: "model", parts: each }, index: 0, ...more }],
    modelVersion: request.model,
  });
  const chunks = [
    ...parts.slice(0, -1).map((part) => chunk([part])),
    {
      ...chunk(parts.slice(-1), { finishReason: finish ?? "STOP" }),
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, thoughtsTokenCount: 0, ...usage },
    },
  ];
  const body = chunks.map((each) => `data: ${JSON.stringify(each)}\r\n\r\n`).join("");
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Models of the third generation give calls an id. */
function replyPart(part: Scripted, place: string, numbered: boolean): Fields {
  if ("thought" in part) {
    return { text: part.thought, thought: true, ...(part.signed ? { thoughtSignature: `thought+/${place}==` } : {}) };
  }
  if ("text" in part) return { text: part.text };
  const id = part.id ?? (numbered ? `fc_${place}` : undefined);
  return { functionCall: { ...(id === undefined ? {} : { id }), name: part.call, args: part.args ?? {} } };
}
