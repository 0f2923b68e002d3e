import { describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ScanQuery, scanEntries } from "../../src/audit/scan-entries.ts";
import { type EntryFields, writeAuditLog } from "../helpers/audit-log.ts";
import { settled } from "../helpers/settled.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const FILE = "audit/2026-11.jsonl";

/** A data directory with these entries, at one o'clock on the first days of November 2026, and then these bytes. */
function logOf(entries: readonly EntryFields[], bytes: string | Buffer = ""): string {
  const dataDir = tempDir();
  writeAuditLog(
    dataDir,
    entries.map((fields, index) => ({ time: `2026-11-0${index + 1}T01:00:00.000Z`, ...fields })),
  );
  appendFileSync(join(dataDir, FILE), bytes);
  return dataDir;
}

async function scan(dataDir: string, query: Partial<ScanQuery> = {}) {
  const sessions: string[] = [];
  const counts = await scanEntries(dataDir, { since: 0, ...query }, ({ session }) => sessions.push(session));
  return { sessions, ...counts };
}

/** A line of an entry, in another order of keys than hooksh writes. */
const entry = (session: string) =>
  JSON.stringify({
    session,
    ...{ hooks: [], event: "stop", ms: 1, decision: "none", source: "run" },
    prev: `sha256:${"0".repeat(64)}`,
    time: "2026-11-09T01:00:00.000Z",
    v: 1,
  });

describe("scanning the audit log", () => {
  test("visits the entries oldest first, over all months", async () => {
    const dataDir = logOf([{ time: "2026-10-31T00:00:00.000Z", session: "a" }, { session: "b" }, { session: "c" }]);
    expect(await scan(dataDir)).toEqual({ sessions: ["a", "b", "c"], entries: 3, unreadable: 0 });
  });

  test("includes an entry at the very time of since", async () => {
    const dataDir = logOf([{ session: "a" }, { session: "b" }, { session: "c" }]);
    const { sessions } = await scan(dataDir, { since: Date.parse("2026-11-02T01:00:00.000Z") });
    expect(sessions).toEqual(["b", "c"]);
  });

  test("does not read a block whose last line is too old, not even to count its broken lines", async () => {
    const dataDir = logOf([{ session: "a" }]);
    appendFileSync(join(dataDir, FILE), `broken\n${readFileSync(join(dataDir, FILE), "utf8")}`);
    expect(await scan(dataDir)).toMatchObject({ entries: 2, unreadable: 1 });
    expect(await scan(dataDir, { since: Date.parse("2026-11-10T00:00:00Z") })).toMatchObject({ unreadable: 0 });
  });

  test.each([
    ["half a line", '{"v":1,"time":"2026-'],
    ["half a line that ends in a brace", '{"v":1,"hooks":[{}'],
    ["broken JSON with every key", entry("x").replace(":1,", ":x,")],
    ["an object that is no entry", "{}"],
    ["an entry with a wrong field", entry("x").replace('"decision":"none"', '"decision":"maybe"')],
    ["an entry of a later version", entry("x").replace('"v":1', '"v":2')],
    ["bytes that are not UTF-8", Buffer.from([0xff, 0xfe, 0x80])],
    ["an empty line", ""],
    ["a line of 20 MiB", Buffer.alloc(20 * 1024 * 1024, "x")],
  ])("counts %s, and reads the lines around it", async (_name, line) => {
    const bytes = Buffer.concat([Buffer.from(line), Buffer.from(`\n${entry("b")}`)]);
    expect(await scan(logOf([{ session: "a" }], bytes))).toEqual({ sessions: ["a", "b"], entries: 2, unreadable: 1 });
  });

  test("reads an entry of several blocks", async () => {
    const dataDir = logOf([{ session: "a", reason: "x".repeat(5_000_000) }, { session: "b" }]);
    expect(await scan(dataDir)).toEqual({ sessions: ["a", "b"], entries: 2, unreadable: 0 });
  });

  test("bytes in a text that are not UTF-8 become U+FFFD", async () => {
    const bytes = Buffer.from(`${entry("b?")}\n`);
    bytes[bytes.indexOf("?")] = 0xff;
    expect((await scan(logOf([], bytes))).sessions).toEqual(["b\ufffd"]);
  });

  test("selects by session, agent and host, and counts only the broken lines that name them", async () => {
    const payload = { session: 'a"ä', agent: "root", host: "claude" };
    const dataDir = logOf(
      [
        { session: 'a"ä', agent: "root", host: "claude" },
        { session: 'a"ä', agent: "root" },
        { session: "b", payload },
      ],
      `${entry('a"ä')}\n{"session":"a\\"ä"\n{"session":"b"\n`,
    );
    expect(await scan(dataDir, { session: 'a"ä' })).toMatchObject({ entries: 3, unreadable: 1 });
    expect(await scan(dataDir, { session: 'a"ä', agent: "root" })).toMatchObject({ entries: 2, unreadable: 0 });
    expect(await scan(dataDir, { host: "claude" })).toMatchObject({ entries: 1, unreadable: 0 });
  });

  test("ends when its signal aborts, even while it reads", async () => {
    const dataDir = logOf([{ session: "a" }], `${"x".repeat(1024 * 1024)}\n`.repeat(20));
    const interrupt = new AbortController();
    setImmediate(() => interrupt.abort(new Error("interrupted")));
    expect(await settled(scan(dataDir, { signal: interrupt.signal }))).toThrow("interrupted");
  });
});
