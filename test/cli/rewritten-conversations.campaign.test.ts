/** Conversations that a hook rewrites, sent to servers that reject what the providers reject. */
import { afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { KEYS, SERVICES, type Served, type Service, type Turn } from "../model/servers/services.ts";

const SECRET = ["ghp", "0123456789abcdefghijABCDEFGHIJ012345"].join("_");

const running: Served[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

const shell = (cmd: string) => ({ name: "shell", input: { cmd } });

/** A tool loop of three turns and a second question. */
const LOOP: Turn[] = [
  { think: "I look first.", say: "Let me look.", calls: [shell("echo one"), shell("echo two")] },
  { think: `It is ${SECRET}.`, say: `The key is ${SECRET}.`, calls: [shell(`echo ${SECRET}`)] },
  { calls: [shell("echo three")] },
  { think: "Enough.", say: "Done." },
  { think: "Again.", calls: [shell("echo four")] },
  { say: "Bye." },
];

/** Rewrites of a single message, as the body of a function of it. */
const REWRITES: Readonly<Record<string, string>> = {
  "leaves them alone": "return message",
  "adds a key and writes the others in another order":
    "return Object.fromEntries([...Object.entries(message), ['mark', 1]].reverse())",
  "keeps only what every model knows":
    "const { role, content, tool_calls, tool_call_id } = message; return { role, content, tool_calls, tool_call_id }",
  "takes the thoughts out": "const { reasoning_content, ...rest } = message; return rest",
  "rewrites the thoughts":
    "return message.reasoning_content ? { ...message, reasoning_content: 'New thoughts.' } : message",
  "rewrites the texts":
    "return message.role === 'assistant' && message.content ? { ...message, content: 'New text.' } : message",
  "rewrites the arguments": `return message.tool_calls ? { ...message, tool_calls: message.tool_calls.map((call) => ({ ...call, function: { ...call.function, arguments: '{"cmd":"true"}' } })) } : message`,
  "takes the texts out": "return message.role === 'assistant' ? { ...message, content: '' } : message",
};

/** Rewrites of the whole conversation that separate calls from their results, as the body of a function of it. */
const PARTINGS: Readonly<Record<string, string>> = {
  "keeps the newest messages":
    "return [...messages.filter(({ role }) => role === 'system'), ...messages.filter(({ role }) => role !== 'system').slice(-3)]",
  "takes out the first answer":
    "return messages.filter((message) => message !== messages.find(({ role }) => role === 'assistant'))",
  "takes out the first result":
    "return messages.filter((message) => message !== messages.find(({ role }) => role === 'tool'))",
  "takes out the first of two calls":
    "return messages.map((message) => message.tool_calls?.length === 2 ? { ...message, tool_calls: message.tool_calls.slice(1) } : message)",
};

async function converse(service: Service, hook: object[], redacts: boolean): Promise<Served & { stderr: string }> {
  const server = service.serve(LOOP);
  running.push(server);
  const root = {
    model: "m",
    description: "Test agent",
    instruction: "Help.",
    toolsets: [{ type: "shell" }],
    redact_secrets: redacts,
    hooks: { before_llm_call: hook },
  };
  const cwd = tempDir({
    "agent.yaml": JSON.stringify({ agents: { root }, models: { m: { ...service.model, base_url: server.url } } }),
  });
  const run = (text: string) => hooksh(["run", "agent.yaml", "--yolo", "--session", "s", text], { cwd, env: KEYS });
  const first = await run("go");
  expect([server.refused, first.code]).toEqual([[], 0]);
  const second = await run("and?");
  expect([server.refused, second.code, server.left()]).toEqual([[], 0, 0]);
  expect([first.stdout, second.stdout].map((text) => text.trimEnd().split("\n").at(-1))).toEqual(["Done.", "Bye."]);
  return Object.assign(server, { stderr: first.stderr });
}

/** One provider for each API. */
const KINDS = ["Anthropic", "Gemini", "Responses", "DeepSeek", "Mistral"];

/** A hook that rewrites the conversation with the body of a function of its `messages`. */
function rewriting(body: string): object[] {
  const script = join(
    tempDir({
      "hook.ts": `export default ({ messages }) => {
        const change = () => { ${body} };
        return { hook_specific_output: { hook_event_name: "before_llm_call", updated_messages: change() } };
      };`,
    }),
    "hook.ts",
  );
  return [{ type: "builtin", command: script }];
}

describe.each(KINDS)("%s accepts every request when a hook", (name) => {
  test.each(Object.keys(REWRITES))("%s", async (rewrite) => {
    await converse(
      SERVICES[name] as Service,
      rewriting(`return messages.map((message) => { ${REWRITES[rewrite] ?? ""} })`),
      false,
    );
  });

  test.each(Object.keys(PARTINGS))("%s", async (parting) => {
    const { stderr } = await converse(SERVICES[name] as Service, rewriting(PARTINGS[parting] ?? ""), false);
    expect(stderr.match(/before_llm_call hooks left tool calls without their results/g)).toHaveLength(1);
  });
});

test.each(Object.keys(SERVICES))(
  "%s gets no secret from thinking, a text or a call, and accepts every request",
  async (name) => {
    const server = await converse(SERVICES[name] as Service, [], true);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
    expect(JSON.stringify(server.requests.at(-1))).toContain("The key is [REDACTED].");
  },
);
