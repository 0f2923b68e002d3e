/** One reply of the scripted model: a thought, text and tool calls, or a raw response. */
export type Step =
  | {
      thought?: string;
      text?: string;
      calls?: { id?: string; name: string; arguments: unknown }[];
      usage?: { prompt: number; completion: number };
      /** Called when the step is requested; the answer waits for it. */
      before?: () => Promise<void>;
    }
  | (() => Response | Promise<Response>);

/** A server on loopback that speaks Chat Completions and answers from a script; an unexpected call gets a 400. */
export interface FakeOpenAI {
  url: string;
  /** The bodies of the requests it has seen. */
  requests: {
    messages: { role: string; content: string; tool_call_id?: string }[];
    tools?: { function: { name: string } }[];
  }[];
  /** Steps that were not requested. */
  left(): number;
  stop(): void;
}

/** Starts the server. Stop it when the test is done. */
export function fakeOpenAI(script: readonly Step[]): FakeOpenAI {
  const requests: FakeOpenAI["requests"] = [];
  let next = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (request.method === "GET") return new Response("no list of models", { status: 404 });
      requests.push((await request.json()) as FakeOpenAI["requests"][number]);
      const step = script[next++];
      if (step === undefined)
        return Response.json({ error: { message: "the script has no further step" } }, { status: 400 });
      if (typeof step === "function") return step();
      const turn = next;
      await step.before?.();
      return new Response(streamOf(step, turn), { headers: { "content-type": "text/event-stream" } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    left: () => script.length - next,
    stop: () => void server.stop(true),
  };
}

function streamOf(step: Exclude<Step, () => unknown>, turn: number): string {
  const base = { id: `chatcmpl-${turn}`, object: "chat.completion.chunk", created: 1, model: "fake" };
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const calls = (step.calls ?? []).map((call, index) => ({
    index,
    id: call.id ?? `call_${turn}_${index}`,
    type: "function",
    function: {
      name: call.name,
      arguments: typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const usage = {
    prompt_tokens: step.usage?.prompt ?? 10,
    completion_tokens: step.usage?.completion ?? 5,
    total_tokens: 15,
  };
  return [
    chunk({ role: "assistant", content: "" }),
    ...(step.thought ? [chunk({ reasoning_content: step.thought })] : []),
    ...(step.text ? step.text.split(/(?<= )/).map((content) => chunk({ content })) : []),
    ...calls.map((call) => chunk({ tool_calls: [call] })),
    chunk({}, calls.length > 0 ? "tool_calls" : "stop"),
    `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`,
    "data: [DONE]\n\n",
  ].join("");
}

/** An agent file for the server: one agent with a shell, and whatever keys are added. */
export function agentFor(server: { url: string }, keys: Record<string, unknown> = {}): string {
  return JSON.stringify({
    agents: {
      root: {
        model: "fake/model",
        description: "Test agent",
        instruction: "Help.",
        redact_secrets: false,
        toolsets: [{ type: "shell" }],
        ...keys,
      },
    },
    providers: { fake: { base_url: server.url } },
  });
}
