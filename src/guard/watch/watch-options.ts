import type { Flags } from "../../cli/flags.ts";
import type { WatchSettings } from "../../config/user/watch-settings.ts";
import type { Directories } from "../../lib/env.ts";
import type { WATCH_FLAGS } from "./watch-flags.ts";

/** What to record, and where. */
export interface WatchOptions {
  flags: Flags<typeof WATCH_FLAGS>;
  settings: WatchSettings;
  directories: Directories;
  /** The command whose dispatches are watched. */
  source: "run" | "dispatch" | "serve";
  /** Receives what cannot be recorded. */
  warn: (message: string) => void;
}
