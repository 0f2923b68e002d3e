import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostFiles } from "../../../src/dialects/host-files.ts";
import { bridgePlugin } from "../../../src/hosts/registration/bridge-plugin.ts";
import { dialectOf } from "../../../src/hosts/registration/named-host.ts";
import { dispatchCall } from "../../../src/hosts/registration/own-command.ts";
import { settled } from "../../helpers/settled.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

type Handlers = Record<string, (input: object, output: Record<string, unknown>) => Promise<void>>;

/** Loads the plugin as opencode does. In place of hooksh, `sh` runs a script that prints the answer. */
async function load(script: string, seconds?: number): Promise<Handlers> {
  const dir = tempDir({ "hooksh!x": `#!/bin/sh\n${script}\n` });
  const dialect = await dialectOf("opencode");
  const call = { program: [join(dir, "hooksh")], seconds };
  const file = join(dir, "plugin.mjs");
  const events = ["tool.execute.before", "tool.execute.after", "permission.ask", "chat.message"];
  writeFileSync(
    file,
    bridgePlugin(
      events.map((event) => dispatchCall(dialect, hostFiles("opencode"), { dialect: "opencode", event, ...call })),
    ),
  );
  const loaded: { default: (context: object) => Promise<Handlers> } = await import(file);
  expect(Object.keys(loaded)).toEqual(["default"]);
  return loaded.default({ directory: dir });
}

const say = (answer: unknown) => `cat >/dev/null; printf '%s\\n\\nhooksh:0\\n' '${JSON.stringify(answer)}'`;

/** Runs the handler before a tool, and returns the arguments that opencode goes on with. */
async function before(script: string, seconds?: number): Promise<unknown> {
  const args = { command: "ls", description: "list" };
  const output = { args };
  await (await load(script, seconds))["tool.execute.before"]?.({ tool: "bash", sessionID: "s", callID: "c" }, output);
  expect(output.args).toBe(args);
  return args;
}

describe("before a tool, the plugin of opencode", () => {
  test("lets a call run that no hook objects to", async () => {
    expect(await before(say({}))).toEqual({ command: "ls", description: "list" });
  });

  test("throws the reason of a block", async () => {
    expect(await settled(before(say({ decision: "block", reason: "no" })))).toThrow("no");
  });

  test("throws for an ask, which opencode cannot put to anybody here", async () => {
    const answer = { hook_specific_output: { permission_decision: "ask", permission_decision_reason: "push?" } };
    expect(await settled(before(say(answer)))).toThrow("needs your approval: push?");
  });

  test("changes the arguments in place, and removes those that the rewrite omits", async () => {
    expect(await before(say({ hook_specific_output: { updated_input: { command: "pwd" } } }))).toEqual({
      command: "pwd",
    });
  });

  test("reads a character whose bytes arrive apart", async () => {
    const [start, end] = [`{"hook_specific_output":{"updated_input":{"command":"\\303`, `\\251"}}}`];
    const script = `cat >/dev/null; printf '${start}'; sleep 0.2; printf '${end}\\n\\nhooksh:0\\n'`;
    expect(await before(script)).toEqual({ command: "é" });
  });

  test.each([
    ["exits 1", "exit 1"],
    ["dies", "kill -9 $$"],
    ["says nothing", "exit 0"],
    ["prints no JSON", "echo sure"],
    ["prints an answer without proof", "echo '{}'"],
    ["ends within the proof", "printf '{}\\n\\nhooksh:'"],
    ["hangs", "exec sleep 1000"],
    ["is stopped", "kill -STOP $$"],
    ["hangs in a child that keeps its output open", "sleep 20 & wait"],
  ])("throws if hooksh %s", async (_, script) => {
    expect(await settled(before(script, 2))).toThrow("hooksh did not judge tool.execute.before");
  });
});
