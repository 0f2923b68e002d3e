import type { FlagSpecs, Flags } from "../../cli/flags.ts";
import type { WatchSettings } from "../../config/user/watch-settings.ts";
import type { Directories } from "../../lib/env.ts";

/** The flags of `run`, `dispatch` and `serve` that say what is recorded about dispatches. */
export const WATCH_FLAGS = {
  "no-audit": { kind: "switch", description: "Write no line to the audit log (default: settings.audit)" },
  record: {
    kind: "value",
    hint: "KIND:FILE",
    kinds: { events: "record-events", trace: "trace" },
    description:
      "Record, without secrets: events:DIR (events and verdicts, for hooksh replay and test), trace:FILE; can be repeated",
  },
  trace: {
    kind: "value",
    hint: "FILE",
    now: "--record trace:FILE",
    description: "Append a trace to a file, as OTLP/JSON lines (default: HOOKSH_TRACE or settings.trace)",
  },
  "record-events": {
    kind: "value",
    hint: "DIR",
    now: "--record events:DIR",
    description: "Keep every event and its verdict as a fixture for hooksh replay and hooksh test, without secrets",
  },
} as const satisfies FlagSpecs;

export interface WatchOptions {
  flags: Flags<typeof WATCH_FLAGS>;
  settings: WatchSettings;
  directories: Directories;
  /** The command whose dispatches are watched. */
  source: "run" | "dispatch" | "serve";
  /** Receives what cannot be recorded. */
  warn: (message: string) => void;
}

/** Where spans go, besides the collector that the environment names. */
export interface TraceTarget {
  /** An absolute path, or true for the file of the day in the data directory; undefined for no file. */
  file: string | true | undefined;
}
