import { isFrozenJson } from "../lib/frozen.ts";
import { canonicalJson } from "../lib/json.ts";
import { memoize } from "../lib/once.ts";
import { type Hash, sha256Hash } from "../lib/platform.ts";
import { digestOf } from "./entry.ts";

/** The canonical text of an item that can change. */
class Text {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** An item that cannot change; of any other its text. */
type Item = object | Text;

/** A list whose digest was asked for, and the state of the hash after its first `hashed` items. */
interface Known {
  items: readonly Item[];
  hash: Hash;
  hashed: number;
}

/** Lists that are kept: those of a few conversations, before and after hooks rewrote them. */
const MOST_KNOWN = 8;

let known: readonly Known[] = [];

/**
 * Returns the digest of a list over its canonical JSON text, as `digestOf(canonicalJson(list))` does. For a list that
 * continues one whose digest was asked for before, as a conversation does, it reads only what is new: items that
 * {@link isFrozenJson | cannot change} are known by their identity, all others are compared by their text. Throws a
 * `RangeError` if an item nests too deep for the stack.
 */
export function listDigest(list: readonly unknown[]): string {
  if (!list.some(isFrozenJson)) return digestOf(canonicalJson(list)); // nothing of it would be known the next time
  const { last, shared } = longestShared(list);
  const items = [...(last?.items.slice(0, shared) ?? []), ...list.slice(shared).map(itemOf)];
  const isUsable = last !== undefined && last.hashed <= shared;
  const hash = isUsable ? last.hash.copy() : sha256Hash().update("[");
  feed(hash, items, isUsable ? last.hashed : 0, shared);
  // The next list probably shares as much with this one as this one shares with the last.
  const next: Known = { items, hash: hash.copy(), hashed: shared };
  feed(hash, items, shared, items.length);
  const others = shared === last?.items.length ? known.filter((each) => each !== last) : known;
  known = [next, ...others].slice(0, MOST_KNOWN);
  return `sha256:${hash.update("]").digest("hex")}`;
}

/** Returns the known list with the longest beginning in common, and the length of that. */
function longestShared(list: readonly unknown[]): { last: Known | undefined; shared: number } {
  let [last, shared]: [Known | undefined, number] = [undefined, 0];
  for (const each of known) {
    const length = sharedLength(each.items, list);
    if (length > shared) [last, shared] = [each, length];
    if (length === list.length) break;
  }
  return { last, shared };
}

function sharedLength(items: readonly Item[], list: readonly unknown[]): number {
  const most = Math.min(items.length, list.length);
  let at = 0;
  while (at < most && isSame(items[at], list[at])) at++;
  return at;
}

/** Messages such as the agent's instruction are new objects in each request. */
function isSame(item: Item | undefined, value: unknown): boolean {
  return item === value || (item !== undefined && textOf(item) === textOf(itemOf(value)));
}

function itemOf(value: unknown): Item {
  return isFrozenJson(value) ? value : new Text(canonicalJson(value));
}

const textOfFrozen = memoize(canonicalJson);

function textOf(item: Item): string {
  return item instanceof Text ? item.text : textOfFrozen(item);
}

function feed(hash: Hash, items: readonly Item[], from: number, to: number): void {
  for (let at = from; at < to; at++) {
    const item = items[at];
    if (item !== undefined) hash.update(at === 0 ? textOf(item) : `,${textOf(item)}`);
  }
}
