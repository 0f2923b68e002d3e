import { basename } from "node:path";
import type { Env } from "../../lib/env.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { mediaTypeOf } from "../../lib/files/media-type.ts";
import { guardedFetch, readAtMost } from "../../lib/network/guarded-fetch.ts";
import { attach } from "../attach.ts";
import type { Attachment } from "../tool.ts";
import { renderHtml } from "./html.ts";
import { robotsAllow } from "./robots.ts";

const ROBOTS_LIMIT = 1024 * 1024;
const AGENT = "hooksh";

/** The formats in which a page can be returned. */
export const FORMATS = ["text", "markdown", "html"] as const;

export type Format = (typeof FORMATS)[number];

/** The result of fetching a URL, as shown to the model. Empty fields are left out. */
export interface Page {
  url: string;
  statusCode?: number;
  status?: string;
  contentType?: string;
  /** The number of bytes that were read. */
  contentLength?: number;
  body?: string;
  error?: string;
}

/** A page, with an attachment if it is an image, document or audio file. */
export interface FetchedPage {
  page: Page;
  attachment?: Attachment;
}

export interface FetchOptions {
  format: Format;
  headers: Readonly<Record<string, string>>;
  allowPrivate: boolean;
  /** Maximum bytes to read of a body. */
  bodyLimit: number;
  /** Returns why a URL must not be fetched, or undefined. Called for redirects, too. */
  refuse: (url: URL) => string | undefined;
  env: Env;
  /** Cancels the request. */
  signal: AbortSignal;
}

const ACCEPT: Readonly<Record<Format, string>> = {
  text: "text/plain;q=1.0, text/html;q=0.9, */*;q=0.1",
  markdown: "text/markdown;q=1.0, text/plain;q=0.9, text/html;q=0.8, */*;q=0.1",
  html: "text/html;q=1.0, application/xhtml+xml;q=0.9, */*;q=0.1",
};

/** Fetches a URL if the robots.txt of its server allows it. Never throws: `error` says what failed. */
export async function fetchPage(text: string, options: FetchOptions): Promise<FetchedPage> {
  if (!URL.canParse(text)) return { page: { url: text, error: "not a URL" } };
  const url = new URL(text);
  try {
    const refusal = await robotsRefusal(url, options);
    return refusal === undefined ? await read(text, url, options) : { page: { url: text, error: refusal } };
  } catch (error) {
    return { page: { url: text, error: errorText(options.signal.aborted ? options.signal.reason : error) } };
  }
}

async function read(text: string, url: URL, options: FetchOptions): Promise<FetchedPage> {
  const answer = await request(url, options, ACCEPT[options.format]);
  if (answer.kind !== "response") return { page: { url: text, error: answer.reason } };
  const { response } = answer;
  const { bytes, truncated } = await readAtMost(response, options.bodyLimit);
  const contentType = response.headers.get("content-type") ?? "";
  const content = await contentOf(bytes, { contentType, truncated, base: answer.url, options });
  return {
    page: {
      url: text,
      statusCode: response.status,
      status: `${response.status} ${response.statusText}`.trim(),
      contentType,
      contentLength: bytes.length,
      body: content.body,
    },
    ...(content.attachment ? { attachment: content.attachment } : {}),
  };
}

/** The response that a body belongs to. */
interface BodySource {
  contentType: string;
  truncated: boolean;
  base: URL;
  options: FetchOptions;
}

/** Converts a body to text. For a file that is not text, describes it, and attaches it if models accept its kind. */
async function contentOf(bytes: Uint8Array, source: BodySource): Promise<{ body: string; attachment?: Attachment }> {
  const {
    contentType,
    truncated,
    base,
    options: { format, bodyLimit, signal },
  } = source;
  const type = mediaTypeOf(bytes);
  const isText =
    type.kind === "text" || (type.mimeType === "application/octet-stream" && /^\s*text\//i.test(contentType));
  if (isText) {
    const body = convert(decode(bytes, contentType), contentType, format, base);
    return { body: truncated ? `${body}\n... (cut off after ${bodyLimit} bytes)` : body };
  }
  if (truncated) return { body: `[${type.mimeType} left out: larger than ${bodyLimit} bytes]` };
  try {
    const name = basename(base.pathname);
    const { attachment, description } = await attach(bytes, type, { signal, ...(name ? { name } : {}) });
    return { body: `[${description}]`, attachment };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { body: `[${type.mimeType} left out: ${error.message}]` };
  }
}

/** Returns why robots.txt forbids a URL. A missing robots.txt allows everything; one that cannot be read forbids it. */
async function robotsRefusal(url: URL, options: FetchOptions): Promise<string | undefined> {
  if (url.protocol !== "http:" && url.protocol !== "https:") return "only http(s) URLs are supported";
  const answer = await request(new URL("/robots.txt", url), options, "text/plain");
  if (answer.kind === "refused") return answer.reason;
  if (answer.kind === "failed" || answer.response.status === 404) return undefined;
  if (answer.response.status !== 200) return `robots.txt cannot be read (status ${answer.response.status})`;
  const { bytes } = await readAtMost(answer.response, ROBOTS_LIMIT);
  return robotsAllow(decode(bytes, ""), AGENT, url.pathname + url.search) ? undefined : "not allowed by robots.txt";
}

function request(url: URL, { headers, allowPrivate, refuse, env, signal }: FetchOptions, accept: string) {
  const own = { "User-Agent": AGENT, Accept: accept };
  return guardedFetch(url, { headers: own, ownHeaders: headers, allowPrivate, refuse, env, signal });
}

const WESTERN = new Set(["windows-1252", "iso-8859-1", "latin1", "us-ascii"]);

function decode(bytes: Uint8Array, contentType: string): string {
  const label = /charset="?([\w-]{1,40})/i.exec(contentType)?.[1]?.toLowerCase() ?? "utf-8";
  if (label.startsWith("utf-16")) return new TextDecoder("utf-16").decode(bytes);
  return new TextDecoder(WESTERN.has(label) ? "windows-1252" : "utf-8").decode(bytes);
}

function convert(body: string, contentType: string, format: Format, base: URL): string {
  const isHtml = /^\s*(text\/html|application\/xhtml\+xml)\b/i.test(contentType);
  return isHtml && format !== "html" ? renderHtml(body, format, base) : body;
}
