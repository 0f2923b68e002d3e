import type { Env } from "../lib/env.ts";
import { hasEndpoint } from "./active.ts";
import type { Resource } from "./otlp.ts";

/** The encodings in which spans can be sent, as `OTEL_EXPORTER_OTLP_PROTOCOL` names them. */
export const PROTOCOLS = ["http/protobuf", "http/json"] as const;

/** How spans are sent to a collector. The exporter itself reads the rest of its variables: headers, timeout ... */
export interface ExportSettings {
  protocol: (typeof PROTOCOLS)[number];
}

/**
 * Reads the variables that say whether spans are sent, and how
 * (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Returns undefined if no endpoint is set, or if
 * `OTEL_SDK_DISABLED` or `OTEL_TRACES_EXPORTER` says that none are sent.
 */
export function exportSettings(env: Env, warn: (message: string) => void): ExportSettings | undefined {
  if (!hasEndpoint(env)) return undefined;
  const exporter = env["OTEL_TRACES_EXPORTER"] || "otlp";
  if (exporter !== "otlp") {
    if (exporter !== "none")
      warn(`OTEL_TRACES_EXPORTER=${exporter} is not supported: no trace is sent; use otlp or none`);
    return undefined;
  }
  const given = env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || env["OTEL_EXPORTER_OTLP_PROTOCOL"] || PROTOCOLS[0];
  const protocol = PROTOCOLS.find((name) => name === given);
  if (protocol) return { protocol };
  warn(`OTEL_EXPORTER_OTLP_PROTOCOL=${given} is not supported: no trace is sent; use ${PROTOCOLS.join(" or ")}`);
  return undefined;
}

/** The values of `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT`, and whether each puts content into spans. */
const CAPTURE_MODES: Readonly<Record<string, boolean>> = {
  no_content: false,
  false: false,
  event_only: false,
  span_only: true,
  span_and_event: true,
  true: true,
};

/** True if spans may hold the content of messages, calls and hook inputs. */
export function capturesContent(env: Env, warn: (message: string) => void): boolean {
  const given = env["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] || "no_content";
  const captures = Object.hasOwn(CAPTURE_MODES, given.toLowerCase()) ? CAPTURE_MODES[given.toLowerCase()] : undefined;
  if (captures === undefined) {
    const names = Object.keys(CAPTURE_MODES).map((name) => (name.includes("_") ? name.toUpperCase() : name));
    warn(
      `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=${given} is not one of ${names.join(", ")}: no content is traced`,
    );
  }
  return captures ?? false;
}

/**
 * Returns what the process says about itself: `OTEL_RESOURCE_ATTRIBUTES` (`key=value,key=value`, percent-encoded) and
 * `OTEL_SERVICE_NAME`. Attributes that cannot be read are left out as a whole, as OpenTelemetry asks.
 */
export function resourceOf(env: Env, version: string, warn: (message: string) => void): Resource {
  const name = env["OTEL_SERVICE_NAME"];
  return {
    "service.name": "hooksh",
    "service.version": version,
    ...resourceAttributes(env["OTEL_RESOURCE_ATTRIBUTES"] ?? "", warn),
    ...(name ? { "service.name": name } : {}),
  };
}

const MAX_RESOURCE_LENGTH = 16 * 1024;

function resourceAttributes(text: string, warn: (message: string) => void): Resource {
  try {
    if (text.length > MAX_RESOURCE_LENGTH) throw new RangeError("longer than 16 KiB");
    const members = text.split(",").filter((member) => member.trim() !== "");
    return Object.fromEntries(members.map(resourceAttribute));
  } catch (error) {
    warn(
      `OTEL_RESOURCE_ATTRIBUTES is not used: ${error instanceof RangeError ? error.message : "a value is not percent-encoded correctly"}`,
    );
    return {};
  }
}

function resourceAttribute(member: string): [string, string] {
  const at = member.indexOf("=");
  const key = member.slice(0, Math.max(at, 0)).trim();
  if (key === "") throw new RangeError(`${JSON.stringify(member)} is not key=value`);
  return [decodeURIComponent(key), decodeURIComponent(member.slice(at + 1).trim())];
}
