import { eventNamed, hostEvent } from "../../dialects/decode.ts";
import { DIALECTS, type DialectName } from "../../dialects/names.ts";
import { hostOfEnvironment, recognize } from "../../dialects/recognize.ts";
import { UsageError } from "../../lib/errors.ts";
import type { Env } from "../../lib/process-env.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { isEventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";

/** Names of the canonical protocol, which hooksh shares with docker-agent. */
const CANONICAL: readonly string[] = ["hooksh", "docker-agent"];

/** Other names of dialects. */
const ALIASES: Readonly<Record<string, string>> = { antigravity: "agy" };

/** What the command line says about the dialect. */
export interface RouteFlags {
  dialect: string | undefined;
  event: string | undefined;
}

/** Returns the dialect that `--dialect` names, `canonical` for hooksh's own, or undefined for `auto`. */
export function namedDialect(name: string | undefined): DialectName | "canonical" | undefined {
  if (name === undefined || name === "auto") return undefined;
  if (CANONICAL.includes(name)) return "canonical";
  const id = Object.hasOwn(ALIASES, name) ? ALIASES[name] : name;
  if (id !== undefined && Object.hasOwn(DIALECTS, id)) return id as DialectName;
  const names = ["auto", ...CANONICAL, ...Object.keys(DIALECTS)];
  const close = nearest(name, names);
  throw new UsageError(
    `unknown dialect ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : ""}; known: ${names.join(", ")}`,
  );
}

/** Returns the dialect of a payload; undefined if it is canonical or of no known agent. */
export async function dialectOf(
  payload: Payload,
  { named, event }: { named: DialectName | undefined; event: string | undefined },
  env: Env,
): Promise<DialectName | undefined> {
  const marked = recognize(payload, env);
  if (named !== undefined) {
    const isOther = marked?.certain && marked.dialect !== named && marked.dialect !== "hooksh";
    return isOther && !(await namesEventOf(named, payload)) ? (marked.dialect as DialectName) : named;
  }
  if (marked?.dialect === "hooksh") return undefined;
  if (marked?.certain) return marked.dialect;
  if (event !== undefined && isEventName(event) && payload["hook_event_name"] === undefined) return undefined;
  return marked?.dialect ?? hostOfEnvironment(env);
}

/**
 * True if a payload names an event of the dialect. Agents read each other's configuration, so a flag in it may name
 * another agent than the one that calls.
 */
async function namesEventOf(name: DialectName, payload: Payload): Promise<boolean> {
  const { dialect } = await DIALECTS[name].load();
  const event = eventNamed(dialect, payload);
  return event !== undefined && hostEvent(dialect, event) !== undefined;
}
