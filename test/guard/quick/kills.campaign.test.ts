/** Signals at any moment of a dispatch, on both ways: none allows a call whose guard has not ended, or leaves a hook behind. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../../helpers/binary.ts";
import { diceFrom } from "../../helpers/dice.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { untilEnded } from "../../helpers/until-ended.ts";

const SEED = Number(process.env["HOOKSH_TEST_SEED"] ?? 1);
const ROUNDS = Number(process.env["HOOKSH_TEST_COUNT"] ?? 8);

/** In milliseconds after the start; hooks end within this time. */
const LATEST = 150;

const EVENT = JSON.stringify({
  session_id: "s1",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "t1",
  tool_input: { cmd: "ls -la" },
});

const WAYS: Record<string, string[]> = { "the first part": [], "the engine": ["--stream"] };

const NOTE = 'echo $$ >> "$RUN/pids"';

/** A silent guard, and some that never end by themselves. */
const SHORT = `${NOTE}; cat > /dev/null; sleep 0.04; touch "$RUN/ended"`;
const ENDLESS: Record<string, string> = {
  sleeps: `${NOTE}; exec sleep 600`,
  "ignores signals, and has children": `trap '' TERM INT HUP; (${NOTE.replace("$$", "$BASHPID")}; exec sleep 600) & ${NOTE}; wait`,
  "has a child in another session": `${NOTE}; setsid sh -c '${NOTE}; exec sleep 600' & wait`,
};

type Target = "hooksh" | "its group" | "its parent";

/** Runs hooksh with a guard, and sends a signal at some moment. Returns what was answered, and which hooks have run. */
async function killed(
  cwd: string,
  {
    way,
    name,
    signal,
    target,
    afterMs,
  }: { way: string[]; name: string; signal: NodeJS.Signals; target: Target; afterMs: number },
): Promise<{ answer: string; isEnded: boolean; pids: number[] }> {
  const run = join(cwd, name);
  mkdirSync(run);
  const words = [binary(), "dispatch", ...way, "--hooks-file", "hooks.json"];
  // A shell that waits, unless it is replaced by its only command.
  const parent = ["sh", "-c", '"$@"; exit $?', "sh"];
  const child = Bun.spawn(target === "hooksh" ? words : [...parent, ...words], {
    cwd,
    env: cleanEnv(cwd, { RUN: run, SHELL: "/bin/bash" }),
    stdin: Buffer.from(EVENT),
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  await Bun.sleep(afterMs);
  try {
    process.kill(target === "its group" ? -child.pid : child.pid, signal);
  } catch {
    // It has ended.
  }
  const answer = await child.stdout.text();
  await child.exited;
  const path = join(run, "pids");
  const pids = existsSync(path) ? readFileSync(path, "utf8").split("\n").filter(Boolean).map(Number) : [];
  return { answer, isEnded: existsSync(join(run, "ended")), pids };
}

async function projectWith(command: string): Promise<string> {
  const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command }] }] };
  const cwd = tempDir({ "hooks.json": JSON.stringify(hooks) });
  // The first dispatch makes the log, with a guard of another tool.
  const other = { hook_event_name: "pre_tool_use", session_id: "s", tool_name: "fetch", tool_input: {} };
  const ran = await hooksh(["dispatch", "--hooks-file", "hooks.json"], { cwd, input: JSON.stringify(other) });
  expect(ran.code).toBe(0);
  return cwd;
}

/** A background job of a shell ignores SIGINT and SIGQUIT, and what it starts does so until it sets a handler. */
const ignored = BigInt(`0x${/^SigIgn:\s*([\da-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "0"}`);
const isHeard = (signal: NodeJS.Signals) => ((ignored >> BigInt(constants.signals[signal] - 1)) & 1n) === 0n;

const SIGNALS = (["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGKILL", "SIGPIPE"] as const).filter(
  (signal) => signal === "SIGPIPE" || isHeard(signal),
);
const TARGETS = ["hooksh", "its group", "its parent"] as const;
const CASES = SIGNALS.flatMap((signal) => TARGETS.map((target) => [signal, target] as const));

describe.each(Object.keys(WAYS))("%s", (wayName) => {
  const way = WAYS[wayName] ?? [];
  const dice = diceFrom(SEED);
  const moments = Array.from({ length: ROUNDS }, () => dice(LATEST));

  test.concurrent.each(CASES)(
    "%s to %s: an answer comes only after the guard, and the log stays whole",
    async (signal, target) => {
      const cwd = await projectWith(SHORT);
      let answered = 0;
      for (const [at, afterMs] of moments.entries()) {
        const did = await killed(cwd, { way, name: `run${at}`, signal, target, afterMs });
        if (did.answer === "{}\n") {
          answered++;
          expect({ afterMs, isEnded: did.isEnded }).toEqual({ afterMs, isEnded: true });
        }
        for (const pid of did.pids) await untilEnded(pid);
      }
      const verified = await hooksh(["audit", "verify"], { cwd });
      expect({ code: verified.code, stderr: verified.stderr }).toEqual({ code: 0, stderr: "" });
      const lines = await hooksh(["audit", "list", "--json"], { cwd });
      expect(lines.lines().length).toBeGreaterThan(answered);
    },
    60_000,
  );

  test.concurrent.each(
    SIGNALS.filter((signal) => signal !== "SIGKILL" && signal !== "SIGPIPE").flatMap((signal) =>
      Object.keys(ENDLESS).map((guard) => [signal, guard] as const),
    ),
  )(
    "%s ends a guard that %s, and allows nothing",
    async (signal, guard) => {
      const cwd = await projectWith(ENDLESS[guard] ?? "");
      for (const [at, afterMs] of moments.slice(0, Math.ceil(ROUNDS / 3)).entries()) {
        const target = at % 2 ? "its group" : "hooksh";
        const did = await killed(cwd, { way, name: `run${at}`, signal, target, afterMs });
        expect(did.answer).not.toBe("{}\n");
        for (const pid of did.pids) await untilEnded(pid);
      }
    },
    60_000,
  );
});
