import { quickHash } from "../../lib/platform.ts";

/** An id of a tool call that a server takes: itself if it fits, else one made from it, the same in every request. */
export function callIdFor(id: string, allowed: RegExp): string {
  return allowed.test(id) ? id : quickHash(id).toString(36).slice(-9).padStart(9, "0");
}
