import { isObject } from "../../lib/json.ts";
import type { Problem } from "../yaml/document.ts";

/** What is kept of decisions: `settings.audit`. */
export interface AuditSettings {
  on: boolean;
  /** An event whose line cannot be written is blocked. */
  required: boolean;
  /** Lines contain the payload, without its secrets. */
  payload: boolean;
}

/** The settings of `config.yaml` that say what is recorded about hooks. */
export interface WatchSettings {
  audit: AuditSettings;
  /** `settings.trace`: a file, or true for one in the data directory. */
  trace: true | string | undefined;
}

/** The settings without a `config.yaml`. */
export const DEFAULT_WATCH: WatchSettings = { audit: { on: true, required: false, payload: false }, trace: undefined };

/** Reads `settings.audit` and `settings.trace`. A table would not do: both accept several kinds of value. */
export function readWatchSettings(settings: Readonly<Record<string, unknown>>): {
  watch: WatchSettings;
  problems: Problem[];
} {
  const problems: Problem[] = [];
  const report = (key: string, message: string, ...path: string[]) =>
    void problems.push({ path: ["settings", key, ...path], message });
  const audit = readAudit(settings["audit"], (message, ...path) => report("audit", message, ...path));
  const trace = readTrace(settings["trace"], (message) => report("trace", message));
  return { watch: { audit, trace }, problems };
}

type Report = (message: string, ...path: string[]) => void;

function readAudit(value: unknown, report: Report): AuditSettings {
  const { audit } = DEFAULT_WATCH;
  if (value === undefined || value === null || value === true) return audit;
  if (value === false) return { ...audit, on: false };
  if (value === "required") return { ...audit, required: true };
  if (isObject(value)) return readAuditKeys(value, report);
  report(`expected true, false, required or a mapping but got ${JSON.stringify(value)}`);
  return audit;
}

function readAuditKeys(value: Record<string, unknown>, report: Report): AuditSettings {
  const { required = null, payload = null, ...others } = value;
  for (const key of Object.keys(others)) report("unknown key; known keys are required, payload", key);
  if (required !== null && typeof required !== "boolean")
    report(`expected true or false but got ${JSON.stringify(required)}`, "required");
  if (payload !== null && payload !== "redacted")
    report(`expected redacted but got ${JSON.stringify(payload)}`, "payload");
  return { on: true, required: required === true, payload: payload === "redacted" };
}

function readTrace(value: unknown, report: Report): WatchSettings["trace"] {
  if (value === undefined || value === null || value === false) return undefined;
  if (value === true || (typeof value === "string" && value.trim() !== "")) return value;
  report(`expected true, false or a file but got ${JSON.stringify(value)}`);
  return undefined;
}
