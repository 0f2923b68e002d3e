import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Sandbox } from "./host.ts";

/** The result of a program's run. */
export interface Ended {
  /** The exit code; undefined if it was killed. */
  code: number | undefined;
  /** Standard output and standard error, in the order they came. */
  output: string;
  seconds: number;
}

/**
 * The folder with a command, or undefined. Looks in `<folder>/node_modules/.bin` and `<folder>/<any>/node_modules/.bin`,
 * or without a folder on the PATH.
 */
export function folderOf(command: string, folder: string | undefined): string | undefined {
  return placesIn(folder).find((place) => existsSync(join(place, command)));
}

function placesIn(folder: string | undefined): string[] {
  if (folder === undefined) return (process.env["PATH"] ?? "").split(delimiter);
  const inner = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  return [folder, ...inner].map((place) => join(place, "node_modules", ".bin"));
}

/**
 * The environment of a run: an empty home, nothing of the caller's but the PATH, and a proxy that refuses every address
 * except loopback. `bin` goes first on the PATH, so that a program gets the Node.js installed next to it.
 */
export function environment(bin: string, { home }: Sandbox): Record<string, string> {
  const refused = "http://127.0.0.1:9";
  return {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    SHELL: "/bin/sh",
    TERM: "dumb",
    LC_ALL: "C.UTF-8",
    HTTP_PROXY: refused,
    HTTPS_PROXY: refused,
    http_proxy: refused,
    https_proxy: refused,
    NO_PROXY: "127.0.0.1,localhost",
    no_proxy: "127.0.0.1,localhost",
  };
}

/** Runs a command to its end, or kills it with everything it started after `limit` seconds. */
export async function runToEnd(
  command: readonly [string, ...string[]],
  { cwd, env, limit }: { cwd: string; env: Readonly<Record<string, string>>; limit: number },
): Promise<Ended> {
  const started = performance.now();
  const child = spawn(command[0], command.slice(1), { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += String(bytes)));
  const timer = setTimeout(() => killGroup(child.pid), limit * 1000);
  const code = await new Promise<number | undefined>((resolve) => {
    child.on("error", (error) => {
      output += String(error);
      resolve(undefined);
    });
    child.on("exit", (exit) => resolve(exit ?? undefined));
  });
  clearTimeout(timer);
  killGroup(child.pid);
  return { code, output, seconds: (performance.now() - started) / 1000 };
}

/** Ends what a program left behind in its process group; there may be nothing. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group is already gone.
  }
}

/**
 * Ends every process whose home is that of the run: some programs leave a server behind that outlives their process
 * group. Does nothing where there is no /proc.
 */
export function endStrays(home: string): void {
  const processes = existsSync("/proc/self/environ") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  for (const pid of processes) {
    try {
      const variables = readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
      if (variables.includes(`HOME=${home}`)) process.kill(Number(pid), "SIGKILL");
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
}
