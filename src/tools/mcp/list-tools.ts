import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import * as v from "valibot";
import { MESSAGE_LIMIT } from "./bounds.ts";

const MAX_PAGES = 100;
const MAX_TOOLS = 1000;
const METHOD_NOT_FOUND = -32601;

const pageSchema = v.object({
  tools: v.array(v.unknown()),
  nextCursor: v.nullish(v.string()),
});

/**
 * Returns at most 1000 tools of a server; an empty list if it does not support tools. Throws if the request fails,
 * takes longer than `timeoutMs` for a page, or the answer is not a list.
 */
export async function listTools(
  client: Client,
  { timeoutMs, log }: { timeoutMs: number; log: (message: string) => void },
): Promise<unknown[]> {
  const { ResultSchema } = await import("@modelcontextprotocol/sdk/types.js");
  const listed: unknown[] = [];
  let cursor: string | undefined;
  let size = 0;
  for (let pages = 0; pages < MAX_PAGES && listed.length < MAX_TOOLS && size < MESSAGE_LIMIT; pages++) {
    const request = { method: "tools/list", params: cursor === undefined ? {} : { cursor } } as const;
    // Not `listTools`, which would fail for all tools if one of them is invalid.
    const answer = await client.request(request, ResultSchema, { timeout: timeoutMs }).catch((error: unknown) => {
      if (isMethodNotFound(error)) return { tools: [] };
      throw error;
    });
    const page = v.parse(pageSchema, answer);
    listed.push(...page.tools);
    size += JSON.stringify(page.tools).length;
    if (page.nextCursor === undefined || page.nextCursor === null || page.nextCursor === "") return listed;
    cursor = page.nextCursor;
  }
  log(`lists too many tools: the rest is left out`);
  return listed.slice(0, MAX_TOOLS);
}

function isMethodNotFound(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === METHOD_NOT_FOUND;
}
