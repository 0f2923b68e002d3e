import { hostOfEnvironment, lookalike, recognize } from "../../dialects/recognize.ts";
import type { Env } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { JsonItem } from "../../lib/json-stream/json-items.ts";
import { isEventName } from "../../protocol/events.ts";
import type { Host } from "../host.ts";
import { dialectOf, namedDialect, type RouteFlags } from "./find-dialect.ts";
import { type Incoming, valuesIn } from "./read-events.ts";

let isRouted = false;

/** True once {@link findHost} was called: the input must not be read again. */
export function wasRouted(): boolean {
  return isRouted;
}

/** How long the first value of a named dialect may take: some agents never close the standard input of a hook. */
const FIRST_VALUE_MS = 2000;

/**
 * Returns the agent that the input comes from, or undefined for the canonical protocol. A certain mark in the payload
 * wins, then the named dialect, then weak marks, then variables. See docs/agents/README.md#how-the-agent-is-recognised.
 * `isHurried`: waits for the input no longer than for that of a named dialect. Throws a {@link UsageError} for an unknown
 * dialect.
 */
export async function findHost(
  incoming: Incoming,
  flags: RouteFlags,
  env: Env,
  isHurried = false,
): Promise<Host | undefined> {
  isRouted = true;
  const named = namedDialect(flags.dialect);
  if (named === "canonical") return undefined;
  const isHostEvent = flags.event !== undefined && !isEventName(flags.event);
  const item = await readFirst(incoming, isHurried || named !== undefined || isHostEvent ? FIRST_VALUE_MS : undefined);
  const [value] = "value" in item ? valuesIn(item.value) : [];
  const payload = isObject(value) ? value : undefined;
  const dialect = payload
    ? await dialectOf(payload, { named, event: flags.event }, env)
    : (named ?? (isHostEvent ? hostOfEnvironment(env) : undefined));
  if (dialect === undefined) return undefined;
  const also = named === undefined && payload ? recognize(payload, env)?.also : undefined;
  const like = payload && lookalike(payload, dialect, env);
  const problem = "problem" in item ? item.problem : await pluralProblem(incoming, item);
  // A flag for another agent names an event of that agent.
  const isSwitched = named !== undefined && dialect !== named;
  return {
    dialect,
    event: isSwitched ? undefined : flags.event,
    payload: payload ?? {},
    ...(also === undefined || also === dialect ? {} : { also }),
    ...(like === undefined ? {} : { like }),
    ...(problem === undefined ? {} : { problem }),
  };
}

/** What cannot be read is a problem of the agent, or is thrown again when the canonical protocol reads it. */
async function readFirst(incoming: Incoming, ms: number | undefined): Promise<JsonItem> {
  return incoming.first(ms).catch((error: unknown) => ({ problem: errorText(error) }));
}

async function pluralProblem(incoming: Incoming, item: JsonItem): Promise<string | undefined> {
  const isOne = "value" in item && !Array.isArray(item.value) && !(await incoming.hasSecond());
  return isOne ? undefined : "one event at a time: the input holds several, and an agent sends one";
}
