import { isObject } from "../../lib/json.ts";
import type { ModelError } from "../model.ts";
import { type CallErrors, displayUrl } from "./call-errors.ts";

const MAX_ERROR_BODY = 64 * 1024;

/** Returns the error for a response that is not a stream. Returns undefined, with the body unread, if it may be one. */
export async function inspectResponse(response: Response, errors: CallErrors): Promise<ModelError | undefined> {
  const { status, headers } = response;
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  const isPage = type === "text/html" || type === "application/xhtml+xml";
  if (status >= 300 && status < 400) {
    await response.body?.cancel().catch(() => {}); // the redirect is already the error
    const target = headers.get("location") ?? "";
    return errors.complaint(
      status,
      `redirected${URL.canParse(target) ? ` to ${displayUrl(target)}` : ""}, which is not followed`,
    );
  }
  if (!response.ok) {
    const body = await readText(response);
    return errors.complaint(status, isPage ? pageTitle(body) : parseJson(body), headers);
  }
  if (isPage) {
    const title = pageTitle(await readText(response));
    return errors.notAStream(status, title ? `a web page ("${title}")` : "a web page");
  }
  if (type === "application/json") {
    const body = parseJson(await readText(response));
    return isObject(body) && body["error"] ? errors.complaint(0, body) : errors.notAStream(status, "JSON");
  }
  return undefined;
}

/** Reads a body up to a limit, and stops where it breaks off. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ERROR_BODY) break;
    }
  } catch {
    // The status already tells what failed.
  }
  return text;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function pageTitle(html: string): string {
  const start = html.search(/<title/i);
  const open = start < 0 ? -1 : html.indexOf(">", start);
  const end = open < 0 ? -1 : html.indexOf("<", open);
  return end < 0 ? "" : html.slice(open + 1, end).trim();
}
