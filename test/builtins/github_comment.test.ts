import { afterEach, describe, expect, test } from "bun:test";
import { run } from "../../builtins/github_comment.ts";
import type { Env } from "../../src/lib/env.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { hooksh } from "../helpers/binary.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";
import { ENDLESS, endless } from "../helpers/endless.ts";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const TOKEN = ["gh", "s_", "a1B2c3D4e5F6g7H8i9J0"].join("");

interface Comment {
  id: number;
  body: string;
}

/** GitHub's API as far as comments go, with those of every issue under its path. */
interface GitHub {
  url: string;
  comments: Map<string, Comment[]>;
  /** Method, path and query, in order. */
  asked: string[];
  authorizations: Set<string | null>;
  /** Answers everything with a status instead. */
  fail?: number;
}

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function startGitHub(): GitHub {
  const github: GitHub = { url: "", comments: new Map(), asked: [], authorizations: new Set() };
  let next = 1000;
  const answer = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    github.asked.push(`${request.method} ${url.pathname}${url.search}`);
    github.authorizations.add(request.headers.get("authorization"));
    if (github.fail !== undefined) return Response.json({ message: `no such luck, ${TOKEN}` }, { status: github.fail });
    const [, one] = /^\/api\/v3\/repos\/o\/r\/issues\/comments\/(\d+)$/.exec(url.pathname) ?? [];
    if (one !== undefined && request.method === "PATCH") {
      const found = [...github.comments.values()].flat().find(({ id }) => id === Number(one));
      if (!found) return Response.json({ message: "Not Found" }, { status: 404 });
      found.body = ((await request.json()) as Comment).body;
      return Response.json(found);
    }
    const list = github.comments.get(url.pathname) ?? [];
    github.comments.set(url.pathname, list);
    if (request.method === "POST") {
      list.push({ id: next++, body: ((await request.json()) as Comment).body });
      return Response.json(list.at(-1), { status: 201 });
    }
    const page = Number(url.searchParams.get("page") ?? 1);
    const last = Math.ceil(list.length / 100);
    const link = page < last ? `<${github.url}${url.pathname.slice(7)}?per_page=100&page=${page + 1}>; rel="next"` : "";
    return Response.json(list.slice((page - 1) * 100, page * 100), { headers: link ? { link } : {} });
  };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  stops.push(() => server.stop(true));
  github.url = `http://127.0.0.1:${server.port}/api/v3`;
  return github;
}

let sessions = 0;

/** A session with the builtin in it, in a workflow run for pull request 12 of o/r. */
function startSession(
  github: GitHub,
  {
    env = {},
    args = [],
    event = { pull_request: { number: 12 } },
  }: {
    env?: Env;
    args?: string[];
    event?: unknown;
  } = {},
) {
  const session_id = `session-${++sessions}`;
  const directory = tempDir({ "event.json": JSON.stringify(event) });
  const workflow = {
    GITHUB_API_URL: github.url,
    GITHUB_REPOSITORY: "o/r",
    GITHUB_EVENT_PATH: `${directory}/event.json`,
    GITHUB_TOKEN: TOKEN,
    GH_TOKEN: "",
    GITHUB_RUN_ID: "77",
    GITHUB_SERVER_URL: "https://github.com",
    ...env,
  };
  const tell = async (
    hook_event_name: BuiltinInput["hook_event_name"],
    input: Partial<BuiltinInput> = {},
    id = session_id,
  ) =>
    (await callBuiltin(run, { hook_event_name, session_id: id, agent_name: "root", ...input }, args, { env: workflow }))
      .output;
  return { session_id, tell };
}

const path = (number = 12) => `/api/v3/repos/o/r/issues/${number}/comments`;
const bodies = (github: GitHub, number = 12) => (github.comments.get(path(number)) ?? []).map(({ body }) => body);

describe("github_comment", () => {
  test("creates one comment and updates it, also from a new process", async () => {
    const github = startGitHub();
    const { tell, session_id } = startSession(github);
    expect(
      await tell("on_tool_approval_decision", {
        tool_name: "shell",
        approval_decision: "deny",
        approval_source: "hook_denied",
      }),
    ).toBeUndefined();
    expect(await tell("after_llm_call", { cost: 0.01 })).toBeUndefined();
    expect(github.asked).toEqual([]);
    expect(await tell("stop")).toBeUndefined();
    expect(bodies(github)).toEqual([
      [
        `<!-- hooksh session=${session_id} -->`,
        "**hooksh**: answered",
        "",
        "- Agent: `root`",
        "- Cost: $0.0100",
        "- Tool calls denied: 1",
        "  - `shell` by `hook_denied`",
        "",
        "[Workflow run](https://github.com/o/r/actions/runs/77)",
      ].join("\n"),
    ]);

    await tell("after_llm_call", { cost: 0.02 });
    await tell("on_tool_approval_decision", {
      tool_name: "shell",
      approval_decision: "deny",
      approval_source: "hook_denied",
    });
    await tell("on_tool_approval_decision", {
      tool_name: "read_file",
      approval_decision: "allow",
      approval_source: "yolo",
    });
    expect(await tell("session_end", { reason: "other" })).toBeUndefined();
    expect(bodies(github)).toHaveLength(1);
    expect(bodies(github)[0]).toContain(
      "**hooksh**: finished\n\n- Agent: `root`\n- Cost: $0.0300\n- Tool calls denied: 2\n  - `shell` by `hook_denied`, 2 times\n",
    );

    // The end of a session is the end of what is remembered: this is what a later process sees.
    await tell("stop");
    expect(bodies(github)).toHaveLength(1);
    expect(bodies(github)[0]).toContain("**hooksh**: answered\n\n- Agent: `root`\n- Tool calls denied: 0\n");
    expect(github.asked.filter((line) => line.startsWith("POST"))).toHaveLength(1);
    expect([...github.authorizations]).toEqual([`token ${TOKEN}`]);
  });

  test("leaves the comments of others and of other sessions alone, however many there are", async () => {
    const github = startGitHub();
    const { tell, session_id } = startSession(github);
    const others = Array.from({ length: 250 }, (_, id) => ({
      id,
      body: `see <!-- hooksh session=${session_id} --> ${id}`,
    }));
    const own = { id: 900, body: `<!-- hooksh session=${session_id} -->\nan older state` };
    github.comments.set(path(), [...others, { id: 899, body: "<!-- hooksh session=another -->" }, own]);
    await tell("stop");
    expect(bodies(github)).toHaveLength(252);
    expect(own.body).toContain("answered");
    expect(others.every(({ body }) => body.startsWith("see"))).toBe(true);
    expect(github.asked.map((line) => line.split(" ")[0])).toEqual(["GET", "GET", "GET", "PATCH"]);
  });

  test("makes one comment when several events come at once", async () => {
    const github = startGitHub();
    const { tell } = startSession(github);
    await Promise.all([
      tell("notification", { notification_level: "error", notification_message: "m" }),
      tell("on_error", { notification_message: "m" }),
      tell("stop"),
    ]);
    expect(bodies(github)).toHaveLength(1);
  });

  test("makes no request if there is nothing new to post", async () => {
    const github = startGitHub();
    const { tell } = startSession(github);
    await tell("stop");
    const before = github.asked.length;
    await tell("stop");
    expect(github.asked.length).toBe(before);
  });

  test("writes a new comment when its own was deleted", async () => {
    const github = startGitHub();
    const { tell } = startSession(github);
    await tell("stop");
    github.comments.set(path(), []);
    await tell("on_error", { notification_message: "too late" });
    expect(bodies(github)).toEqual([expect.stringContaining("failed")]);
  });

  test("reports errors and warnings, each once, and stays failed at the end", async () => {
    const github = startGitHub();
    const { tell } = startSession(github);
    await tell("notification", { notification_level: "warning", notification_message: "careful" });
    expect(bodies(github)[0]).toContain("**hooksh**: working");
    const error = { notification_level: "error", notification_message: "the model has stopped" } as const;
    await tell("notification", error);
    await tell("on_error", error);
    await tell("session_end");
    const [body = ""] = bodies(github);
    expect(body).toContain("**hooksh**: failed");
    expect(body).toContain("```text\ncareful\n```");
    expect(body.split("the model has stopped")).toHaveLength(2);
  });
});

test("the executable writes it too", async () => {
  const github = startGitHub();
  const cwd = tempDir({
    "hooks.yaml": JSON.stringify({ stop: [{ type: "builtin", command: "github_comment", args: ["o/r#3"] }] }),
  });
  const env = { GITHUB_API_URL: github.url, GITHUB_TOKEN: TOKEN };
  const input = JSON.stringify({ hook_event_name: "stop", session_id: "s" });
  const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], { cwd, env, input });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(bodies(github, 3)).toEqual([expect.stringContaining("<!-- hooksh session=s -->\n**hooksh**: answered")]);
});

test("a run of the executable tells what was denied and what it cost, in one comment", async () => {
  const github = startGitHub();
  const server = fakeOpenAI([
    { calls: [{ name: "shell", arguments: { cmd: "echo hidden" } }] },
    { text: "I may not." },
  ]);
  stops.push(server.stop);
  const comment = [{ type: "builtin", command: "github_comment", args: ["o/r#4"] }];
  const hooks = {
    pre_tool_use: [{ hooks: [{ type: "command", command: "echo never; exit 2" }] }],
    ...Object.fromEntries(
      ["on_tool_approval_decision", "after_llm_call", "stop", "session_end"].map((event) => [event, comment]),
    ),
  };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
  const env = { GITHUB_API_URL: github.url, GITHUB_TOKEN: TOKEN };
  const ran = await hooksh(["run", "agent.yaml", "--yolo", "Try it."], { cwd, env });
  expect(ran).toMatchObject({ code: 0 });
  expect(ran.stdout).toContain("I may not.");
  expect(bodies(github, 4)).toEqual([
    expect.stringContaining("**hooksh**: finished\n\n- Agent: `root`\n- Tool calls denied: 1\n  - `shell` by `"),
  ]);
  expect(bodies(github, 4)[0]).not.toContain("hidden");
  expect(github.asked.filter((line) => !line.startsWith("GET")).map((line) => line.split(" ")[0])).toEqual([
    "POST",
    "PATCH",
  ]);
});

describe("the comment is written on", () => {
  test.each([
    ["args say", { args: ["o/r#5"], event: {} }, 5],
    ["an event about an issue came from", { event: { issue: { number: 6 } } }, 6],
    ["an event with a number came from", { event: { number: 7 } }, 7],
    ["args say, whatever the event", { args: ["o/r#8"], event: { pull_request: { number: 12 } } }, 8],
  ])("%s", async (_name, setting, number) => {
    const github = startGitHub();
    await startSession(github, setting).tell("stop");
    expect([...github.comments.keys()]).toEqual([path(number)]);
    expect(bodies(github, number)).toHaveLength(1);
  });
});

describe("texts that no comment contains", () => {
  test("secrets, by shape or because the environment holds them, and what only looks like Markdown of ours", async () => {
    const github = startGitHub();
    const odd = "a phrase without the shape of a key";
    const another = ["gh", "p_", "Z9y8X7w6V5u4T3s2R1q0Z9y8X7w6V5u4T3s2"].join("");
    const { tell } = startSession(github, { env: { MY_API_KEY: odd, OTHER_TOKEN: "abc" } });
    await tell("on_tool_approval_decision", {
      tool_name: "shell`\n@everyone",
      tool_input: { cmd: "echo the argument" },
      approval_decision: "deny",
      approval_source: "hook_denied",
    });
    await tell("on_error", {
      notification_message: `cannot use ${TOKEN} or ${odd} or ${another}: \`\`\`\n<!-- hooksh session=x -->\u001b[31m abc`,
    });
    const [body = ""] = bodies(github);
    expect(body).not.toContain(TOKEN);
    expect(body).not.toContain(odd);
    expect(body).not.toContain("the argument");
    expect(body).toContain(
      "cannot use [REDACTED] or [REDACTED] or [REDACTED]: '''\n<!-- hooksh session=x -->[31m abc\n```",
    );
    expect(body).toContain("  - `shell' @everyone` by `hook_denied`");
    expect(body.match(/^```/gm)).toHaveLength(2);
  });

  test("the end of a secret that begins like a shorter one", async () => {
    const github = startGitHub();
    const short = "correct horse";
    const long = `${short} battery staple`;
    const { tell } = startSession(github, { env: { A_TOKEN: short, B_TOKEN: long, C_TOKEN: "horse battery" } });
    await tell("on_error", { notification_message: `cannot use ${long} or ${short}` });
    expect(bodies(github)[0]).toContain("cannot use [REDACTED] or [REDACTED]\n");
  });

  test("more than the beginning of a long error, and more than fifty kinds of denied calls", async () => {
    const github = startGitHub();
    const { tell } = startSession(github);
    for (let at = 0; at < 60; at++)
      await tell("on_tool_approval_decision", {
        tool_name: `tool_${at}`,
        approval_decision: "deny",
        approval_source: "rule",
      });
    await tell("on_error", { notification_message: "x".repeat(10_000) });
    const [body = ""] = bodies(github);
    expect(body).toContain(`${"x".repeat(500)}...`);
    expect(body).not.toContain("x".repeat(501));
    expect(body.split("` by `")).toHaveLength(51);
  });
});

describe("a failure is reported once, and blocks nothing:", () => {
  const cases: [string, Parameters<typeof startSession>[1], string][] = [
    ["no token", { env: { GITHUB_TOKEN: "" } }, "neither GITHUB_TOKEN nor GH_TOKEN is set"],
    [
      "no workflow",
      { env: { GITHUB_REPOSITORY: "" } },
      "not in a GitHub workflow (GITHUB_REPOSITORY is not set): name owner/repo#number in args",
    ],
    [
      "an event about neither",
      { event: { ref: "refs/heads/main" } },
      "the workflow's event concerns neither an issue nor a pull request",
    ],
    [
      "no event",
      { env: { GITHUB_EVENT_PATH: "/nowhere" } },
      "the workflow's event concerns neither an issue nor a pull request",
    ],
    ["an argument that names nothing", { args: ["o/r/12"] }, '"o/r/12" is not owner/repo#number'],
    ["an argument that leads elsewhere", { args: ["../x#1"] }, '"../x#1" is not owner/repo#number'],
    ["another that does", { args: ["x/..#1"] }, '"x/..#1" is not owner/repo#number'],
    ["no server", { env: { GITHUB_API_URL: "http://127.0.0.1:9" } }, "o/r#12: 127.0.0.1:9: connection refused"],
  ];

  test.each(cases)("%s", async (_name, setting, message) => {
    const github = startGitHub();
    const { tell } = startSession(github, setting);
    expect(await tell("stop")).toEqual({ system_message: `github_comment: ${message}` });
    expect(await tell("stop")).toBeUndefined();
    expect(github.asked).toEqual([]);
  });

  test.each([401, 403, 404, 422, 500])("status %d", async (status) => {
    const github = startGitHub();
    github.fail = status;
    const { tell } = startSession(github);
    const output = await tell("stop");
    expect(output).toEqual({ system_message: expect.stringMatching(/^github_comment: o\/r#12: .*no such luck/) });
    expect(JSON.stringify(output)).not.toContain(TOKEN);
    github.fail = undefined as never;
    expect(await tell("session_end")).toBeUndefined();
    expect(bodies(github)).toHaveLength(1);
  });

  test.each(ENDLESS)("a response without end is abandoned and reported: %s", async (how) => {
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => endless("[", how, { type: "application/json" }),
    });
    stops.push(() => server.stop(true));
    const { tell } = startSession(startGitHub(), { env: { GITHUB_API_URL: `http://127.0.0.1:${server.port}` } });
    expect((await tell("stop"))?.system_message).toContain("the answer is larger than");
  });

  test("a token never follows a redirect to another host", async () => {
    const github = startGitHub();
    const seen: (string | null)[] = [];
    const elsewhere = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => (seen.push(request.headers.get("authorization")), Response.json([])),
    });
    const entrance = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => Response.redirect(elsewhere.url.href, 307),
    });
    stops.push(
      () => elsewhere.stop(true),
      () => entrance.stop(true),
    );
    const { tell } = startSession(github, { env: { GITHUB_API_URL: `http://127.0.0.1:${entrance.port}` } });
    await tell("stop");
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((authorization) => authorization === null)).toBe(true);
  });
});
