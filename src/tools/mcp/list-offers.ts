import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as v from "valibot";
import { MESSAGE_LIMIT } from "./bounds.ts";

const MAX_PAGES = 100;
const MAX_LISTED = 1000;
const METHOD_NOT_FOUND = -32601;

const pageSchema = v.object({ nextCursor: v.nullish(v.string()) });
const offersSchema = v.array(v.unknown());

/** What a server may offer. */
export type Offers = "tools" | "prompts";

/**
 * Returns at most 1000 tools or prompts of a server; an empty list if it does not support them. Throws if the request
 * fails, takes longer than `timeoutMs` for a page, or the answer is not a list.
 */
export async function listOffers(
  client: Client,
  what: Offers,
  { timeoutMs, log }: { timeoutMs: number; log: (message: string) => void },
): Promise<unknown[]> {
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const listed: unknown[] = [];
  let cursor: string | undefined;
  let size = 0;
  for (let pages = 0; pages < MAX_PAGES && listed.length < MAX_LISTED && size < MESSAGE_LIMIT; pages++) {
    const request = { method: `${what}/list`, params: cursor === undefined ? {} : { cursor } } as const;
    // Not `listTools`, which would fail for all tools if one of them is invalid.
    const answer: Record<string, unknown> = await client
      .request(request, ResultSchema, { timeout: timeoutMs })
      .catch((error: unknown) => {
        if (isMethodNotFound(error)) return { [what]: [] };
        throw error;
      });
    const { nextCursor } = v.parse(pageSchema, answer);
    const offers = v.parse(offersSchema, answer[what]);
    listed.push(...offers);
    size += JSON.stringify(offers).length;
    if (nextCursor === undefined || nextCursor === null || nextCursor === "") return listed;
    cursor = nextCursor;
  }
  log(`lists too many ${what}: the rest is left out`);
  return listed.slice(0, MAX_LISTED);
}

function isMethodNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === METHOD_NOT_FOUND;
}
