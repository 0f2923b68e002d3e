import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const guard = (examples: string, more = "") => `pre_tool_use:
  - matcher: shell
    hooks:
      - { type: command, command: ./guard.sh, ${more}examples: ${examples} }
`;

const FILES = {
  "guard.sh!x": "#!/bin/sh\ntouch ran\ncase $(cat) in *force*) echo no >&2; exit 2 ;; esac\n",
};

async function run(args: readonly string[], files: Record<string, string>) {
  const cwd = tempDir({ ...FILES, ...files });
  return { cwd, ...(await hooksh(args, { cwd })) };
}

describe("examples beside a hook", () => {
  test("a file with hooks tests its examples", async () => {
    const ran = await run(["test", "hooks.yaml"], {
      "hooks.yaml": guard('{ deny: ["git push --force", { cmd: force, cwd: / }], none: [git status] }'),
    });
    expect(ran.stdout.replace(/ {2}\d+ ms/g, "").replace(/[\d.]+ s/, "N s")).toBe(`hooks.yaml
  ok   example: deny git push --force
  ok   example: deny {"cmd":"force","cwd":"/"}
  ok   example: none git status

3 passed in N s
`);
    expect(ran.code).toBe(0);
  });

  test("an example that does not hold is red, with its place", async () => {
    const ran = await run(["test", "--json", "hooks.yaml"], { "hooks.yaml": guard("{ none: [git push --force] }") });
    expect(ran.lines()[0]).toMatchObject({ file: "hooks.yaml", line: 4, column: 66, status: "failed" });
    expect(ran.code).toBe(1);
  });

  test("the examples of the hooks that a test file names run once", async () => {
    const tests = "hooks: hooks.yaml\ntests: [{ event: pre_tool_use, tool: shell, expect: { decision: none } }]\n";
    const ran = await run(["test"], {
      "hooks.yaml": guard("{ deny: [force] }"),
      "a.hooktest.yaml": tests,
      "b.hooktest.yaml": tests,
    });
    expect(ran.stdout.match(/example: deny force/g)).toHaveLength(1);
    expect(ran.stdout).toContain("3 passed");
  });

  test("a hook is tested alone, and as if it did not only observe", async () => {
    const ran = await run(["test", "hooks.yaml"], {
      "hooks.yaml": `${guard("{ deny: [force], none: [ls] }", "mode: observe, ")}      - { type: command, command: exit 2 }\n`,
    });
    expect(ran.stdout).toContain("2 passed");
  });

  test("each event has a field for a text, and each tool a main argument", async () => {
    const refuse = '{ type: command, command: "grep -q bad && { echo no >&2; exit 2; }; true", examples: ';
    const ran = await run(["test", "hooks.yaml"], {
      "hooks.yaml": `user_prompt_submit: ${refuse}{ block: [a bad prompt], none: [a prompt] } }
before_llm_call: ${refuse}{ block: [a bad message] } }
pre_tool_use:
  - { matcher: write_file|edit_file, hooks: ${refuse}{ deny: [/bad], none: [/good] } } }
  - { matcher: "*", hooks: ${refuse}{ deny: [bad] } } }
  - { matcher: "mcp:.*", hooks: ${refuse}{ deny: [{ any: bad }] } } }
`,
    });
    expect(ran.stdout).toContain("7 passed");
  });

  test("an example that says too little is an error with its place", async () => {
    const ran = await run(["test", "hooks.yaml"], {
      "hooks.yaml":
        "pre_tool_use: { matcher: todo_x, hooks: { type: command, command: a, examples: { deny: [one] } } }\n",
    });
    expect(ran.stderr).toMatch(/^hooks\.yaml:1:\d+: .*todo_x has no main argument: write the whole input/);
    expect(ran.code).toBe(1);
  });
});

describe("validate", () => {
  test("runs the examples of builtins, and says how to run those of commands", async () => {
    const ran = await run(["validate", "hooks.yaml"], {
      "hooks.yaml": guard("{ deny: [force, git push --force] }"),
    });
    expect(ran.stderr).toBe("");
    expect(ran.stdout).toBe(
      "hooks.yaml: ok\nhooks.yaml: 2 examples were not run, because the hooks are not hooksh's own: hooksh test hooks.yaml runs them\n",
    );
    expect(ran.code).toBe(0);
    expect(existsSync(join(ran.cwd, "ran"))).toBe(false);
  });

  test("an example of a builtin that does not hold is an error with its place", async () => {
    const hooks = (decision: string) =>
      `before_llm_call: { type: builtin, command: max_iterations, args: ["1"], examples: { ${decision}: [{ iteration: 2 }] } }\n`;
    const wrong = await run(["validate", "hooks.yaml"], { "hooks.yaml": hooks("none") });
    expect(wrong.stderr).toMatch(
      /^hooks\.yaml:1:\d+: example: none \{"iteration":2\}: decision: expected none, got block\n$/,
    );
    expect(wrong.code).toBe(1);
    const right = await run(["validate", "hooks.yaml"], { "hooks.yaml": hooks("block") });
    expect([right.stdout, right.code]).toEqual(["hooks.yaml: ok\n", 0]);
  });
});
