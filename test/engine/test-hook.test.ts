import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Builtin, newRegistry, type TestedHook, testHook } from "hooksh";
import { BLOCK, contextOutput, defineHook, deny } from "hooksh/hook";
import { settled } from "../helpers/settled.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const CALL = { hook_event_name: "pre_tool_use", tool_name: "write_file", tool_input: { path: "LICENSE" } } as const;

const guard = defineHook("pre_tool_use", (input, frozen, context) => {
  const path = String(input.tool_input?.["path"]);
  context.log("warn", `looked at ${path}`);
  return frozen.includes(path) ? deny(input, `${path} is frozen`) : undefined;
});

const GUARD = `
export default (input, frozen, context) => {
  context.log("warn", "looked at " + input.tool_input.path);
  if (frozen.includes(input.tool_input.path)) return { decision: "block", reason: "frozen" };
};`;

/** The path of an own hook with this source. */
const file = (source: string) => join(tempDir({ "guard.ts": source }), "guard.ts");

describe("a hook is tested alone", () => {
  test("as a function, with its args", async () => {
    const denied = await testHook(guard, CALL, { args: ["LICENSE"] });
    const { result, outcome, decision, message, warnings, log }: TestedHook<"pre_tool_use"> = denied;
    expect(result).toMatchObject({ allowed: false, message: "LICENSE is frozen" });
    expect({ outcome, decision, message, warnings }).toEqual({
      outcome: "answered",
      decision: "deny",
      message: "LICENSE is frozen",
      warnings: [],
    });
    expect(log).toContainEqual({ level: "warn", message: "looked at LICENSE" });
    expect(await testHook(guard, CALL)).toMatchObject({
      result: { allowed: true },
      outcome: "silent",
      decision: "none",
    });
  });

  test("as a file, by its path, its URL, or from the hook's working directory", async () => {
    const path = file(GUARD);
    const ways = [
      [path, {}],
      [pathToFileURL(path), {}],
      ["./guard.ts", { working_dir: join(path, "..") }],
    ] as const;
    for (const [hook, more] of ways) {
      const tested = await testHook(hook, CALL, { args: ["LICENSE"], ...more });
      expect(tested).toMatchObject({ result: { allowed: false, message: "frozen" }, outcome: "answered" });
      expect(tested.log).toContainEqual({ level: "warn", message: "looked at LICENSE" });
    }
  });

  test("as the definition of a hook of any type", async () => {
    const command = { type: "command", command: 'echo "$WHO says no" >&2; exit 2' };
    expect(await testHook(command, CALL, { env: { WHO: "she" } })).toMatchObject({
      result: { allowed: false, message: "she says no" },
      outcome: "blocked",
      exit_code: 2,
      decision: "deny",
      output: { kind: "exited", stderr: "she says no\n" },
    });
    const builtin = { type: "builtin", command: "add_date" };
    const dated = await testHook(builtin, { hook_event_name: "turn_start" });
    expect(dated.result.additional_context).toContain("Today's date");
    const registry = newRegistry().register("mine", () => ({
      run: async () => ({ kind: "returned", output: contextOutput("turn_start", "from mine") }),
    }));
    const mine = await testHook({ type: "mine" }, { hook_event_name: "turn_start" }, { registry });
    expect(mine.result).toEqual({ allowed: true, additional_context: "from mine" });
  });

  test("with a rewrite, which the result has", async () => {
    const rewrite: Builtin = ({ hook_event_name }) => ({
      hook_specific_output: { hook_event_name, updated_input: { path: "COPY" } },
    });
    expect((await testHook(rewrite, CALL)).result.modified_input).toEqual({ path: "COPY" });
  });
});

describe("a mistake in the hook is visible", () => {
  const returns =
    (value: unknown): Builtin =>
    () =>
      value as ReturnType<Builtin>;
  test.each<[string, Builtin, string]>([
    [
      "an error",
      () => {
        throw new TypeError("no path");
      },
      "no path",
    ],
    ["a rejection", () => Promise.reject(new Error("later")), "later"],
    [
      "the event of another hook",
      defineHook("stop", () => undefined),
      "this hook is made for stop, not for pre_tool_use",
    ],
    ["an answer that is no object", returns("deny"), "expected an object"],
    ["a Map", returns(new Map([["decision", "block"]])), "expected an object"],
    ["an answer that cannot be copied between threads", returns({ reason: () => {} }), "can not be cloned"],
    [
      "a value that does not exist",
      returns({ hook_specific_output: { permission_decision: "no" } }),
      "permission_decision",
    ],
    ["a misspelt key", returns({ desicion: "block" }), "desicion"],
  ])("%s: it fails, and the call is blocked", async (_name, hook, message) => {
    const tested = await testHook(hook, CALL);
    expect(tested).toMatchObject({ result: { allowed: false }, outcome: "failed", decision: "deny" });
    expect(tested.message).toContain(message);
    expect(tested.result.message).toContain(message);
  });

  test("an answer that the event does not take is a warning", async () => {
    const tested = await testHook(() => contextOutput("turn_start", "x"), CALL);
    expect(tested).toMatchObject({ result: { allowed: true }, outcome: "answered", decision: "none" });
    expect(tested.warnings.join()).toContain("additional_context has no effect: pre_tool_use takes");
  });

  test("a function that never answers, and a file that never ends, meet their deadline", async () => {
    for (const hook of [() => new Promise<undefined>(() => {}), file("export default () => { for (;;); };")]) {
      const tested = await testHook(hook, CALL, { timeout: 1 });
      expect(tested).toMatchObject({ result: { allowed: false }, outcome: "timed_out", message: "timed out after 1s" });
      expect(tested.output).toBeUndefined();
    }
  });

  test("a file that is missing, does not load, or exports nothing", async () => {
    const failing = async (hook: string) => (await testHook(hook, CALL)).message;
    expect(await failing(join(tempDir(), "guard.ts"))).toContain("guard.ts: no such file");
    expect(await failing(file("export default ("))).toContain("guard.ts:1:");
    expect(await failing(file("export const guard = 1;"))).toContain("no default export that is a function");
  });

  test("a command that fails, and one that prints what has no effect", async () => {
    const failing = { type: "command", command: "echo broken >&2; exit 3" };
    expect(await testHook(failing, CALL)).toMatchObject({
      result: { allowed: false },
      outcome: "failed",
      exit_code: 3,
    });
    const ignored = await testHook(failing, { hook_event_name: "turn_end" }, { on_error: "ignore" });
    expect(ignored).toMatchObject({ result: { allowed: true }, outcome: "failed" });
    expect(ignored.message).toContain("broken");
    const chatty = await testHook({ type: "command", command: "echo fine" }, CALL);
    expect(chatty).toMatchObject({ result: { allowed: true }, outcome: "said" });
    expect(chatty.warnings.join()).toContain("has no effect");
  });

  test("an observed hook says what it would have decided", async () => {
    const observed = await testHook(guard, CALL, { args: ["LICENSE"], mode: "observe" });
    expect(observed).toMatchObject({ result: { allowed: true }, would: "deny", mode: "observe" });
  });
});

describe("a function has what a file of its own has, and no more", () => {
  test("its input as JSON, in a private copy", async () => {
    const input = { ...CALL, tool_input: { path: "LICENSE", at: new Date(0) } };
    const spoils: Builtin = ({ tool_input = {} }) => {
      const { at } = tool_input;
      tool_input["path"] = "x";
      return { decision: BLOCK, reason: String(at) };
    };
    expect((await testHook(spoils, input)).message).toBe("1970-01-01T00:00:00.000Z");
    expect(input.tool_input.path).toBe("LICENSE");
  });

  test("no memory", async () => {
    const forgets: Builtin = (_input, _args, { memory }) => {
      memory(() => "first");
      return { decision: BLOCK, reason: memory(() => "second") };
    };
    expect((await testHook(forgets, CALL)).message).toBe("second");
  });

  test("directories of its own, and a signal that cancels", async () => {
    const directories = { config: "/c", data: "/d", cache: "/e" };
    const shows: Builtin = (_input, _args, context) => ({ decision: BLOCK, reason: context.directories.data });
    expect((await testHook(shows, CALL, { directories })).message).toBe("/d");
    const cancelled = await testHook(shows, CALL, { signal: AbortSignal.abort() });
    expect(cancelled).toMatchObject({ result: { allowed: false }, outcome: "failed", message: "cancelled" });
  });
});

describe("misuse is an error", () => {
  // As a program without types calls it.
  const run = testHook as (...args: unknown[]) => Promise<unknown>;
  test.each<[string, unknown[], string]>([
    ["no event", [guard], "testHook: expected an event as an object with hook_event_name"],
    ["no name of the event", [guard, { tool_name: "x" }], "testHook: hook_event_name is required: it names the event"],
    ["an unknown event", [guard, { ...CALL, hook_event_name: "pre_tool_us" }], "did you mean pre_tool_use?"],
    ["no tool", [guard, { hook_event_name: "pre_tool_use" }], "pre_tool_use: tool_name is required"],
    ["a field of another type", [guard, { ...CALL, tool_input: "x" }], "pre_tool_use: tool_input: expected an object"],
    ["no hook", [undefined, CALL], "testHook: expected a hook: a function, the path of a file such as ./guard.ts"],
    ["a file without a folder", ["guard.ts", CALL], "write ./guard.ts to run a file of yours"],
    ["a misspelt option", [guard, CALL, { tiemout: 1 }], 'unknown key "tiemout", did you mean "timeout"?'],
    ["a wrong option", [guard, CALL, { timeout: "soon" }], "timeout: expected a whole number"],
    ["a wrong definition", [{ type: "command", comand: "x" }, CALL], 'unknown key "comand", did you mean "command"?'],
  ])("%s", async (_name, args, message) => {
    expect(await settled(run(...args))).toThrow(message);
  });
});
