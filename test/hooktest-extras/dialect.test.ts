import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS } from "../../src/dialects/names.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { jsonLines } from "./guard-files.ts";

const answer = (specific: string) => `echo '{"hook_specific_output":{"hook_event_name":"pre_tool_use",${specific}}}'`;

const FILES = {
  "guard.sh!x": `#!/bin/sh
in=$(cat)
printf '%s' "$HOOKSH_DIALECT" > dialect
case "$in" in
  *rewrite*) ${answer('"updated_input":{"cmd":"echo new"}')};;
  *askme*) ${answer('"permission_decision":"ask","permission_decision_reason":"sure?"')};;
  *allowme*) ${answer('"permission_decision":"allow"')};;
  *nope*) echo because >&2; exit 2;;
esac
`,
  "hooks.yaml": `pre_tool_use: [{hooks: [{type: command, name: guard, command: ./guard.sh}]}]
before_llm_call: [{type: command, command: ./guard.sh}]
`,
  "a.hooktest.yaml": `hooks: ./hooks.yaml
defaults: {event: pre_tool_use, tool: shell}
tests:
  - {name: deny, input: {cmd: nope}, expect: {decision: deny, message: /because/, by: guard, exit: 2}}
  - {name: none, input: {cmd: ls}, expect: {decision: none, ran: guard}}
  - {name: rewrite, input: {cmd: rewrite}, expect: {input: {cmd: echo new}}}
  - {name: ask, input: {cmd: askme}, expect: {decision: ask}}
  - {name: allow, input: {cmd: allowme}, expect: {decision: allow}}
  - {name: model, event: before_llm_call, expect: {decision: none}}
`,
};

async function run(dialect: string) {
  const { stdout, code } = await hooksh(["test", "--json", "--dialect", dialect], { cwd: tempDir(FILES) });
  const tests = jsonLines(stdout).filter(({ type }) => type === "test");
  return { tests, code, find: (name: string) => tests.find((one) => one["name"] === `${name} (${dialect})`) };
}

describe("hooksh test --dialect", () => {
  test("a host that takes every answer gets them all; events it does not have are skipped with the reason", async () => {
    const { find, code } = await run("claude");
    for (const name of ["deny", "none", "rewrite", "ask", "allow"])
      expect(find(name)).toMatchObject({ status: "passed" });
    expect(find("model")).toMatchObject({ status: "skipped", reason: "claude has no event for before_llm_call" });
    expect(code).toBe(0);
  });

  test("recorded events are skipped: they are judged as the agent sent them", async () => {
    const event = { hook_event_name: "turn_end", session_id: "s" };
    const cwd = tempDir({
      "hooks.yaml": "turn_end: [{type: command, command: 'touch ran'}]\n",
      "r.jsonl": `${JSON.stringify({ event, verdict: { decision: "none" } })}\n`,
      "a.hooktest.yaml": "hooks: hooks.yaml\ntests: [{name: recorded, from: r.jsonl}]\n",
    });
    const { stdout } = await hooksh(["test", "--json", "--dialect", "claude"], { cwd });
    expect(jsonLines(stdout)[0]).toMatchObject({ status: "skipped", reason: expect.stringContaining("--dialect") });
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("an answer that a host does not take is skipped, never passed", async () => {
    const { find } = await run("goose");
    expect(find("deny")).toMatchObject({ status: "passed" });
    expect(find("ask")).toMatchObject({ status: "skipped", reason: "goose takes no ask in the answer to PreToolUse" });
    expect(find("rewrite")).toMatchObject({ status: "skipped" });
  });

  test("a wrong expectation fails: the answer is the one that the host reads", async () => {
    const wrong = FILES["a.hooktest.yaml"].replace(
      "{cmd: nope}, expect: {decision: deny",
      "{cmd: ls}, expect: {decision: deny",
    );
    const cwd = tempDir({ ...FILES, "a.hooktest.yaml": wrong });
    const { stdout, code } = await hooksh(["test", "--dialect", "cursor", "--run", "^deny"], { cwd });
    expect(stdout).toContain("decision: expected deny");
    expect(code).toBe(1);
  });

  test("every host reads a deny as a deny, and silence as no opinion", async () => {
    const { tests, code } = await run("all");
    const [denied, silent] = ["deny (", "none ("].map((start) =>
      tests.filter(({ name }) => String(name).startsWith(start)),
    );
    expect(denied).toHaveLength(Object.keys(DIALECTS).length);
    for (const one of [...(denied ?? []), ...(silent ?? [])]) expect(one).toMatchObject({ status: "passed" });
    expect(code).toBe(0);
  });
});
