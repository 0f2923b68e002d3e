import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../../src/snapshot/lock.ts";
import { settled } from "../helpers/settled.ts";
import { until } from "../helpers/until.ts";
import { child, TestRepository } from "./snapshot-repository.ts";

let repo: TestRepository;

beforeEach(async () => {
  repo = await TestRepository.create({ "a.txt": "one\n" });
});

afterEach(() => repo.remove());

const FILES = 120;
const name = (at: number) => `many/${String(at).padStart(3, "0")}.txt`;
const content = (at: number, state: string) => `${state} ${at}\n`.repeat(200);

/** Every third file is changed, deleted and created; file 1 to FILES in this order. */
function writeState(state: "old" | "new"): void {
  for (let at = 0; at < FILES; at++) {
    const there = at % 3 === 0 || (at % 3 === 1) === (state === "old");
    if (there) repo.write(name(at), content(at, state));
  }
}

function stateOf(at: number): "old" | "new" | "half" {
  const text = repo.read(name(at));
  if (at % 3 !== 0 && text === undefined) return at % 3 === 1 ? "new" : "old";
  return text === content(at, "old") ? "old" : text === content(at, "new") ? "new" : "half";
}

const states = () => Array.from({ length: FILES }, (_none, at) => stateOf(at));

async function recordTurn(): Promise<void> {
  writeState("old");
  await repo.turn(() => {
    for (let at = 1; at < FILES; at += 3) rmSync(join(repo.root, name(at)), { force: true });
    writeState("new");
  });
}

/** Starts an undo in another process and kills it when a sign shows. */
async function killedUndo(sign: () => boolean): Promise<void> {
  const kill = new AbortController();
  const ended = child(["undo", repo.data, repo.root, "s"], { signal: kill.signal });
  await until(sign);
  kill.abort();
  await ended;
}

test("a killed undo leaves each file old or new at every moment, and the next command completes it", async () => {
  let interrupted = 0;
  for (const at of [0, 30, 90]) {
    await recordTurn();
    expect(new Set(states())).toEqual(new Set(["new"]));
    // The files that come are restored in order: the one at this place tells how far it is.
    await killedUndo(() => stateOf(at) === "old");
    const seen = states();
    expect(seen).not.toContain("half");
    if (seen.includes("new")) interrupted++;
    expect(await repo.checkpoints()).toEqual([]);
    expect(new Set(states())).toEqual(new Set(["old"]));
    expect(readdirSync(join(repo.root, "many")).filter((file) => file.startsWith("."))).toEqual([]);
  }
  expect(interrupted).toBeGreaterThan(0);
  expect(existsSync(join(repo.shadow(), "hooksh/restore.json"))).toBe(false);
});

test("an undo that was killed before it started can be repeated", async () => {
  await recordTurn();
  await killedUndo(() => readdirSync(join(repo.shadow(), "hooksh")).some((file) => file.startsWith("work-")));
  if ((await repo.checkpoints()).length > 0) await repo.undo();
  expect(new Set(states())).toEqual(new Set(["old"]));
});

test("an undo after a killed undo completes that one and goes no further", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  do {
    await recordTurn();
    await killedUndo(() => stateOf(0) === "old");
  } while (!states().includes("new"));
  expect(await repo.undo()).toMatchObject({ files: FILES, ok: true, problems: [] });
  expect(new Set(states())).toEqual(new Set(["old"]));
  expect([await repo.checkpoints(), repo.read("a.txt")]).toEqual([[["a.txt"]], "changed\n"]);
});

test("the next event completes an undo too, and leaves alone what the user has changed since", async () => {
  do {
    await recordTurn();
    await killedUndo(() => stateOf(0) === "old");
  } while (!states().includes("new"));
  const pending = states().lastIndexOf("new");
  repo.write(name(pending), "by the user\n");
  await repo.event("turn_start", { session_id: "another" });
  expect(repo.read(name(pending))).toBe("by the user\n");
  expect(states().filter((state) => state !== "old")).toEqual(["half"]);
  // Not everything could be restored, so the checkpoint is still there.
  expect(await repo.checkpoints()).toHaveLength(1);
});

test("two processes at once record their sessions without harm to each other", async () => {
  const ends = await Promise.all(["x", "y"].map((session) => child(["turns", repo.data, repo.root, session, "6"])));
  expect(ends.map(({ end, stderr }) => [end, stderr])).toEqual(ends.map(() => [{ kind: "exited", code: 0 }, ""]));
  for (const session of ["x", "y"]) {
    const checkpoints = await repo.checkpoints(session);
    expect(checkpoints.filter((files) => files.includes(`${session}.txt`))).toHaveLength(6);
  }
});

test("a turn that starts in one process ends in another", async () => {
  expect((await child(["turn_start", repo.data, repo.root, "s"])).stderr).toBe("");
  repo.write("a.txt", "changed\n");
  await repo.event("turn_end");
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("many events of one process at once wait for each other", async () => {
  const sessions = Array.from({ length: 6 }, (_none, at) => `s${at}`);
  await Promise.all(sessions.map((session_id) => repo.event("turn_start", { session_id })));
  repo.write("a.txt", "changed\n");
  await Promise.all(sessions.map((session_id) => repo.event("turn_end", { session_id })));
  for (const session of sessions) expect(await repo.checkpoints(session)).toEqual([["a.txt"]]);
  expect(repo.log).toEqual([]);
});

test("a lock is released when its process ends", async () => {
  const lock = join(repo.base, "lock");
  const kill = new AbortController();
  const ended = child(["hold", lock], { signal: kill.signal });
  await until(() => existsSync(`${lock}.held`));
  expect(await settled(withLock(lock, { waitMs: 50 }, async () => {}))).toThrow("held by another process");
  kill.abort();
  await ended;
  expect(await withLock(lock, { waitMs: 5000 }, async () => "free")).toBe("free");
});

test("waiting for a lock ends with the signal, and a failed task frees it", async () => {
  const lock = join(repo.base, "lock");
  const release = Promise.withResolvers<void>();
  const held = withLock(lock, { waitMs: 5000 }, () => release.promise);
  const stop = new AbortController();
  const waiting = withLock(lock, { waitMs: 60_000, signal: stop.signal }, async () => {});
  stop.abort();
  expect(await settled(waiting)).toThrow("canceled");
  expect(await settled(withLock(lock, { waitMs: 20 }, async () => {}))).toThrow("another snapshot");
  release.resolve();
  await held;
  expect(await settled(withLock(lock, { waitMs: 5000 }, () => Promise.reject(new Error("failed"))))).toThrow("failed");
  expect(await withLock(lock, { waitMs: 5000 }, async () => "free")).toBe("free");
});

test("an unreadable file is skipped", async () => {
  if (process.getuid?.() === 0) return; // the superuser can read every file
  writeFileSync(join(repo.root, "closed.txt"), "x\n");
  chmodSync(join(repo.root, "closed.txt"), 0);
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});
