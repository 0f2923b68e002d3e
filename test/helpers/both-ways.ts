import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { binary, cleanEnv } from "./binary.ts";
import { tempDir } from "./temp-dir.ts";
import { until } from "./until.ts";

/** A call of `dispatch`, which is made twice: as it is, and by the engine alone. */
export interface Call {
  /** The hooks file; a value is written as JSON. */
  hooks: unknown;
  /** Standard input: an event, or bytes. */
  event: object | string | Uint8Array;
  args?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Further files, by their paths in the folder of the call. */
  files?: Readonly<Record<string, string>>;
  /** A line of bash in which `"$@"` makes the call, in place of a call without a shell. */
  line?: string | undefined;
  /** A script that runs before each of the calls. */
  before?: string | undefined;
  /** Sent to hooksh this many milliseconds after a hook has made the file `started`. */
  signal?: { name: NodeJS.Signals; afterMs: number };
}

/** What a call did. Times, and what is random in every process, are left out. */
export interface Did {
  code: number | null;
  stdout: string;
  stderr: string;
  audit: unknown[];
  /** The number of times that each agent is noted to have called. */
  calls: Record<string, number>;
  /** What hooks have appended to the file `ran`. */
  ran: string;
}

/** This flag has no effect but that the first part of a dispatch does not know it, and so hands over to the engine. */
const ENGINE_ALONE = "--stream";

/** The variable in which hooks find the folder of the call. */
const FOLDER = "CALL_DIR";

/** When every commit of a call is made, so that both folders have commits of the same names. */
const COMMITTED = "2026-01-01T00:00:00Z";

/** Makes a call as it is and by the engine alone, in the same folder. Returns what both did. */
export async function bothWays(call: Call): Promise<{ quick: Did; engine: Did; dir: string }> {
  const dir = await prepared(call);
  const engine = await make(call, dir, [ENGINE_ALONE]);
  const quick = await make(call, dir, []);
  return { quick, engine, dir };
}

/**
 * Makes a call both ways, each in a folder of its own, so that no call sees what the other left. `$DIR` stands for the folder
 * in the input, the arguments and the variables. Digests are left out.
 */
export async function bothWaysApart(
  call: Call & { prepare?: string | undefined },
): Promise<{ quick: unknown; engine: unknown }> {
  const one = async (more: readonly string[]) => {
    const within = (text: string) => text.replaceAll("$DIR", dir);
    const dir = tempDir();
    const { event, args = [], env = {}, prepare } = call;
    const here: Call = {
      ...call,
      event: event instanceof Uint8Array ? event : within(typeof event === "string" ? event : JSON.stringify(event)),
      args: args.map(within),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, within(value)])),
    };
    await prepared(here, dir, prepare);
    const did = JSON.stringify(await make(here, dir, more)).replaceAll(dir, "$DIR");
    return JSON.parse(did.replace(/\b[\da-f]{7,64}\b/g, "HASH")) as unknown;
  };
  return { engine: await one([ENGINE_ALONE]), quick: await one([]) };
}

/** Returns a folder for a call. The first call of all makes the log and the notes, which is the engine's. */
async function prepared(call: Call, dir: string = tempDir(), script?: string): Promise<string> {
  writeFileSync(join(dir, "hooks.yaml"), typeof call.hooks === "string" ? call.hooks : JSON.stringify(call.hooks));
  for (const [name, text] of Object.entries(call.files ?? {})) {
    const path = join(dir, name.replace(/!x$/, ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: name.endsWith("!x") ? 0o755 : 0o644 });
  }
  const env = cleanEnv(dir, { GIT_AUTHOR_DATE: COMMITTED, GIT_COMMITTER_DATE: COMMITTED, ...call.env });
  if (script !== undefined) Bun.spawnSync(["/bin/sh", "-ec", script], { cwd: dir, env });
  await make({ ...call, line: undefined, before: undefined }, dir, [ENGINE_ALONE]);
  return dir;
}

async function make(call: Call, dir: string, more: readonly string[]): Promise<Did> {
  const { event, args = [], signal, line, before } = call;
  const data = join(dir, ".home/.hooksh");
  for (const name of ["ran", "started"]) rmSync(join(dir, name), { force: true });
  const env = cleanEnv(dir, { [FOLDER]: dir, ...call.env });
  if (before !== undefined) Bun.spawnSync(["/bin/sh", "-ec", before], { cwd: dir, env, stderr: "inherit" });
  const [log, calls] = [auditOf(data), callsOf(data)];
  const words = [binary(), "dispatch", ...more, "--hooks-file", "hooks.yaml", ...args];
  const child = Bun.spawn(line === undefined ? words : ["bash", "-c", line, "bash", ...words], {
    cwd: dir,
    env,
    stdin: Buffer.from(event instanceof Uint8Array || typeof event === "string" ? event : JSON.stringify(event)),
    stdout: "pipe",
    stderr: "pipe",
  });
  if (signal) {
    await until(() => existsSync(join(dir, "started")));
    setTimeout(() => child.kill(signal.name), signal.afterMs);
  }
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  const after = callsOf(data);
  return {
    code: child.signalCode === null ? code : null,
    stdout: withoutChance(stdout),
    stderr: withoutChance(stderr),
    audit: auditOf(data).slice(log.length).map(withoutTimes),
    calls: Object.fromEntries(Object.entries(after).map(([name, size]) => [name, size - (calls[name] ?? 0)])),
    ran: existsSync(join(dir, "ran")) ? withoutChance(readFileSync(join(dir, "ran"), "utf8")) : "",
  };
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function auditOf(data: string): string[] {
  const folder = join(data, "audit");
  const isLog = (name: string) => name.endsWith(".jsonl") && isFile(join(folder, name));
  const files = isFolder(folder) ? readdirSync(folder).filter(isLog) : [];
  return files.sort().flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean));
}

function callsOf(data: string): Record<string, number> {
  const folder = join(data, "heartbeats");
  if (!isFolder(folder)) return {};
  const notes = readdirSync(folder).filter((name) => isFile(join(folder, name)));
  return Object.fromEntries(notes.map((name) => [name, readFileSync(join(folder, name)).length]));
}

function withoutTimes(line: string): unknown {
  const entry = JSON.parse(withoutChance(line)) as Record<string, unknown>;
  const { time: _time, prev: _prev, ms: _ms, trace_id: _id, hooks = [], ...rest } = entry;
  return { ...rest, hooks: (hooks as Record<string, unknown>[]).map(({ ms: _, ...hook }) => hook) };
}

/** Without made-up sessions and durations. */
function withoutChance(text: string): string {
  return text
    .replace(/dispatch-[\da-f]{8}-[\da-f-]{27}/g, "dispatch-")
    .replace(/"duration_ms":[\d.]+/g, '"duration_ms":0');
}
