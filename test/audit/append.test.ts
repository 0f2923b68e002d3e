import { describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { appendEntry, appendProblem, type NewEntry } from "../../src/audit/append.ts";
import { type AuditEntry, digestOf, NO_LINE } from "../../src/audit/entry.ts";
import { whileDatabaseLocked, whileLocked } from "../../src/audit/lock.ts";
import { filesOfLog, verifyFiles } from "../../src/audit/verify.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const MONTH = new Date().toISOString().slice(0, 7);

function entry(more: Partial<NewEntry> = {}): NewEntry {
  return { source: "dispatch", session: "s1", event: "stop", hooks: [], decision: "none", ms: 1, ...more };
}

function linesOf(folder: string, month = MONTH): string[] {
  return readFileSync(join(folder, `${month}.jsonl`), "utf8")
    .split("\n")
    .slice(0, -1);
}

function prevOf(line: string | undefined): string {
  return (JSON.parse(line ?? "{}") as AuditEntry).prev;
}

/** Appends, and returns the message of the failure. */
async function failure(folder: string): Promise<string> {
  try {
    await appendEntry(folder, entry());
    return "none";
  } catch (error) {
    return appendProblem(folder, error);
  }
}

describe("appending", () => {
  test("creates the folder and the files for their owner only", async () => {
    const folder = join(tempDir(), "data", "audit");
    await appendEntry(folder, entry());
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(folder)).toBe("700");
    expect(readdirSync(folder).map((name) => [name, mode(join(folder, name))])).toEqual([
      [`${MONTH}.jsonl`, "600"],
      ["lock", "600"],
    ]);
  });

  test("each line holds the digest of the line before it", async () => {
    const folder = tempDir();
    for (const session of ["a", "b", "c"]) await appendEntry(folder, entry({ session }));
    const [first = "", second = "", third] = linesOf(folder);
    expect([first, second, third].map(prevOf)).toEqual([NO_LINE, digestOf(first), digestOf(second)]);
    expect(JSON.parse(first)).toMatchObject({ v: 1, source: "dispatch", session: "a", decision: "none", ms: 1 });
    expect(first).toStartWith('{"v":1,"time":"');
  });

  test("a line longer than the part of the file that is read first is digested whole", async () => {
    const folder = tempDir();
    await appendEntry(folder, entry({ session: "x".repeat(100_000) }));
    await appendEntry(folder, entry());
    const [first = "", second] = linesOf(folder);
    expect(prevOf(second)).toBe(digestOf(first));
  });

  test("the first line of a month continues the last month that has a line", async () => {
    const folder = tempDir({ "2020-01.jsonl": "one\ntwo\n", "2020-02.jsonl": "" });
    await appendEntry(folder, entry());
    expect(prevOf(linesOf(folder)[0])).toBe(digestOf("two"));
  });

  test("after the clock was set back, the newest file gets the lines: the chain never returns to an older one", async () => {
    const folder = tempDir({ "2999-01.jsonl": "later\n" });
    await appendEntry(folder, entry());
    await appendEntry(folder, entry());
    const [, second = "", third] = linesOf(folder, "2999-01");
    expect([second, third].map(prevOf)).toEqual([digestOf("later"), digestOf(second)]);
    expect(readdirSync(folder).sort()).toEqual(["2999-01.jsonl", "lock"]);
  });

  test("a line that a killed writer left without its end stays, and the next line continues it", async () => {
    const folder = tempDir({ [`${MONTH}.jsonl`]: 'whole\n{"v":1,"ti' });
    await appendEntry(folder, entry());
    const [, torn, next] = linesOf(folder);
    expect(torn).toBe('{"v":1,"ti');
    expect(prevOf(next)).toBe(digestOf('{"v":1,"ti'));
  });

  test("many appends of one process at once leave one chain", async () => {
    const folder = tempDir();
    await Promise.all(Array.from({ length: 100 }, (_, index) => appendEntry(folder, entry({ session: `${index}` }))));
    const lines = linesOf(folder);
    expect(lines).toHaveLength(100);
    expect(lines.slice(1).map(prevOf)).toEqual(lines.slice(0, -1).map(digestOf));
  });
});

describe("what cannot be written", () => {
  test("a symbolic link in place of the file is not followed", async () => {
    const folder = tempDir({ victim: "text\n" });
    symlinkSync(join(folder, "victim"), join(folder, `${MONTH}.jsonl`));
    expect(await failure(folder)).toEndWith(`${MONTH}.jsonl: is a symbolic link, which hooksh does not follow here`);
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("text\n");
  });

  test("a symbolic link in place of the lock is not followed", async () => {
    const folder = tempDir({ victim: "text\n" });
    symlinkSync(join(folder, "victim"), join(folder, "lock"));
    expect(await failure(folder)).toEndWith("lock: is a symbolic link, which hooksh does not follow here");
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("text\n");
  });

  test("a FIFO in place of the file is refused and not waited for", async () => {
    const folder = tempDir();
    Bun.spawnSync(["mkfifo", join(folder, `${MONTH}.jsonl`)]);
    expect(await failure(folder)).toEndWith("is not a regular file");
  });

  test("a folder in place of the file, and a file in place of the folder", async () => {
    const folder = tempDir({ file: "" });
    mkdirSync(join(folder, `${MONTH}.jsonl`));
    expect(await failure(folder)).toEndWith(`${MONTH}.jsonl: is a directory`);
    expect(await failure(join(folder, "file"))).toContain("a folder on the way is a file");
  });

  test.skipIf(process.getuid?.() === 0)("a folder and a file without permission to write", async () => {
    const folder = tempDir({ [`${MONTH}.jsonl`]: "" });
    chmodSync(join(folder, `${MONTH}.jsonl`), 0o400);
    expect(await failure(folder)).toEndWith(`${MONTH}.jsonl: permission denied`);
    chmodSync(folder, 0o500);
    expect(await failure(join(folder, "audit"))).toEndWith("audit: permission denied");
  });

  test.skipIf(!Bun.which("flock"))("lines behind a holder that is stopped, each within its own time", async () => {
    const folder = tempDir();
    const holder = await holdLock(folder, "kill -STOP $$");
    const results = await Promise.allSettled([20, 60].map(async (ms) => appendEntry(folder, entry(), ms)));
    holder.kill("SIGKILL");
    expect(results.map((result) => appendProblem(folder, result.status === "rejected" ? result.reason : ""))).toEqual(
      [20, 60].map((ms) => `cannot write the audit log: ${folder}: another process has held the lock for ${ms} ms`),
    );
    await appendEntry(folder, entry());
    expect(linesOf(folder)).toHaveLength(1);
  });
});

/** Runs a command of the shell in a process that holds the lock; returns when it holds it. */
async function holdLock(folder: string, command: string) {
  const held = `exec 9>>"$0"; flock 9; echo held; ${command}`;
  const holder = Bun.spawn(["sh", "-c", held, join(folder, "lock")], { cwd: folder, stdout: "pipe" });
  for await (const _chunk of holder.stdout) break;
  return holder;
}

describe.skipIf(!Bun.which("flock"))("waiting for the lock", () => {
  test("goes on while lines are added", async () => {
    const folder = tempDir({ [`${MONTH}.jsonl`]: "first\n" });
    await holdLock(folder, `for line in 1 2 3 4 5 6 7 8; do sleep 0.1; echo $line >> ${MONTH}.jsonl; done`);
    await appendEntry(folder, entry(), 300);
    expect(prevOf(linesOf(folder).at(-1))).toBe(digestOf("8"));
  });

  test("ends even if lines are added for ever", async () => {
    const folder = tempDir({ [`${MONTH}.jsonl`]: "first\n" });
    const holder = await holdLock(folder, `while echo again >> ${MONTH}.jsonl; do sleep 0.01; done`);
    const error = await Promise.resolve(appendEntry(folder, entry(), 50)).catch((thrown: unknown) => thrown);
    holder.kill("SIGKILL");
    expect(appendProblem(folder, error)).toEndWith("another process has held the lock for 50 ms");
  });

  test("keeps the order, and a task that fails does not keep the others from their turn", async () => {
    const folder = tempDir();
    const holder = await holdLock(folder, "read line");
    const order: number[] = [];
    const take = async (turn: number) =>
      whileLocked(folder, 5000, () => {
        order.push(turn);
        if (turn === 2) throw new Error("fails");
        return turn;
      });
    // The fourth begins as soon as the first has ended.
    const waiting = [take(1).then(() => take(4)), take(2), take(3)];
    holder.kill("SIGKILL");
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect(order).toEqual([1, 2, 3, 4]);
  });
});

// Windows has no limit on the size of files.
test.skipIf(process.platform === "win32")("a line that the disk has no room for leaves nothing of itself", async () => {
  const limit = 4 * 1024;
  const folder = tempDir();
  const file = join(folder, `${MONTH}.jsonl`);
  await appendEntry(folder, entry());
  const room = 100;
  const filler = limit - room - 2 * statSync(file).size;
  await appendEntry(folder, entry({ session: "s1".padEnd(2 + filler, "x") }));
  expect(statSync(file).size).toBe(limit - room);

  // The kernel writes a hundred bytes of the line, and fails when it is asked to write the rest.
  const append = `import { appendEntry } from ${JSON.stringify(join(import.meta.dir, "../../src/audit/append.ts"))};
    try { await appendEntry(${JSON.stringify(folder)}, ${JSON.stringify(entry())}) } catch (error) { console.log(error.code) }`;
  const limited = `trap "" XFSZ; ulimit -f ${limit / 512}; exec "$@"`;
  const child = Bun.spawnSync(["sh", "-c", limited, "sh", process.execPath, "-e", append]);
  expect(`${child.stdout}${child.stderr}`).toBe("EFBIG\n");
  expect(statSync(file).size).toBe(limit - room);

  await appendEntry(folder, entry());
  const { lines, problems } = verifyFiles(await filesOfLog(folder), { isComplete: true });
  expect({ lines, problems }).toEqual({ lines: 3, problems: [] });
});

test.each([
  ["without a line end", 20, ""],
  ["with a line end", 20, "\n"],
  ["of exactly 16 MiB", 16, "\n"],
])("entries behind a line that is too long to be one of hooksh's, %s, continue the chain", async (_name, mib, end) => {
  const folder = tempDir();
  const file = join(folder, `${MONTH}.jsonl`);
  await appendEntry(folder, entry());
  appendFileSync(file, `${"y".repeat(mib * 1024 * 1024)}${end}`);
  await appendEntry(folder, entry());
  await appendEntry(folder, entry());
  const { lines, problems } = verifyFiles(await filesOfLog(folder), { isComplete: true });
  expect({ lines, problems }).toEqual({ lines: 4, problems: [expect.objectContaining({ file, line: 2 })] });
});

describe("the lock of Windows", () => {
  test("lets one task run at a time", async () => {
    const folder = tempDir();
    let inside = 0;
    let most = 0;
    const task = () => {
      most = Math.max(most, ++inside);
      inside--;
    };
    await Promise.all(Array.from({ length: 10 }, () => whileDatabaseLocked(folder, 5000, task)));
    expect(most).toBe(1);
  });
});
