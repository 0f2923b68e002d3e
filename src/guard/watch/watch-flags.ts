import type { FlagSpecs } from "../../cli/flags.ts";

/** The flags of `run`, `dispatch` and `serve` that say what is recorded about dispatches. */
export const WATCH_FLAGS = {
  "no-audit": { kind: "switch", description: "Write no line to the audit log (default: settings.audit)" },
  trace: {
    kind: "value",
    hint: "FILE",
    description: "Append a trace to a file, as OTLP/JSON lines (default: HOOKSH_TRACE or settings.trace)",
  },
  "record-events": {
    kind: "value",
    hint: "DIR",
    description: "Keep every event and its verdict as a fixture for hooksh replay and hooksh test, without secrets",
  },
} as const satisfies FlagSpecs;
