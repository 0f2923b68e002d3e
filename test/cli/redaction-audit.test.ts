import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const token = ["ghp", "a1B2".repeat(9)].join("_");
const slack = ["xoxb", "123456789012", "123456789012", "abcdefABCDEF0123456789ab"].join("-");

const HOOKS = `pre_tool_use: { hooks: { type: builtin, command: redact_secrets } }
tool_response_transform: { hooks: { type: builtin, command: redact_secrets, args: [label] } }
before_llm_call: { type: builtin, command: redact_secrets, strict_output: true }
`;
const FILE = ["--hooks-file", "hooks.yaml"];

const call = {
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_input: { a: `${token} ${token}`, b: { c: [slack] } },
};
const COUNTS = { "github-pat": 2, "slack-bot-token": 1 };

function run(args: readonly string[], event: object, files: Record<string, string> = {}) {
  const cwd = tempDir({ "hooks.yaml": HOOKS, ...files });
  return hooksh([...args, ...FILE], { cwd, input: JSON.stringify(event) }).then((ran) => ({ ...ran, cwd }));
}

function expectNoValue(text: string): void {
  expect(text).not.toContain(token);
  expect(text).not.toContain(slack);
}

describe("dispatch --details counts the redacted secrets by kind", () => {
  test.each<[string, object, object]>([
    ["arguments", call, COUNTS],
    [
      "a response",
      { hook_event_name: "tool_response_transform", tool_name: "shell", tool_response: `${slack}\n${token}` },
      { "slack-bot-token": 1, "github-pat": 1 },
    ],
    [
      "messages",
      {
        hook_event_name: "before_llm_call",
        messages: [
          { role: "user", content: token },
          { role: "user", content: token },
        ],
      },
      { "github-pat": 2 },
    ],
    [
      "a response so large that a worker redacts it",
      {
        hook_event_name: "tool_response_transform",
        tool_name: "shell",
        tool_response: `${"x ".repeat(200_000)}${token}`,
      },
      { "github-pat": 1 },
    ],
  ])("%s", async (_name, event, redacted) => {
    const ran = await run(["dispatch", "--details", "--output", "result"], event);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.lines()[0]?.["hooks"]).toContainEqual(
      expect.objectContaining({ name: "redact_secrets", outcome: "answered", redacted }),
    );
    expectNoValue(ran.stdout);
  });

  test("as text", async () => {
    const ran = await run(["dispatch", "--details", "--output", "text"], call);
    expect(ran.stdout).toMatch(
      /\n {2}redact_secrets \(hooks\.yaml:1\): answered, [\d.]+ ms, redacted github-pat 2, slack-bot-token 1\n/,
    );
  });

  test("and nothing if nothing was found", async () => {
    const ran = await run(["dispatch", "--details", "--output", "result"], { ...call, tool_input: { cmd: "ls" } });
    expect(ran.lines()[0]?.["hooks"]).toEqual([expect.not.objectContaining({ redacted: expect.anything() })]);
  });

  test("including secrets that a later hook added", async () => {
    const back = `pre_tool_use:\n  - hooks:\n    - { type: builtin, command: redact_secrets }\n    - { type: builtin, command: ./back.ts }\n`;
    const own = `export default () => ({ hook_specific_output: { updated_input: { d: "${token}" } } });\n`;
    const ran = await run(["dispatch", "--details", "--output", "result"], call, {
      "hooks.yaml": back,
      "back.ts": own,
    });
    expect(ran.lines()[0]?.["hooks"]).toContainEqual(
      expect.objectContaining({ redacted: { "github-pat": 3, "slack-bot-token": 1 } }),
    );
    expectNoValue(ran.stdout);
  });
});

test("the counts are not part of the answer itself", async () => {
  const ran = await run(["dispatch"], call);
  expect(ran.lines()).toEqual([
    {
      system_message: 'redact_secrets: redacted secret material from arguments of tool "shell"',
      hook_specific_output: {
        hook_event_name: "pre_tool_use",
        updated_input: { a: "[REDACTED] [REDACTED]", b: { c: ["[REDACTED]"] } },
      },
    },
  ]);
});

test("the debug log says which kinds were redacted", async () => {
  const ran = await run(["dispatch", "--debug", "--log-file", "log"], call);
  const log = readFileSync(join(ran.cwd, "log"), "utf8");
  expect(log).toContain('pre_tool_use hook "redact_secrets": answered, redacted github-pat 2, slack-bot-token 1\n');
  expectNoValue(log);
});

describe("hooksh explain says which kinds would be redacted in an event", () => {
  test("as text", async () => {
    const ran = await run(["hooks", "explain"], call);
    expect(ran.stdout).toContain(
      "\nredact_secrets (hooks.yaml:1) redacts in this event: github-pat 2, slack-bot-token 1\n",
    );
    expectNoValue(ran.stdout);
  });

  test("as JSON", async () => {
    const { hooks } = JSON.parse((await run(["hooks", "explain", "--json"], call)).stdout) as {
      hooks: Record<string, unknown>[];
    };
    expect(hooks.map(({ event, runs, redacts }) => ({ event, runs, redacts }))).toEqual([
      { event: "pre_tool_use", runs: true, redacts: COUNTS },
      { event: "tool_response_transform", runs: false, redacts: undefined },
      { event: "before_llm_call", runs: false, redacts: undefined },
    ]);
  });

  test("and says nothing without a secret or without the event", async () => {
    expect((await run(["hooks", "explain"], { ...call, tool_input: { cmd: "ls" } })).stdout).not.toContain("redacts");
    expect((await run(["hooks", "explain", "--event", "pre_tool_use", "--tool", "shell"], {})).stdout).not.toContain(
      "redacts",
    );
  });
});
