/**
 * Runs that are killed anywhere in a conversation and then resumed, against servers that reject what the providers reject:
 * unpaired calls and results, and thinking that is unsigned, out of order or missing.
 */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { type Answer, KEYS, SERVICES, type Served, type Service, type Turn } from "../model/servers/services.ts";

const running: Served[] = [];

afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

const shell = (cmd: string) => ({ name: "shell", input: { cmd } });
/** Runs until the test ends it, even if its parent is killed. */
const WAIT = "echo waited >> ran; touch here; for n in $(seq 600); do test -e release && break; sleep 0.1; done";
const FIRST: Turn = { think: "I look first.", say: "Let me look.", calls: [shell("echo first >> ran")] };

/** The point at which a run is killed: what its model has done by then, and which commands have run. */
interface Flow {
  script: (answers: { half: Answer; hang: Answer; busy: Answer }) => Turn[];
  ran: string[];
}

const FLOWS: Readonly<Record<string, Flow>> = {
  "in the middle of an answer": { script: ({ half }) => [FIRST, half], ran: ["first"] },
  "between a call and its result, in a batch": {
    script: () => [
      FIRST,
      { think: "All three.", calls: [shell("echo second >> ran"), shell(WAIT), shell("echo third >> ran")] },
    ],
    ran: ["first", "second", "waited"],
  },
  "after the result": {
    script: ({ hang }) => [FIRST, { think: "And now?", calls: [shell("echo second >> ran")] }, hang],
    ran: ["first", "second"],
  },
  "in a sub-session": {
    script: () => [
      FIRST,
      {
        think: "The helper can.",
        calls: [{ name: "transfer_task", input: { agent: "helper", task: "wait", expected_output: "nothing" } }],
      },
      { think: "I wait.", calls: [shell(WAIT)] },
    ],
    ran: ["first", "waited"],
  },
  "while it waits to try again": { script: ({ busy }) => [FIRST, busy], ran: ["first"] },
};

describe.each(Object.keys(SERVICES))("%s takes the next request of a run that was killed", (name) => {
  test.each(Object.keys(FLOWS))("%s", async (flowName) => {
    const [service, flow] = [SERVICES[name] as Service, FLOWS[flowName] as Flow];
    const cwd = tempDir();
    const arrive = () => Bun.write(join(cwd, "here"), "");
    const answers = {
      half: () =>
        new Response(
          new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(service.half)) }),
          { headers: { "content-type": "text/event-stream" } },
        ),
      hang: async () => {
        await arrive();
        await Bun.sleep(60_000);
        return new Response();
      },
      busy: async () => {
        await arrive();
        return Response.json(
          { error: { message: "busy", code: 503, status: "UNAVAILABLE" } },
          { status: 503, headers: { "retry-after": "100" } },
        );
      },
    };
    const server = service.serve([
      ...flow.script(answers),
      { think: "On.", say: "Back.", calls: [shell("echo resumed >> ran")] },
      { say: "Done." },
      { say: "Bye." },
    ]);
    running.push(server);
    const agent = { model: "m", description: "Test agent", instruction: "Help.", toolsets: [{ type: "shell" }] };
    await Bun.write(
      join(cwd, "agent.yaml"),
      JSON.stringify({
        agents: { root: { ...agent, sub_agents: ["helper"] }, helper: agent },
        models: { m: { ...service.model, base_url: server.url } },
      }),
    );
    const args = ["run", "agent.yaml", "--yolo", "--session", "s"];

    const child = Bun.spawn([binary(), ...args, "--json", "remember 7"], {
      cwd,
      env: cleanEnv(cwd, KEYS),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    let said = "";
    const reading = (async () => {
      for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk);
    })();
    while (child.exitCode === null && !existsSync(join(cwd, "here")) && !said.includes("Half")) await Bun.sleep(10);
    expect([child.exitCode, server.refused]).toEqual([null, []]);
    child.kill("SIGKILL");
    await child.exited;
    await reading;

    const resumed = await hooksh([...args, "go on"], { cwd, env: KEYS });
    await Bun.write(join(cwd, "release"), "");
    expect([server.refused, resumed.stderr]).toEqual([[], ""]);
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining("Done.") });
    expect(await hooksh([...args, "and?"], { cwd, env: KEYS })).toMatchObject({
      code: 0,
      stdout: "Bye.\n",
      stderr: "",
    });
    expect([server.refused, server.left()]).toEqual([[], 0]);
    expect(readFileSync(join(cwd, "ran"), "utf8").trim().split("\n")).toEqual([...flow.ran, "resumed"]);
    const last = JSON.stringify(server.requests.at(-1));
    for (const text of ["remember 7", "Let me look.", "go on", "Back.", "Done.", "and?"]) expect(last).toContain(text);
    expect(last).not.toContain("Half");
  });
});
