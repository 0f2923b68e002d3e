import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HostCall } from "../../dialects/dialect.ts";
import { type DialectName, dialectRow } from "../../dialects/names.ts";

/** The folder of heartbeats, below the data directory. */
export const HEARTBEATS = "heartbeats";

/** The word that `hooksh canary` makes an agent use in a tool call. */
export const CANARY = /^hooksh-canary-[0-9a-f]{16}$/;

/** The answer to the call of a canary. */
const CANARY_REFUSAL = "hooksh canary: the guard works, hooksh refused this call";

/** The files of a canary that waits for an agent: its word, and the event that refused it or saw it run. */
export function canaryFiles(dataDir: string, dialect: string): Record<"word" | "refused" | "ran", string> {
  const path = (name: string) => join(dataDir, HEARTBEATS, `canary-${dialect}-${name}`);
  return { word: path("word"), refused: path("refused"), ran: path("ran") };
}

/** Returns the dialect that made a call: another agent may run the hooks in Claude Code's settings. */
function callerOf({ dialect }: HostCall, like: DialectName | undefined): string {
  return dialect.name === "claude" && like !== undefined && dialectRow(like).readsClaude ? like : dialect.name;
}

/**
 * Notes that a host called hooksh: one more byte in the file of the event, so that its size is the count, its time that
 * of the last call, and processes need no lock. Returns the reason to refuse the call if it is a canary's. Never throws:
 * a full disk must not change a verdict. `like` is the agent that the payload looks like.
 */
export function recordHeartbeat(call: HostCall, dataDir: string, like?: DialectName): string | undefined {
  try {
    const caller = callerOf(call, like);
    append(join(dataDir, HEARTBEATS), `${caller}.${call.event}`, ".");
    recordUnknownTool(call, join(dataDir, HEARTBEATS), caller);
    return answerCanary(call, canaryFiles(dataDir, caller));
  } catch {
    return undefined; // hooksh status then shows an older call
  }
}

/** The name of the file with a line for each call of a tool that hooksh does not know; bounded. */
export const unknownToolsFile = (dialect: string): string => `unknown-tools-${dialect}`;
const MAX_UNKNOWN_BYTES = 1 << 16;
const MAX_NAME = 100;

function recordUnknownTool({ tool, row }: HostCall, folder: string, caller: string): void {
  if (!tool || tool.class !== undefined || !row.is.includes("pre_tool_use")) return;
  const name = unknownToolsFile(caller);
  const { size = 0 } = statSync(join(folder, name), { throwIfNoEntry: false }) ?? {};
  if (size < MAX_UNKNOWN_BYTES) append(folder, name, `${JSON.stringify(tool.name.slice(0, MAX_NAME))}\n`);
}

function append(folder: string, name: string, text: string): void {
  try {
    appendFileSync(join(folder, name), text, { mode: 0o600 });
  } catch {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    appendFileSync(join(folder, name), text, { mode: 0o600 });
  }
}

function answerCanary({ event, row, tool }: HostCall, files: ReturnType<typeof canaryFiles>): string | undefined {
  if (!tool || !existsSync(files.word)) return undefined;
  const word = readFileSync(files.word, "utf8");
  if (!CANARY.test(word) || !JSON.stringify(tool.hostInput).includes(word)) return undefined;
  const isBefore = row.is.includes("pre_tool_use");
  writeFileSync(isBefore ? files.refused : files.ran, event, { mode: 0o600 });
  return isBefore ? CANARY_REFUSAL : undefined;
}
