import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const KEY = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");
const ENV = `REGION=eu\nAWS_KEY=${KEY}\n`;

/** The example of a guard that looks for secrets, from the documentation. */
const EXAMPLE =
  /## Guards that look for secrets[^]*?```yaml\n([^]*?)```/.exec(
    readFileSync(join(import.meta.dir, "../../docs/hooks.md"), "utf8"),
  )?.[1] ?? "";

const call = (name: string, input: object): Step => ({ calls: [{ name, arguments: input }] });

async function run(
  steps: Step[],
  files: Record<string, string>,
  args: string[] = [],
  redaction: boolean | object = true,
) {
  const server = serve(...steps, { text: "done" });
  const agent = agentFor(server, { redact_secrets: redaction, toolsets: [{ type: "filesystem" }] });
  const cwd = tempDir({ "agent.yaml": agent, ...files });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", ...args, "go"], { cwd });
  const results =
    server.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => content) ?? [];
  return { ...ran, results, read: (name: string) => readFileSync(join(cwd, name), "utf8") };
}

test("documentation is written as the model wrote it, and read back", async () => {
  const page = [
    "export GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "gh auth login --with-token ghp_xxxx",
    "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
    `aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY${"EXAMPLEKEY"}`,
    "glpat-XXXX, glpat-XXXXXXXXXXXXXXXXXXXX",
    "DATABASE_URL=postgres://user:password@localhost/db",
    "curl -u user:password https://example.com/",
    "API_KEY=your-api-key-here",
    "",
  ].join("\n");
  const steps = [call("write_file", { path: "docs.md", content: page }), call("read_file", { path: "docs.md" })];
  const ran = await run(steps, {});
  expect(ran.read("docs.md")).toBe(page);
  expect(ran.results.join("\n")).not.toContain("[REDACTED]");
  expect(ran.results[1]).toContain("ghp_xxxxxxxxxxxx");
});

describe("a guard that looks for secrets", () => {
  const step = call("write_file", { path: "deploy.env", content: ENV });

  const hook = {
    name: "no-cloud-keys",
    type: "command",
    command: "if grep -q AKIA; then echo 'This holds a cloud key' >&2; exit 2; fi",
  };
  const hooksOn = (event: string) => JSON.stringify({ [event]: [{ matcher: "*", hooks: [hook] }] });

  test.each([
    ["as a rule on secrets, as the documentation shows", EXAMPLE],
    ["as a hook under tool_guard", hooksOn("tool_guard")],
  ])("sees them %s", async (_how, guards) => {
    const ran = await run([step], { "guards.yaml": guards, "deploy.env": "" }, ["--hooks-file", "guards.yaml"]);
    expect(ran.stdout).toMatch(
      /^Denied write_file\(path: deploy\.env, .*\): This holds a cloud key.*\n {2}by no-cloud-keys \(guards\.yaml:\d\), \d+ ms\ndone\n$/,
    );
    expect(ran.stdout).not.toContain(KEY);
    expect(ran.read("deploy.env")).toBe("");
  });

  test("does not see them under pre_tool_use, and the model gets the redacted text", async () => {
    const guards = hooksOn("pre_tool_use");
    const ran = await run([step], { "guards.yaml": guards, "deploy.env": "" }, ["--hooks-file", "guards.yaml"]);
    expect(ran.read("deploy.env")).toBe("REGION=eu\nAWS_KEY=[REDACTED]\n");
    expect(ran.results).toEqual([expect.stringContaining("Note: the text holds [REDACTED] once")]);
  });
});

test("a call that does not run is shown without its secrets", async () => {
  const { stdout } = await run(
    [call("upload", { key: KEY }), { calls: [{ name: "write_file", arguments: `{"key":"${KEY}"` }] }],
    {},
  );
  expect(stdout).toContain("Not run: upload(key: [REDACTED])");
  expect(stdout).toContain("Not run: write_file(");
  expect(stdout).not.toContain(KEY);
});

test("run --json counts the redacted secrets by kind", async () => {
  const ran = await run(
    [call("read_file", { path: "app.env" }), call("write_file", { path: "new.env", content: ENV })],
    { "app.env": ENV },
    ["--json"],
  );
  const finished = ran.lines().filter((event) => event["type"] === "hook_finished");
  expect(finished.map(({ hook_event, redacted }) => [hook_event, redacted])).toEqual([
    ["pre_tool_use", undefined],
    ["tool_response_transform", { "aws-access-token": 1 }],
    ["pre_tool_use", { "aws-access-token": 1 }],
    ["tool_response_transform", undefined],
  ]);
  expect(JSON.stringify(finished)).not.toContain(KEY);
});

describe.each([
  ["[REDACTED]", true],
  ["[REDACTED:aws-access-token]", { label: true }],
])("a file that is read with %s and written back", (mark, redaction) => {
  test("keeps its secrets: the write is refused, and an edit next to them succeeds", async () => {
    const { read, results, stdout } = await run(
      [
        call("read_file", { path: "app.env" }),
        call("write_file", { path: "app.env", content: ENV.replace(KEY, mark).replace("eu", "us") }),
        call("edit_file", {
          path: "app.env",
          edits: [{ oldText: `REGION=eu\nAWS_KEY=${mark}`, newText: `REGION=us\nAWS_KEY=${mark}` }],
        }),
        call("edit_file", { path: "app.env", edits: [{ oldText: "REGION=eu", newText: "REGION=us" }] }),
      ],
      { "app.env": ENV },
      [],
      redaction,
    );
    expect(results).toEqual([
      `REGION=eu\nAWS_KEY=${mark}\n`,
      expect.stringContaining(
        `the text holds ${mark}, which replaces secrets in what you read and write; the file holds a secret`,
      ),
      expect.stringContaining(
        `oldText holds ${mark}, which you were shown instead of a secret of the file; nothing was changed; `,
      ),
      "File edited successfully. Replaced 9 characters",
    ]);
    expect(read("app.env")).toBe(ENV.replace("eu", "us"));
    expect(stdout).toContain("write_file failed → ");
    expect(stdout).not.toContain(KEY);
  });
});
