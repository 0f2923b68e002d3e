import { existsSync } from "node:fs";
import { join } from "node:path";
import { AuditLog } from "../../audit/log.ts";
import { redactedField } from "../../audit/redacted.ts";
import { warn } from "../../cli/print.ts";
import { DEFAULT_WATCH, readWatchSettings } from "../../config/user/watch-settings.ts";
import { readDocument } from "../../config/yaml/document.ts";
import { decode, hostEvent, isUndecodable } from "../../dialects/decode.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { failedEvent, isGuarded } from "../../dialects/encode.ts";
import type { Directories } from "../../lib/env.ts";
import { isObject, omitEmpty } from "../../lib/json.ts";
import { roundedMilliseconds } from "../../lib/text/duration.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { FindDirectories } from "./audit-directories.ts";
import { currentAudit } from "./open-observers.ts";

/** An event that no hook judged, because hooksh itself failed on it. */
export interface FailedEvent {
  source: "dispatch" | "serve";
  /** Why it was denied. */
  problem: string;
  /** The event, if it is known. */
  event?: EventName | undefined;
  payload?: Payload | undefined;
  host?: { dialect: Dialect; event: string | undefined; payload: Payload } | undefined;
}

/**
 * Appends an entry to the audit log for an event that hooksh itself refused. Calls `directories` if no log is open yet
 * because the configuration is broken; then `settings.audit` applies if it can be read. Never throws.
 */
export async function recordFailure(failed: FailedEvent, directories: FindDirectories): Promise<void> {
  try {
    const log = currentAudit() ?? (await openWithoutSettings(failed.source, directories()));
    if (log !== "off") await log.append(await failureEntry(failed));
  } catch {
    // the data directory cannot be found: the refusal itself says what is wrong
  }
}

/** Appends an entry for an event in hooksh's own protocol that `dispatch` could not read. Never throws. */
export function recordRefusal(problem: string): Promise<void> {
  return recordFailure({ source: "dispatch", problem }, () => undefined);
}

async function openWithoutSettings(
  source: FailedEvent["source"],
  directories: Directories | undefined,
): Promise<AuditLog | "off"> {
  if (directories === undefined) return "off";
  const { on } = (await readableSettings(join(directories.config, "config.yaml"))).audit;
  return on ? new AuditLog({ dataDir: directories.data, source, warn }) : "off";
}

async function readableSettings(path: string): Promise<typeof DEFAULT_WATCH> {
  try {
    const { value } = existsSync(path) ? await readDocument(path) : { value: {} };
    const settings = isObject(value) ? value["settings"] : undefined;
    return readWatchSettings(isObject(settings) ? settings : {}).watch;
  } catch {
    return DEFAULT_WATCH;
  }
}

/** The event of an entry whose event could not be read. */
const UNKNOWN = "unknown";

async function failureEntry(failed: FailedEvent): Promise<Parameters<AuditLog["append"]>[0]> {
  const { host, problem } = failed;
  const decoded = host && decode(host.dialect, host.payload, host.event);
  const [first] = decoded && !isUndecodable(decoded) ? decoded.events : [];
  const named = host && failedEvent(host.dialect, host);
  const row = host && named !== undefined ? hostEvent(host.dialect, named) : undefined;
  const event = first?.event ?? row?.is[0] ?? failed.event;
  const payload = first?.payload ?? failed.payload ?? {};
  const isRefused = row === undefined || host === undefined || isGuarded(row, host.payload);
  const text = (field: string) => (typeof payload[field] === "string" ? payload[field].slice(0, 1024) : "");
  return {
    session: text("session_id"),
    ...omitEmpty({
      agent: text("agent_name"),
      host: host?.dialect.name,
      host_event: named?.slice(0, 1024),
    }),
    event: event ?? UNKNOWN,
    ...omitEmpty({ tool: text("tool_name"), call: text("tool_use_id"), cwd: text("cwd") }),
    hooks: [],
    // Without an answer, most agents go on after an event that only informs.
    decision: isRefused ? refusalOf(event) : "none",
    ...(await redactedField("reason", problem)),
    ms: roundedMilliseconds(performance.now()),
  };
}

function refusalOf(event: EventName | undefined): "deny" | "block" {
  return event === undefined || contractOf(event).verdict !== undefined ? "deny" : "block";
}
