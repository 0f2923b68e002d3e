/** Captures a call of every tool. */
import { join } from "node:path";
import { type WireReply, type WireRequest, windowServer, wireText } from "../../test/helpers/window-server.ts";
import { captureRun, capturingHooks, type Payload, runToEnd } from "./capture-run.ts";
import { EXAMPLE_CALLS } from "./example-calls.ts";

/** A tool as a model sees it, and one call of it as hooks see it. */
export interface CapturedTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
  category: string;
  readOnly: boolean;
  input: Record<string, unknown>;
  response: string;
  /** True if `post_tool_use` hooks see the response. */
  hasPostToolUse: boolean;
}

const SCHEMA_OF_SHOP = {
  openapi: "3.0.0",
  paths: {
    "/prices/{id}": {
      get: {
        operationId: "getPrice",
        summary: "Returns a price.",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      },
    },
  },
};

/** Runs an agent that calls each tool once. Returns the tools, and all payloads without what belongs to the run. */
export async function captureTools(): Promise<{ tools: CapturedTool[]; payloads: Payload[] }> {
  using model = windowServer(10_000_000, answer);
  const web = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: webPage });
  const origin = `http://127.0.0.1:${web.port}`;
  address = origin;
  using run = captureRun(filesFor(model.url, origin), origin, model.url);
  const lines = await runToEnd(run, ["run", "agent.yaml", "--yolo", "--json", "Try every tool."]);
  await web.stop(true);
  const events = run.cleaned(
    lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>),
  );
  const offered = model.requests[0]?.tools as { function: Pick<CapturedTool, "name" | "description" | "parameters"> }[];
  const payloads = run.cleaned(run.payloads());
  return { tools: offered.map(({ function: tool }) => captured(run.cleaned(tool), payloads, events)), payloads };
}

let address = "";

function captured(
  { name, description, parameters }: Pick<CapturedTool, "name" | "description" | "parameters">,
  payloads: readonly Payload[],
  events: readonly Record<string, unknown>[],
): CapturedTool {
  const of = (event: string) => payloads.find((each) => each.hook_event_name === event && each["tool_name"] === name);
  const [before, after] = [of("pre_tool_use"), of("post_tool_use")];
  if (!before) throw new Error(`the tool ${name} was not called: add it to EXAMPLE_CALLS`);
  const response = events.find((event) => event["type"] === "tool_call_response" && nameOf(event) === name);
  return {
    name,
    description: description.replace(/ with \S+ on (linux|darwin|win32)/, " with the user's shell"),
    parameters,
    category: String(before["tool_category"]),
    readOnly: before["tool_read_only"] === true,
    input: before["tool_input"] as Record<string, unknown>,
    response: String(after?.["tool_response"] ?? response?.["response"] ?? ""),
    hasPostToolUse: after !== undefined,
  };
}

function nameOf({ tool_definition: tool }: Record<string, unknown>): unknown {
  return (tool as { name?: unknown } | undefined)?.name;
}

/** Answers the root agent with the next call, and every other agent with a text. */
function answer({ messages, tools = [] }: WireRequest): WireReply {
  const system = messages
    .filter(({ role }) => role === "system")
    .map(wireText)
    .join("\n");
  const isInSkill = messages.some((message) => wireText(message).includes("You carry out the skill"));
  if (isInSkill || !system.includes("You try tools.")) return { text: "notes.md is fine." };
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  const next = EXAMPLE_CALLS.filter(({ tool }) => isOffered(tools, tool))[calls.length];
  return next
    ? { calls: [{ name: next.tool, arguments: filled(next.input, messages) }] }
    : { text: "Every tool works." };
}

function isOffered(tools: readonly unknown[], name: string): boolean {
  return tools.some((tool) => JSON.stringify(tool).includes(`"name":"${name}"`));
}

/** Fills in ids that earlier results gave, and the address of the web server. */
function filled(input: Record<string, unknown>, messages: WireRequest["messages"]): Record<string, unknown> {
  const results = messages
    .filter(({ role }) => role === "tool")
    .map(wireText)
    .join("\n");
  const idBehind = (start: RegExp) => start.exec(results)?.[1] ?? "none";
  const text = JSON.stringify(input)
    .replace("JOB", idBehind(/Background job started: (\S+)/))
    .replace("TASK", idBehind(/Task: (\S+)/))
    .replace("MEMORY", idBehind(/with ID: (\S+)/))
    .replace("URL", address);
  return JSON.parse(text) as Record<string, unknown>;
}

function webPage(request: Request): Response {
  const { pathname } = new URL(request.url);
  if (pathname === "/robots.txt") return new Response("", { status: 404 });
  if (pathname === "/openapi.json") return Response.json(SCHEMA_OF_SHOP);
  if (pathname.startsWith("/prices/")) return Response.json({ id: "7", price: 1.19 });
  if (pathname === "/rate") return Response.json({ usd: 1.08 });
  return new Response("<h1>Prices</h1><p>Apples cost 1.19.</p>", { headers: { "content-type": "text/html" } });
}

function filesFor(model: string, web: string): Record<string, string> {
  const text = { type: "string" };
  const toolsets = [
    ...["shell", "background_jobs", "filesystem", "environment", "think", "todo", "memory", "user_prompt"].map(
      (type) => ({ type }),
    ),
    { type: "background_agents" },
    { type: "fetch", allow_private_ips: true },
    {
      type: "script",
      shell: { count_lines: { cmd: 'wc -l "$file"', description: "Counts lines.", args: { file: text } } },
    },
    {
      type: "api",
      allow_private_ips: true,
      api_config: {
        name: "exchange_rate",
        endpoint: `${web}/rate?currency=\${currency}`,
        method: "GET",
        instruction: "Returns the rate of a currency.",
        args: { currency: text },
        required: ["currency"],
      },
    },
    { type: "openapi", url: `${web}/openapi.json`, allow_private_ips: true },
    {
      type: "mcp",
      name: "notes",
      command: process.execPath,
      args: [join(import.meta.dir, "../../test/fixtures/mcp/server.ts")],
      tools: ["echo"],
    },
  ];
  const hooks = capturingHooks();
  const skills = [
    "prices",
    { name: "audit", description: "Checks a file.", instructions: "Check the file.", context: "fork" },
  ];
  const agent = (instruction: string, more: object = {}) => ({
    model: "fake/model",
    description: instruction,
    instruction,
    redact_secrets: false,
    hooks,
    ...more,
  });
  const agents = {
    root: agent("You try tools.", { toolsets, skills, sub_agents: ["reviewer"], handoffs: ["writer"] }),
    reviewer: agent("You review."),
    writer: agent("You write."),
  };
  return {
    "agent.yaml": JSON.stringify({ agents, providers: { fake: { base_url: model } } }),
    "prices.csv": "name,price\napple,1.19\npear,2.49\n",
    ".agents/skills/prices/SKILL.md":
      "---\nname: prices\ndescription: How prices are written.\n---\nPrices are in euros.\n",
    ".agents/skills/prices/table.md": "apple 1.19\n",
  };
}
