import { HOLE } from "../shell/steps/invocation.ts";
import type { HostTouch } from "../shell/steps/program-facts.ts";

/** A URL in a text. */
const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`\\^{|}]+/gi;
/** `user@host:path`, as ssh and git spell it. */
const SSH_PLACE = /^[\w.+-]{1,64}@([\w.-]+|\[[\da-f:.]+\]):(?!\/\/)/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const PORT = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*:(\d{1,5})(?:[/?#]|$)/i;

/**
 * The host of a text that is a URL or begins with a host: `https://h/x`, `h:8080/x`, `user@h:x`. Undefined if it has none, as
 * a `file:` URL; with HOLE if it has one that cannot be read.
 */
export function hostOfUrl(text: string): HostTouch | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const [, onSsh] = SSH_PLACE.exec(trimmed) ?? [];
  if (onSsh !== undefined) return { host: plainHost(onSsh), sure: true };
  const url = trimmed.includes("://") ? trimmed : trimmed.startsWith("//") ? `http:${trimmed}` : `http://${trimmed}`;
  // `data:` and `mailto:` connect to nothing; `h:8080` is a host with a port.
  if (!trimmed.includes("://") && SCHEME.test(trimmed) && !/^[^/:]+:\d/.test(trimmed)) return undefined;
  const hostname = URL.parse(url)?.hostname;
  if (hostname === "") return undefined;
  const port = Number(PORT.exec(url)?.[1]);
  const isName = hostname !== undefined && /^[\p{L}\p{N}._:[\]-]+$/u.test(hostname);
  return { host: isName ? plainHost(hostname) : HOLE, ...(Number.isNaN(port) ? {} : { port }), sure: true };
}

/** The URLs that stand in a text. */
export function urlsIn(text: string): string[] {
  return [...text.matchAll(URL_IN_TEXT)].map(([url]) => url.replace(/[.,;:!?)\]]{1,10}$/, ""));
}

/** The path of a `file:` URL; undefined for any other text. */
export function pathOfFileUrl(text: string): string | undefined {
  if (!/^file:/i.test(text)) return undefined;
  const url = URL.parse(text);
  if (!url) return undefined;
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return url.pathname;
  }
}

function plainHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/[[\]]/g, "")
    .replace(/(?<=[^.])\.$/, "");
}
