import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const token = ["ghp", "a1B2".repeat(9)].join("_");
const event = JSON.stringify({
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "1",
  tool_input: { cmd: `echo ${token}` },
});
const env = { OPENAI_API_KEY: "unused" };

const agentWith = (key: string) => `agents:\n  root:\n    model: openai/gpt-4o\n    ${key}\n`;
const builtin = (args: string) =>
  `pre_tool_use:\n  - hooks:\n      - type: builtin\n        command: redact_secrets\n        args: ${args}\n`;

/** The verdict on a call that contains a token, with the hooks of `agent.yaml` or of `hooks.yaml`. */
function dispatch(files: Record<string, string>, args: readonly string[]) {
  return hooksh(["--config-dir", "config", "dispatch", ...args], {
    cwd: tempDir({ "config/.keep": "", ...files }),
    env,
    input: event,
  });
}

const shell = (cmd: string) => ({ hook_specific_output: { updated_input: { cmd } } });

describe("redact_secrets of an agent", () => {
  test.each([
    ["redact_secrets: true", "echo [REDACTED]"],
    ["redact_secrets: {}", "echo [REDACTED]"],
    ["redact_secrets: {label: null, generic: null}", "echo [REDACTED]"],
    ["redact_secrets: {generic: off}", "echo [REDACTED]"],
    ["redact_secrets: {generic: strict, label: true}", "echo [REDACTED:github-pat]"],
    ["redact_secrets: {label: false}", "echo [REDACTED]"],
  ])("%s", async (key, cmd) => {
    const ran = await dispatch({ "agent.yaml": agentWith(key) }, ["agent.yaml"]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.lines()).toMatchObject([shell(cmd)]);
  });

  test("the user's own hook redacts even for an agent that turns redaction off", async () => {
    const files = { "agent.yaml": agentWith("redact_secrets: false") };
    const off = await dispatch(files, ["agent.yaml"]);
    expect(off.lines()).toEqual([{}]);
    const hooks = { pre_tool_use: [{ hooks: [{ type: "builtin", command: "redact_secrets", args: ["label"] }] }] };
    const config = JSON.stringify({ settings: { hooks } });
    const on = await dispatch({ ...files, "config/config.yaml": config }, ["agent.yaml"]);
    expect(on.lines()).toMatchObject([shell("echo [REDACTED:github-pat]")]);
  });

  test.each([
    [
      "redact_secrets: {generic: onn}",
      '4:31: agents.root.redact_secrets.generic: expected "off" or "on" or "strict" but got "onn"; did you mean "on"?',
    ],
    [
      "redact_secrets: {generic: false}",
      '4:31: agents.root.redact_secrets.generic: expected "off" or "on" or "strict" but got false',
    ],
    ["redact_secrets: {labels: true}", '4:22: agents.root.redact_secrets.labels: unknown key; did you mean "label"?'],
    ["redact_secrets: {label: kind}", '4:29: agents.root.redact_secrets.label: expected true or false but got "kind"'],
    ["redact_secrets: off", '4:21: agents.root.redact_secrets: expected true or false or a mapping but got "off"'],
    [
      "redact_secrets: [generic]",
      "4:21: agents.root.redact_secrets: expected true or false or a mapping but got a list",
    ],
    ["redact_secrets: []", "4:21: agents.root.redact_secrets: expected true or false or a mapping but got a list"],
  ])("%s is refused with its place", async (key, problem) => {
    const ran = await hooksh(["validate", "agent.yaml"], { cwd: tempDir({ "agent.yaml": agentWith(key) }) });
    expect(ran).toMatchObject({ code: 1, stdout: "", stderr: `agent.yaml:${problem}\n` });
  });
});

describe("the arguments of the builtin", () => {
  test.each([
    ["[]", "echo [REDACTED]"],
    ["[label]", "echo [REDACTED:github-pat]"],
    ["[generic=strict, label]", "echo [REDACTED:github-pat]"],
  ])("%s", async (args, cmd) => {
    const ran = await dispatch({ "hooks.yaml": builtin(args) }, ["--hooks-file", "hooks.yaml"]);
    expect(ran.lines()).toMatchObject([shell(cmd)]);
  });

  test.each([
    ["[generic=onn]", 'redact_secrets: unknown argument "generic=onn": did you mean generic=on?'],
    ["[labels]", 'redact_secrets: unknown argument "labels": did you mean label?'],
    [
      "[everything]",
      'redact_secrets: unknown argument "everything": known are generic=off, generic=on, generic=strict, label',
    ],
    ["[generic=on, generic=off]", "redact_secrets takes one generic=LEVEL, not two"],
    ["[label, label]", "redact_secrets takes label once, not twice"],
  ])("%s stops the dispatch with a verdict that blocks", async (args, message) => {
    const ran = await dispatch({ "hooks.yaml": builtin(args) }, ["--hooks-file", "hooks.yaml"]);
    expect(ran).toMatchObject({
      code: 2,
      stdout: "",
      stderr: `hooks.yaml:5:15: hooks.pre_tool_use[0].hooks[0]: ${message}\n`,
    });
  });
});
