import { printError } from "../cli/print.ts";
import { processEnv } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";
import { rememberVariables } from "../lib/secrets/known-secrets.ts";
import type { Fetch } from "../model/calls/transport.ts";

/** Where requests to models go: to the network, a recording or a replay. */
export interface ModelTraffic {
  /** Replaces `fetch`; undefined to use the network directly. */
  fetch: Fetch | undefined;
  /** Writes the rest of the recording. Never throws. */
  close(): Promise<void>;
}

/** The flags that choose where requests go. */
export interface ModelTrafficFlags {
  replay: string | undefined;
  "replay-stream"?: string | undefined;
  "replay-loose"?: boolean | undefined;
  record?: string | undefined;
}

const NOTHING: ModelTraffic = { fetch: undefined, close: async () => {} };

/** Opens a replay (`--replay`) or a recording (`--record`). */
export async function openModelTraffic(flags: ModelTrafficFlags): Promise<ModelTraffic> {
  if (flags.replay !== undefined) {
    const { openRecording } = await import("../model/recording/replay.ts");
    const options = {
      fakeStreamMs: parseStreamDelay(flags["replay-stream"]),
      loose: flags["replay-loose"],
      redact: await redaction(),
    };
    const replay = await openRecording(withEnding(flags.replay), options);
    return { fetch: replay.fetch, close: async () => {} };
  }
  if (flags.record === undefined) return NOTHING;
  const { startRecording } = await import("../model/recording/record.ts");
  const file =
    flags.record === "" ? `hooksh-recording-${Math.floor(Date.now() / 1000)}.yaml` : withEnding(flags.record);
  return startRecording(file, { redact: await redaction(), onError: printError });
}

/** Returns a redaction that looks up the known secrets on every call. */
async function redaction(): Promise<(text: string) => string> {
  rememberVariables(processEnv());
  const { redactorOf } = await import("../redaction/redaction-settings.ts");
  return (text) => redactorOf([]).redact(text);
}

function withEnding(file: string): string {
  return /\.ya?ml$/.test(file) ? file : `${file}.yaml`;
}

function parseStreamDelay(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (given === "") return 15;
  if (!/^\d{1,6}$/.test(given))
    throw new UsageError(`--replay-stream takes milliseconds, not ${JSON.stringify(given)}`);
  return Number(given);
}
