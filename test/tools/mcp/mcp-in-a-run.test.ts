import { expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "../../helpers/binary.ts";
import { agentFor, fakeOpenAI, type Step } from "../../helpers/fake-openai.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const SERVER = join(import.meta.dir, "../../fixtures/mcp/server.ts");
const entry = (mode = "") => ({ command: process.execPath, args: [SERVER, mode] });

type Keys = Record<string, unknown>;

/** Runs an agent with the executable: what the model was told, and what was printed. */
async function run(steps: Step[], keys: Keys, file: Keys = {}, args: string[] = ["--yolo"]) {
  const server = fakeOpenAI(steps);
  try {
    const agent = { ...(JSON.parse(agentFor(server, keys)) as object), ...file };
    const cwd = tempDir({ "agent.yaml": JSON.stringify(agent) });
    const ran = await hooksh(["run", "agent.yaml", ...args, "go"], { cwd });
    return { ...ran, requests: server.requests };
  } finally {
    server.stop();
  }
}

const callTo = (name: string, input = {}): Step => ({ calls: [{ name, arguments: input }] });

test("the executable offers the tools of a server, calls them, and leaves nothing behind", async () => {
  const mark = crypto.randomUUID();
  const toolset = { type: "mcp", ...entry(), name: "gh", env: { MARK: mark } };
  const { code, stderr, requests } = await run([callTo("gh_env"), { text: "Done." }], { toolsets: [toolset] });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(requests[0]?.tools?.map((tool) => tool.function.name)).toContain("gh_echo");
  expect(requests[0]?.messages.some(({ content }) => content.includes("Be gentle with the fixture."))).toBe(true);
  expect(requests[1]?.messages.at(-1)?.content).toContain(mark);
  const environments = Bun.spawnSync(["sh", "-c", "cat /proc/[0-9]*/environ 2>/dev/null"]).stdout.toString();
  expect(environments).not.toContain(mark);
});

test("an entry of `mcps` gives its name to the qualified names, which matchers and permissions know", async () => {
  const hook = { type: "command", command: "echo 'not this one' >&2; exit 2" };
  const guarded = {
    toolsets: [{ type: "mcp", ref: "files" }],
    hooks: {
      pre_tool_use: [
        { matcher: "mcp:files:echo", hooks: [hook] },
        { matcher: "mcp", hooks: [hook] },
      ],
    },
  };
  const { requests, code } = await run([callTo("echo"), callTo("look"), callTo("fail"), { text: "Done." }], guarded, {
    mcps: { files: entry() },
    permissions: { deny: ["mcp:files:fai*"] },
  });
  expect(code).toBe(0);
  expect(requests[1]?.messages.at(-1)?.content).toContain("not this one");
  expect(requests[2]?.messages.at(-1)?.content).toBe("no output");
  expect(requests[3]?.messages.at(-1)?.content).toContain("denied by permissions");
});

test("a tool the server calls read-only runs without asking, another one does not", async () => {
  const toolsets = [{ type: "mcp", ...entry() }];
  const steps = [callTo("look"), callTo("echo"), callTo("wipe"), { text: "Done." }];
  const { requests } = await run(steps, { toolsets }, {}, []);
  const results = requests.slice(1).map(({ messages }) => messages.at(-1)?.content ?? "");
  expect(results[0]).toBe("no output");
  expect(results[1]).toMatch(/den|approv|interactive/i);
  expect(results[2]).toMatch(/den|approv|interactive/i);
});

test("a server that does not start is a warning, and the agent runs", async () => {
  const { code, stderr } = await run([{ text: "Done." }], { toolsets: [{ type: "mcp", ...entry("exits") }] });
  expect(code).toBe(0);
  expect(stderr).toContain("no licence found");
});

test("the executable holds structured results to their schema, and shows the model what the texts do not say", async () => {
  const said = { content: [{ type: "text", text: "Found it." }], structuredContent: { n: "a" } };
  const steps = [callTo("structured"), callTo("shaped", said), { text: "Done." }];
  const { code, requests } = await run(steps, { toolsets: [{ type: "mcp", ...entry() }] });
  expect(code).toBe(0);
  expect(requests[1]?.messages.at(-1)?.content).toContain(
    "answered structured with content that does not satisfy its outputSchema: /n must be string",
  );
  expect(requests[2]?.messages.at(-1)?.content).toBe('Found it.\n{"n":"a"}');
});

test("a message that names a prompt of a server is sent as the server's text, which standard error shows", async () => {
  const toolsets = [{ type: "mcp", ...entry("prompts"), name: "fix" }];
  const args = ["--yolo", "/mcp__fix__review_it 3"];
  const { code, stdout, stderr, requests } = await run([{ text: "Yes." }, { text: "Done." }], { toolsets }, {}, args);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Yes.\nDone.\n" });
  expect(requests[0]?.messages.at(-1)?.content).toStartWith('/exit is no command here \u001b[2J {"number":"3"}');
  expect(stderr).toStartWith("(the prompt review it of the MCP server fix is sent as your message:)\n/exit is no");
});
