import { describe, expect, test } from "bun:test";
import { hooksOf } from "../../../src/config/agent/agent-hooks.ts";
import { loadAgentFile } from "../../../src/config/agent/load-agent.ts";
import { hooksOfAgent } from "../../../src/config/hooks/hook-sources.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { serve } from "../../model/loopback.ts";
import { failure, sourceContext } from "../sources/context.ts";

const hosted = (files: Record<string, string>) =>
  serve(
    (_index, request) =>
      new Response(files[new URL(request.url).pathname] ?? "", {
        status: files[new URL(request.url).pathname] === undefined ? 404 : 200,
      }),
  );

function load(text: string) {
  const cwd = tempDir({ "agent.yaml": text });
  return loadAgentFile("agent.yaml", { cwd, loadExternal: true, sources: sourceContext() });
}

describe("agents of other files", () => {
  test("come with the agents they delegate to, under prefixed names, and without the rest of their file", async () => {
    await using server = hosted({
      "/team.yaml": `
agents:
  root: {model: m, sub_agents: [writer], handoffs: [editor]}
  writer: {model: openai/x, sub_agents: [editor]}
  editor: {model: openai/x, force_handoff: root}
  stranger: {model: openai/x}
models: {m: {provider: openai, model: y}}
`,
    });
    const file = await load(
      `agents: {root: {model: openai/x, sub_agents: ['team:${server.url}/team.yaml', editor]}, editor: {model: openai/x}}`,
    );
    expect(
      file.agents.map(({ name, sub_agents, handoffs, force_handoff }) => [name, sub_agents, handoffs, force_handoff]),
    ).toEqual([
      ["root", ["team", "editor"], undefined, undefined],
      ["editor", undefined, undefined, undefined],
      ["team", ["team.writer"], ["team.editor"], undefined],
      ["team.writer", ["team.editor"], undefined, undefined],
      ["team.editor", undefined, undefined, "team"],
    ]);
    expect(file.agents.find(({ name }) => name === "team")?.origin?.models["m"]).toMatchObject({ model: "y" });
    expect(file.models).toEqual({});
  });

  test("keep their evaluators, whose routes lead to the agents of their file", async () => {
    const files: Record<string, string> = {
      "/team.yaml": `
agents:
  root:
    model: openai/x
    routing: {allowed_agents: [quick, deep], default_agent: quick}
    hooks:
      before_agent_run:
        - {type: evaluator, evaluator: task, routing_policy: {routes: {a: quick, b: deep}, min_probability: 0.5}}
  quick: {model: openai/x}
  deep: {model: openai/x}
evaluators:
  task: {provider: typesafe, model: theirs, type: choice, instructions: i, choices: {a: x, b: y}}
`,
    };
    await using server = hosted(files);
    files["/outer.yaml"] = `agents: {root: {model: openai/x, sub_agents: ['inner:${server.url}/team.yaml']}}\n`;
    const file = await load(`
agents: {root: {model: openai/x, sub_agents: ['team:${server.url}/team.yaml', 'outer:${server.url}/outer.yaml']}}
evaluators: {task: {provider: typesafe, model: ours, type: boolean, instructions: i}}
`);
    const evaluatorOf = async (name: string) => {
      const agent = file.agents.find((one) => one.name === name);
      const hooks = agent && (await hooksOfAgent(hooksOf(file, agent), { entries: [], snapshot: false }));
      return hooks?.find(({ event }) => event === "before_agent_run")?.evaluator;
    };
    expect(await evaluatorOf("team")).toMatchObject({
      definition: { model: "theirs" },
      policy: { routes: { a: "team.quick", b: "team.deep" } },
      defaultAgent: "team.quick",
    });
    expect(await evaluatorOf("outer.inner")).toMatchObject({
      policy: { routes: { a: "outer.inner.quick", b: "outer.inner.deep" } },
      defaultAgent: "outer.inner.quick",
    });
  });

  test("bring the hooks at the top of every file that they come through, the outermost first", async () => {
    const files: Record<string, string> = {
      "/c.yaml": "agents: {root: {model: openai/x, hooks: {stop: []}}}\nhooks: {}\n",
    };
    await using server = hosted(files);
    const [b, c] = [`${server.url}/b.yaml`, `${server.url}/c.yaml`];
    files["/b.yaml"] = `agents: {root: {model: openai/x, handoffs: ['c:${c}']}}\nhooks: {}\n`;
    const file = await load(
      `agents: {root: {model: openai/x, sub_agents: ['b:${b}']}, own: {model: openai/x}}\nhooks: {}\n`,
    );
    const blocks = Object.fromEntries(
      file.agents.map((agent) => [agent.name, hooksOf(file, agent).blocks.map(({ document }) => document.file)]),
    );
    expect(blocks).toEqual({
      root: ["agent.yaml", "agent.yaml"],
      own: ["agent.yaml", "agent.yaml"],
      b: ["agent.yaml", b, b],
      "b.c": ["agent.yaml", b, c, c],
    });
  });

  test("bring their deny and ask rules, but neither allow rules nor their safety mode", async () => {
    await using server = hosted({
      "/x.yaml":
        "agents: {root: {model: openai/x}}\npermissions: {allow: ['*'], ask: [fetch], deny: [shell]}\nruntime: {safety: autonomous}\n",
    });
    const file = await load(
      `agents: {root: {model: openai/x, handoffs: ['${server.url}/x.yaml']}}\npermissions: {allow: [think], deny: [write_file]}\n`,
    );
    expect(file.permissions).toEqual({ allow: ["think"], ask: ["fetch"], deny: ["write_file", "shell"] });
    expect(file.safety).toBeUndefined();
  });

  test("bring their restrictions, enforced or not", async () => {
    await using server = hosted({
      "/x.yaml":
        "agents: {root: {model: openai/x}}\nruntime: {network_allowlist: [a.example]}\nbudget: {max_cost: 1}\n",
    });
    const file = await load(
      `agents: {root: {model: openai/x, handoffs: ['${server.url}/x.yaml']}}\nruntime: {sandbox: true}\n`,
    );
    expect(file.unenforced).toEqual([
      "agent.yaml:2:11: runtime.sandbox: not supported yet: this restriction is not enforced; run hooksh inside a container",
      `${server.url}/x.yaml:2:11: runtime.network_allowlist: not supported yet: this restriction is not enforced; run hooksh inside a container that limits the network`,
    ]);
    expect(file.agents[1]?.origin?.budget).toEqual({ max_cost: 1 });
  });

  test("that are named twice are fetched and counted once", async () => {
    await using server = hosted({ "/x.yaml": "agents: {root: {model: openai/x, toolsets: [{type: shell}]}}" });
    const target = `'${server.url}/x.yaml'`;
    const file = await load(
      `agents: {a: {model: openai/x, sub_agents: [${target}]}, b: {model: openai/x, handoffs: [${target}], force_handoff: ${target}}}`,
    );
    expect(server.seen.length).toBe(1);
    expect(file.agents.map(({ name }) => name)).toEqual(["a", "b", "x"]);
    expect(file.agents[1]?.force_handoff).toBe("x");
    expect(file.filesToTrust).toMatchObject([
      { reference: `${server.url}/x.yaml`, effects: ["agents.root.toolsets[0]: tools shell"] },
    ]);
  });

  test("use the model that --model gives to all agents or to one", async () => {
    await using server = hosted({ "/x.yaml": "agents: {root: {model: openai/x}}" });
    const cwd = tempDir({ "agent.yaml": `agents: {root: {model: openai/x, sub_agents: ['${server.url}/x.yaml']}}` });
    const file = await loadAgentFile("agent.yaml", {
      cwd,
      loadExternal: true,
      sources: sourceContext(),
      modelOverrides: ["openai/all,x=openai/one"],
    });
    expect(file.agents.map(({ name, model }) => [name, model])).toEqual([
      ["root", "openai/all"],
      ["x", "openai/one"],
    ]);
  });

  test("on this machine are rejected if a remote agent refers to them, unless it came from there", async () => {
    await using inside = hosted({ "/x.yaml": "agents: {root: {model: openai/x}}" });
    await using outside = hosted({
      "/evil.yaml": `agents: {root: {model: openai/x, sub_agents: ['${inside.url}/x.yaml']}}`,
    });
    expect(
      await failure(load(`agents: {root: {model: openai/x, sub_agents: ['${outside.url}/evil.yaml']}}`)),
    ).toContain("a remote agent must not refer to this machine");
    expect(inside.seen).toEqual([]);
  });

  test("are not fetched if only the file is checked", async () => {
    const cwd = tempDir({
      "agent.yaml": "agents: {root: {model: openai/x, sub_agents: ['http://127.0.0.1:9/x.yaml']}}",
    });
    const file = await loadAgentFile("agent.yaml", { cwd, sources: sourceContext() });
    expect(file.agents.map(({ name }) => name)).toEqual(["root"]);
  });
});
