import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { memoryHistories, openHistories } from "../../../src/rules/history/histories.ts";
import { RULE_VERDICTS, type Rule } from "../../../src/rules/rule.ts";
import { before, command, facts, holdsAt, past, result, rule } from "../../helpers/past-events.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const afterEdit = rule("deny", { after: [past(command("edit"))] });
const twoEdits = (n: number) => rule("deny", { moreThan: { n, sameCall: false } }, { when: command("edit") });
const present = before("git push", "now");
const S = { session: "s" };
const DAY = 24 * 60 * 60 * 1000;

const folderOf = (data: string) => join(data, "history");
const sessionFiles = (data: string) =>
  readdirSync(folderOf(data))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(folderOf(data), name));

async function recordIn(data: string, asked: Rule, cmd: string, id?: string, session = S) {
  expect(await openHistories(data).of(session).record([asked], before(cmd, id), holdsAt)).toBeUndefined();
}

describe("the store", () => {
  test("another process sees what happened in a session, and not what happened in others", async () => {
    const data = tempDir();
    await recordIn(data, afterEdit, "edit", "a");
    expect((await openHistories(data).of(S).holds(afterEdit, present)).truth).toBe(true);
    expect((await openHistories(data).of({ session: "other" }).holds(afterEdit, present)).truth).toBe(false);
  });

  test("one process sees what another adds", async () => {
    const data = tempDir();
    const histories = openHistories(data);
    expect((await histories.of(S).holds(afterEdit, present)).truth).toBe(false);
    await recordIn(data, afterEdit, "edit", "a");
    expect((await histories.of(S).holds(afterEdit, present)).truth).toBe(true);
  });

  test("only the user can read it, and it holds no text of a call", async () => {
    const data = join(tempDir(), "new");
    await recordIn(data, twoEdits(1), "edit unmistakable-name", "unmistakable-name");
    expect(statSync(folderOf(data)).mode & 0o777).toBe(0o700);
    const files = readdirSync(folderOf(data)).map((name) => join(folderOf(data), name));
    expect(files.length).toBe(2);
    for (const file of files) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, "utf8")).not.toContain("unmistakable-name");
    }
  });

  test("nothing is written unless a rule asks about such an event", async () => {
    const data = tempDir();
    const history = openHistories(data).of(S);
    await history.record([rule("deny", {})], before("edit", "a"), holdsAt);
    await history.record([afterEdit], facts("user_prompt_submit", "edit"), holdsAt);
    expect((await history.holds(rule("deny", {}), present)).truth).toBe(true);
    expect(existsSync(folderOf(data))).toBe(false);
  });

  test("without a rule, the condition of a rule is not tested", async () => {
    const history = openHistories(tempDir()).of(S);
    let tested = 0;
    const counting = () => Promise.reject(new Error(String(tested++)));
    await history.record([afterEdit, afterEdit, twoEdits(1)], before("edit", "a"), counting);
    expect(tested).toBe(1);
  });

  test("sessions that were idle for 30 days are removed when another begins", async () => {
    const data = tempDir();
    await recordIn(data, afterEdit, "edit", "a", { session: "old" });
    await recordIn(data, afterEdit, "edit", "a", { session: "newer" });
    const [old = ""] = sessionFiles(data);
    utimesSync(old, new Date(Date.now() - 31 * DAY), new Date(Date.now() - 31 * DAY));
    await recordIn(data, afterEdit, "edit", "a");
    expect(sessionFiles(data)).not.toContain(old);
    expect(sessionFiles(data).length).toBe(2);
    expect((await openHistories(data).of(S).holds(afterEdit, present)).truth).toBe(true);
  });

  test("the terminal's file of an earlier version, which has the folder's name, is moved", async () => {
    const data = tempDir({ history: '"fix it"\n"again"\n' });
    await recordIn(data, afterEdit, "edit", "a");
    expect(readFileSync(join(data, "prompt-history"), "utf8")).toBe('"fix it"\n"again"\n');
    expect((await openHistories(data).of(S).holds(afterEdit, present)).truth).toBe(true);
  });
});

describe.each([
  ["in the data directory", () => openHistories(tempDir())],
  ["in memory", memoryHistories],
])("sessions of sub-agents, %s", (_name, open) => {
  test("count for their root, however deep, and see its calls", async () => {
    const histories = open();
    await histories.of({ session: "child", parent: "s" }).record([afterEdit], before("ls", "a"), holdsAt);
    const grandchild = histories.of({ session: "grandchild", parent: "child" });
    await grandchild.record([afterEdit], before("edit", "b"), holdsAt);
    const asked = [S, { session: "child" }, { session: "grandchild" }, { session: "new", parent: "grandchild" }];
    for (const named of asked) expect((await histories.of(named).holds(afterEdit, present)).truth).toBe(true);
    expect((await histories.of({ session: "x" }).holds(afterEdit, present)).truth).toBe(false);
  });

  test("a session that names itself or its own child as its parent is its own root", async () => {
    const histories = open();
    await histories.of({ session: "s", parent: "s" }).record([afterEdit], before("edit", "a"), holdsAt);
    expect((await histories.of(S).holds(afterEdit, present)).truth).toBe(true);
    await histories.of({ session: "a", parent: "b" }).record([afterEdit], before("ls", "a"), holdsAt);
    await histories.of({ session: "b", parent: "a" }).record([afterEdit], before("edit", "b"), holdsAt);
    expect((await histories.of({ session: "a" }).holds(afterEdit, present)).truth).toBe(true);
  });
});

describe("a history that cannot be used", () => {
  const expected = { deny: true, ask: true, stop: true, allow: false, warn: false, context: false };
  const keys = {
    after: { after: [past(command("x"))] },
    unless_after: { unlessAfter: [past(command("edit"))] },
    more_than: { moreThan: { n: 5, sameCall: false } },
  };

  /** Every way to break the store, and what the answer names. */
  const broken: [string, (data: string) => Promise<void> | void, (data: string) => string][] = [
    ["a file in place of its folder", (data) => writeFileSync(folderOf(data), "x\n"), folderOf],
    [
      "a file in place of the data directory",
      (data) => (rmSync(data, { recursive: true }), writeFileSync(data, "")),
      folderOf,
    ],
    [
      "a folder in place of a session's file",
      async (data) => {
        await recordIn(data, afterEdit, "edit", "a");
        const [file = ""] = sessionFiles(data);
        rmSync(file);
        mkdirSync(file);
      },
      (data) => sessionFiles(data)[0] ?? "",
    ],
    [
      "a symbolic link in place of a session's file",
      async (data) => {
        await recordIn(data, afterEdit, "edit", "a");
        const [file = ""] = sessionFiles(data);
        rmSync(file);
        symlinkSync(join(data, "elsewhere"), file);
      },
      (data) => sessionFiles(data)[0] ?? "",
    ],
    ...[
      "no JSON",
      "[]",
      '{"time":"now"}',
      '{"time":1,"event":"pre_tool_use","set":"0123456789abcdef"}',
      '{"time":1,"event":"pre_tool_use","tool":5}',
    ].map((line): [string, (data: string) => Promise<void>, (data: string) => string] => [
      `a damaged line: ${line}`,
      async (data) => {
        await recordIn(data, afterEdit, "edit", "a");
        appendFileSync(sessionFiles(data)[0] ?? "", `${line}\n`);
        await recordIn(data, afterEdit, "edit", "b");
      },
      (data) => `${sessionFiles(data)[0]}: line 2 is damaged`,
    ]),
    [
      "a line without an end",
      async (data) => {
        await recordIn(data, afterEdit, "edit", "a");
        appendFileSync(sessionFiles(data)[0] ?? "", '{"time":1,');
      },
      (data) => `${sessionFiles(data)[0]}: line 2 is damaged`,
    ],
    [
      "conditions that are not those that were tested",
      async (data) => {
        await recordIn(data, afterEdit, "edit", "a");
        const name = readdirSync(folderOf(data)).find((each) => each.endsWith(".conditions")) ?? "";
        writeFileSync(join(folderOf(data), name), '["0123456789abcdef"]');
      },
      (data) => `${sessionFiles(data)[0]}: line 1 is damaged`,
    ],
    [
      "a damaged file of a sub-agent",
      async (data) => {
        await openHistories(data).of({ session: "s", parent: "p" }).record([afterEdit], before("edit", "a"), holdsAt);
        const name = readdirSync(folderOf(data)).find((each) => each.endsWith(".root")) ?? "";
        writeFileSync(join(folderOf(data), name), '{"root":"../../x"}');
      },
      (data) => readdirSync(folderOf(data)).find((each) => each.endsWith(".root")) ?? "no file",
    ],
  ];

  test.each(broken)("%s", async (_name, breakIt, named) => {
    const data = tempDir();
    await breakIt(data);
    const history = openHistories(data).of(S);
    for (const verdict of RULE_VERDICTS) {
      for (const key of Object.values(keys)) {
        const { truth, failed } = await history.holds(rule(verdict, key), present);
        expect([verdict, truth]).toEqual([verdict, expected[verdict]]);
        expect(failed).toContain(named(data));
        expect(failed).toContain("the history");
      }
    }
  });

  test("an event without a session", async () => {
    for (const histories of [openHistories(tempDir()), memoryHistories()]) {
      const history = histories.of({ session: undefined });
      const failed = "the event names no session, so its history is not known";
      expect(await history.holds(afterEdit, present)).toEqual({ truth: true, says: [], failed });
      expect((await history.holds({ ...afterEdit, verdict: "allow" }, present)).truth).toBe(false);
      expect(await history.record([afterEdit], present, holdsAt)).toBe(failed);
    }
  });

  test("an event that cannot be written is a gap until it is written", async () => {
    const data = tempDir();
    const histories = openHistories(data);
    await histories.of(S).record([afterEdit], before("ls", "a"), holdsAt);
    const [file = ""] = sessionFiles(data);
    rmSync(file);
    mkdirSync(file);
    expect(await histories.of(S).record([afterEdit], before("edit", "b"), holdsAt)).toContain(file);
    expect((await histories.of(S).holds(afterEdit, present)).failed).toContain(file);
    rmSync(file, { recursive: true });
    expect(await histories.of(S).holds(afterEdit, present)).toMatchObject({
      truth: true,
      says: ["after shell (command edit)"],
    });
  });
});

describe("many events", () => {
  test("two processes append at once, and no line is lost or torn, also when the file is shortened", async () => {
    const data = tempDir();
    const lines = Array.from({ length: 27_000 }, (_, at) => at);
    await recordIn(data, afterEdit, "ls", "a");
    const [file = ""] = sessionFiles(data);
    const [line = ""] = readFileSync(file, "utf8").split("\n");
    const at = Date.now();
    const idOf = (n: number) => n.toString(16).padStart(16, "0");
    const copies = lines.map((n) => JSON.stringify({ ...JSON.parse(line), id: idOf(n), time: at }));
    writeFileSync(file, `${copies.join("\n")}\n`);
    const modules = JSON.stringify(join(import.meta.dir, "../../.."));
    const script = `
      const { openHistories } = await import(${modules} + "/src/rules/history/histories.ts");
      const { before, command, holdsAt, past, rule } = await import(${modules} + "/test/helpers/past-events.ts");
      const histories = openHistories(${JSON.stringify(data)});
      const asked = rule("deny", { after: [past(command("edit"))] });
      for (let n = 0; n < 150; n++) {
        const failed = await histories.of({ session: "s" }).record([asked], before("edit", process.argv[1] + n), holdsAt);
        if (failed) console.error(failed);
        if (n % 10 === 0) await histories.of({ session: "s" }).holds(asked, before("x", "now"));
      }`;
    const children = ["a", "b"].map((name) => Bun.spawn([process.execPath, "-e", script, name], { stderr: "pipe" }));
    expect(await Promise.all(children.map(({ stderr }) => stderr.text()))).toEqual(["", ""]);
    const history = openHistories(data).of(S);
    expect((await history.holds(afterEdit, present)).failed).toBeUndefined();
    const stored = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((each) => JSON.parse(each));
    expect(new Set(stored.filter(({ certain }) => certain).map(({ id }) => id)).size).toBe(300);
    expect(stored.length).toBeLessThan(12_000);
  });

  test("the newest 10,000 calls count", async () => {
    const history = memoryHistories().of(S);
    const any = rule("deny", { moreThan: { n: 1, sameCall: false } });
    await history.record([afterEdit], before("edit", "first"), holdsAt);
    await history.record([afterEdit], result("edit", "first"), holdsAt);
    for (let n = 1; n < 10_000; n++) await history.record([afterEdit], before("ls", `c${n}`), holdsAt);
    expect((await history.holds(any, present)).count).toBe(10_001);
    expect((await history.holds(afterEdit, present)).truth).toBe(true);
    await history.record([afterEdit], before("ls", "last"), holdsAt);
    expect((await history.holds(any, present)).count).toBe(10_001);
    expect((await history.holds(afterEdit, present)).truth).toBe(false);
  });

  test("a long process reads only what was added", async () => {
    const data = tempDir();
    const histories = openHistories(data);
    await histories.of(S).record([afterEdit], before("ls", "a"), holdsAt);
    await histories.of(S).holds(afterEdit, present);
    const [file = ""] = sessionFiles(data);
    // The same length, but damaged: it is not read again.
    const { size } = statSync(file);
    writeFileSync(file, `${"x".repeat(size - 1)}\n`);
    expect((await histories.of(S).holds(afterEdit, present)).failed).toBeUndefined();
    writeFileSync(file, "");
    expect((await histories.of(S).holds(afterEdit, present)).truth).toBe(false);
  });
});
