import { describe, expect, test } from "bun:test";
import { hookNames } from "../../../src/config/hooks/hook-names.ts";
import { defineHook, readHooks } from "../../../src/config/hooks/read-hooks.ts";
import { readWatchSettings } from "../../../src/config/user/watch-settings.ts";

const problems = (value: unknown) =>
  readHooks(value, []).problems.map(({ path, message }) => [path.join("."), message]);
const onShell = (hook: object, group: object = {}) => ({
  pre_tool_use: [{ matcher: "shell", ...group, hooks: [{ type: "command", command: "x", ...hook }] }],
});
const AT = "pre_tool_use.0.hooks.0";

describe("mode", () => {
  test("of a group is that of its hooks, unless they set their own", () => {
    const modes = (hook: object, group: object) => readHooks(onShell(hook, group), []).entries.map((e) => e.hook.mode);
    expect(modes({}, { mode: "observe" })).toEqual(["observe"]);
    expect(modes({ mode: "enforce" }, { mode: "observe" })).toEqual(["enforce"]);
    expect(modes({}, {})).toEqual([""]);
  });

  test("must be a known one: a misspelt one must not switch a guard off or on", () => {
    expect(problems(onShell({ mode: "Observe" }))).toEqual([[`${AT}.mode`, "mode must be enforce or observe"]]);
    expect(problems(onShell({}, { mode: "off" }))).toEqual([
      ["pre_tool_use.0.mode", "mode must be enforce or observe"],
    ]);
  });
});

describe("examples", () => {
  test("are texts or inputs by decision", () => {
    expect(problems(onShell({ examples: { deny: ["rm -rf /", { cmd: "dd" }], none: ["ls"] } }))).toEqual([]);
  });

  test.each([
    [{ deny: "rm" }, ".deny", "must be a list"],
    [{ deny: [] }, ".deny", "must be a list"],
    [{ deny: [1] }, ".deny.0", "must be a text or a mapping"],
    [{ block: ["rm"] }, ".block", 'has no decision "block"; it has none, allow, ask, deny'],
    [{ denied: ["rm"] }, ".denied", 'has no decision "denied"'],
    [["rm"], "", "must be a mapping of decisions"],
  ])("%j is an error", (examples, at, message) => {
    expect(problems(onShell({ examples }))).toEqual([[`${AT}.examples${at}`, expect.stringContaining(message)]]);
  });

  test("may only be decisions that the event has", () => {
    const stop = (examples: object) => ({ turn_end: [{ type: "command", command: "x", examples }] });
    expect(problems(stop({ none: [{}] }))).toEqual([]);
    expect(problems(stop({ block: [{}] }))).toHaveLength(1);
  });
});

test("a hook can be referred to by its name and by the file of its script", () => {
  const names = (keys: object) => hookNames(defineHook({ type: "command", ...keys }));
  expect(names({ command: "./hooks/guard.sh --strict" })).toEqual(["./hooks/guard.sh --strict", "guard.sh"]);
  expect(names({ name: "guard", command: '"${hook_dir}/guard.sh"' })).toEqual(["guard", "guard.sh"]);
  expect(names({ type: "builtin", command: "safer_shell" })).toEqual(["safer_shell"]);
  expect(names({ type: "model", name: "judge" })).toEqual(["judge"]);
});

describe("settings of what is recorded", () => {
  const audit = (value: unknown) => readWatchSettings({ audit: value });
  test.each([
    [undefined, { on: true, required: false, payload: false }],
    [true, { on: true, required: false, payload: false }],
    [false, { on: false, required: false, payload: false }],
    ["required", { on: true, required: true, payload: false }],
    [
      { required: true, payload: "redacted" },
      { on: true, required: true, payload: true },
    ],
  ])("audit: %j", (value, expected) => {
    expect(audit(value)).toMatchObject({ watch: { audit: expected }, problems: [] });
  });

  test.each([["yes"], [1], [{ require: true }], [{ required: "yes" }], [{ payload: "full" }], [[]]])(
    "audit: %j is an error",
    (value) => {
      expect(audit(value).problems).toHaveLength(1);
    },
  );

  test("trace is a file, or true", () => {
    expect(readWatchSettings({ trace: true }).watch.trace).toBe(true);
    expect(readWatchSettings({ trace: "t.jsonl" }).watch.trace).toBe("t.jsonl");
    for (const value of ["", " ", 1, {}]) expect(readWatchSettings({ trace: value }).problems).toHaveLength(1);
  });
});
