import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { HostCall } from "../../dialects/dialect.ts";
import { type Encoded, encode } from "../../dialects/encode.ts";
import { firstAt, valueAt } from "../../dialects/values.ts";
import { sha256 } from "../../lib/platform.ts";

/** Continuations in a row after which the agent may stop, for hosts that have no limit themselves. */
const MAX_CONTINUATIONS = 8;

/**
 * Ends an endless row of continuations: a host that never ends one itself is answered with no opinion on the ninth in a
 * row. The count is a file for each dialect, session, event and sub-agent in `stops/` of the data directory. If it
 * cannot be written, the answer stays as it is.
 */
export function limitContinuations(call: HostCall, encoded: Encoded, { blocked, dataDir }: Continuation): Encoded {
  if (!call.dialect.countsContinuations || !call.row.is.some((event) => event.endsWith("stop"))) return encoded;
  const file = join(dataDir, "stops", countName(call));
  if (!blocked) {
    rmSync(file, { force: true });
    return encoded;
  }
  const before = call.payload["stop_hook_active"] === false ? 0 : readCount(file);
  writeCount(file, before + 1);
  if (before < MAX_CONTINUATIONS) return encoded;
  const note = `${call.dialect.name} ${call.event}: hooks kept the agent going ${before} times in a row, so it may stop now; this time they said: ${encoded.stdout || encoded.stderr}`;
  return { ...encode(call, []), notes: [...encoded.notes, note] };
}

/** Whether a hook keeps the agent going, and where the count is kept. */
interface Continuation {
  blocked: boolean;
  dataDir: string;
}

/** A file name that is safe for any payload. */
function countName({ dialect, event, payload }: HostCall): string {
  const session = firstAt(payload, dialect.keys.session);
  return sha256(JSON.stringify([dialect.name, session, event, valueAt(payload, "agent_id")])).slice(0, 32);
}

function readCount(file: string): number {
  try {
    const count = Number.parseInt(readFileSync(file, "utf8"), 10);
    return Number.isFinite(count) && count > 0 ? count : 0;
  } catch {
    return 0;
  }
}

function writeCount(file: string, count: number): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, `${count}\n`, { mode: 0o600 });
  } catch {
    // without the count, the agent keeps going as the hooks say
  }
}
