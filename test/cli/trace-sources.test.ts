import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const HOOKS = {
  pre_tool_use: [
    {
      matcher: "shell",
      hooks: [
        { type: "command", name: "guard", command: "echo 'no force push' >&2; exit 2" },
        { type: "command", name: "judge", mode: "observe", command: `echo '{"decision":"block","reason":"unsure"}'` },
      ],
    },
  ],
};

/** A directory with hooks, in which events are dispatched and shown. */
function setUp() {
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(HOOKS) });
  const dispatch = async (session: string, env: Record<string, string> = {}) => {
    const event = {
      hook_event_name: "pre_tool_use",
      session_id: session,
      cwd,
      tool_name: "shell",
      tool_input: { cmd: "git push --force" },
    };
    const { code } = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], {
      cwd,
      input: JSON.stringify(event),
      env,
    });
    expect(code).toBe(2);
  };
  const show = (...args: string[]) => hooksh(["trace", ...args], { cwd, env: { COLUMNS: "100" } });
  return { cwd, dispatch, show };
}

/** The lines of the waterfall without durations, bars and the width of columns. */
const rowsIn = (text: string) =>
  text.split("\n").map((line) => line.replace(/ +[\d.]+ (ms|s|µs).*/, "").replace(/(\S) {2,}/, "$1: "));

const DENIED_CALL = [
  "event pre_tool_use: deny",
  "├ hook guard: deny",
  "│: no force push",
  "└ hook judge: would deny",
  "    unsure",
];

describe("hooksh trace without a file", () => {
  test("shows what dispatch traced into the data directory", async () => {
    const { dispatch, show } = setUp();
    await dispatch("session-one", { HOOKSH_TRACE: "1" });
    const { code, stdout, stderr } = await show();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(rowsIn(stdout).slice(3, -1)).toEqual(DENIED_CALL);
  });

  test("shows the file that settings.trace names, relative to the data directory", async () => {
    const { cwd, dispatch, show } = setUp();
    const config = join(cwd, ".home/.config/hooksh");
    mkdirSync(config, { recursive: true });
    mkdirSync(join(cwd, ".home/.hooksh"), { recursive: true });
    writeFileSync(join(config, "config.yaml"), "settings: { trace: all.jsonl }");
    expect(await show()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(".home/.hooksh/all.jsonl: no such file"),
    });
    await dispatch("session-one");
    expect((await show()).stdout).toStartWith("all.jsonl: 3 spans");
  });

  test("--session finds a session in the files of all days, also one that went on after midnight", async () => {
    const { cwd, dispatch, show } = setUp();
    const traces = join(cwd, ".home/.hooksh/traces");
    mkdirSync(traces, { recursive: true });
    for (const day of ["2026-10-20", "2026-10-21"]) {
      await dispatch("session-one", { HOOKSH_TRACE: join(traces, `${day}.jsonl`) });
      await dispatch(`other-of-${day}`, { HOOKSH_TRACE: join(traces, `${day}.jsonl`) });
    }
    expect((await show("--session", "session-one")).stdout).toStartWith("session session-one: 6 spans");
    expect((await show("--session", "other-of-2026-10-20")).stdout).toStartWith("session other-of-2026-10-20: 3 spans");
  });

  test("a session that was not traced is shown from the audit log, which is said", async () => {
    const { dispatch, show } = setUp();
    await dispatch("session-one");
    await dispatch("session-two");
    const { code, stdout, stderr } = await show("--session", "session-two");
    expect(code).toBe(0);
    expect(stdout).toStartWith("session session-two: 3 spans");
    expect(rowsIn(stdout).slice(3, -1)).toEqual(DENIED_CALL);
    expect(stderr).toBe(
      "warning: this session was not traced: shown from the audit log, which holds only its hooks, and not when each started\n",
    );
    expect(await show("--session", "sessio")).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("session-one, session-two"),
    });
    expect(await show("--session", "session-three")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("session session-three is neither in a trace nor in the audit log"),
    });
  });
});
