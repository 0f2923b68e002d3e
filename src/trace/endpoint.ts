import type { Env } from "../lib/env.ts";

/** True if the environment names a collector and does not switch OpenTelemetry off: then tracing is on. */
export function hasEndpoint(env: Env): boolean {
  if (env["OTEL_SDK_DISABLED"]?.trim().toLowerCase() === "true") return false;
  return Boolean(env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_ENDPOINT"]);
}
