import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DialectName } from "../../src/dialects/names.ts";
import { HOST_SAMPLES } from "../dialects/host-samples.ts";
import { hooksh } from "../helpers/binary.ts";
import { RECORDED_AGENTS, RECORDINGS } from "../helpers/recordings.ts";
import { tempDir } from "../helpers/temp-dir.ts";

type Json = Record<string, unknown>;

const hook = (name: string, script: string) => ({ name, type: "command", command: script });
const onShell = (...hooks: object[]) => JSON.stringify({ pre_tool_use: [{ matcher: "shell", hooks }] });
const deny = (name: string, pattern: string, reason: string) =>
  hook(name, `grep -q '${pattern}' && { echo '${reason}' >&2; exit 2; }; exit 0`);

const OLD = onShell(deny("no-force", "push --force", "push to a branch"));
const NEW = onShell(deny("no-rm", "rm -rf", "never remove"));

const shell = (cmd: string, fields: Json = {}): Json => ({
  hook_event_name: "pre_tool_use",
  session_id: "session-0001",
  tool_name: "shell",
  tool_input: { cmd },
  ...fields,
});

const jsonl = (...values: unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
const recorded = (event: Json, verdict: Json = { decision: "none" }) => ({ event, verdict });

async function record(cwd: string, events: readonly Json[], args: readonly string[] = [], env = {}) {
  const input = jsonl(...events);
  return hooksh(["dispatch", "--hooks-file", "old.yaml", "--record-events", "kept", ...args], { cwd, input, env });
}

const replay = (cwd: string, args: readonly string[], env = {}) => hooksh(["replay", ...args], { cwd, env });

describe("hooksh replay", () => {
  const events = [shell("git push --force"), shell("ls"), shell("rm -rf /")];

  test("finds no change under the same hooks, and exits 0", async () => {
    const cwd = tempDir({ "old.yaml": OLD });
    await record(cwd, events);
    expect(await replay(cwd, ["kept", "--hooks-file", "old.yaml"])).toMatchObject({
      code: 0,
      stdout: "3 events: no verdict changed\n",
      stderr: "",
    });
  });

  test("prints each verdict that changes, the weaker ones first, and exits 1", async () => {
    const cwd = tempDir({ "old.yaml": OLD, "new.yaml": NEW });
    await record(cwd, [shell("rm -rf /"), shell("git push --force"), shell("ls")]);
    expect(await replay(cwd, ["kept", "--against", "new.yaml"])).toMatchObject({
      code: 1,
      stdout: `kept/session-0001.jsonl:2: WEAKER: pre_tool_use shell: git push --force
  old: deny by no-force: push to a branch
  new: none
kept/session-0001.jsonl:1: stricter: pre_tool_use shell: rm -rf /
  old: none
  new: deny by no-rm: never remove

3 events: 2 changed (none -> deny: 1, deny -> none: 1); 1 verdict weaker
`,
      stderr: "",
    });
  });

  test("prints changed rewrites as a diff", async () => {
    const rewrite = (cmd: string) =>
      hook("sandbox", `echo '{"hook_specific_output":{"updated_input":{"cmd":"${cmd}"}}}'`);
    const cwd = tempDir({
      "old.yaml": onShell(rewrite("nice ls")),
      "new.yaml": onShell(rewrite("sandbox ls")),
      "none.yaml": NEW,
    });
    await record(cwd, [shell("ls", { tool_input: { cmd: "ls", cwd: "." } })]);
    const verdict = (JSON.parse(readFileSync(join(cwd, "kept/session-0001.jsonl"), "utf8")) as Json)["verdict"];
    expect(verdict).toEqual({ decision: "none", input: { cmd: "nice ls", cwd: "." } });
    expect(await replay(cwd, ["kept", "--against", "new.yaml"])).toMatchObject({
      code: 1,
      stdout: `kept/session-0001.jsonl:1: changed: pre_tool_use shell: ls
  old: none
  new: none
  input:
   {
  -  "cmd": "nice ls",
  +  "cmd": "sandbox ls",
     "cwd": "."
   }

1 event: 1 changed (none -> none: 1)
`,
    });
    const lost = await replay(cwd, ["kept", "--against", "none.yaml", "--fail-on", "weaker"]);
    expect(lost.code).toBe(1);
    expect(lost.stdout).toContain("WEAKER");
  });

  test("--fail-on weaker exits 0 if verdicts only became stricter", async () => {
    const cwd = tempDir({
      "old.yaml": OLD,
      "both.yaml": onShell(deny("a", "push --force", "no"), deny("b", "rm", "no")),
    });
    await record(cwd, events);
    const args = ["kept", "--against", "both.yaml"];
    expect((await replay(cwd, args)).code).toBe(1);
    expect((await replay(cwd, [...args, "--fail-on", "weaker"])).code).toBe(0);
  });

  test("--json prints the counts and every change", async () => {
    const cwd = tempDir({ "old.yaml": OLD, "new.yaml": NEW });
    await record(cwd, events);
    const ran = await replay(cwd, ["kept", "--against", "new.yaml", "--json"]);
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout)).toEqual({
      events: 3,
      problems: [],
      unjudged: [],
      omitted: [],
      counts: { "deny -> none": 1, "none -> deny": 1 },
      changes: [
        {
          file: "kept/session-0001.jsonl",
          line: 1,
          event: "pre_tool_use",
          tool: "shell",
          call: "git push --force",
          kind: "weaker",
          before: { decision: "deny", reason: "push to a branch", by: ["no-force"] },
          after: { decision: "none" },
          parts: [],
        },
        expect.objectContaining({ line: 3, kind: "stricter" }),
      ],
    });
  });

  test("--baseline judges the old side anew, so that plain payloads can be compared", async () => {
    const cwd = tempDir({ "old.yaml": OLD, "new.yaml": NEW, "plain.jsonl": jsonl(...events) });
    const ran = await replay(cwd, ["plain.jsonl", "--baseline", "old.yaml", "--against", "new.yaml"]);
    expect(ran.stdout).toContain("3 events: 2 changed (deny -> none: 1, none -> deny: 1); 1 verdict weaker");
    expect(await replay(cwd, ["plain.jsonl", "--against", "new.yaml"])).toMatchObject({
      code: 1,
      stderr: "no event has a recorded verdict: name the old hooks with --baseline FILE\n",
    });
  });

  test("prints to standard output although the user's own hooks of both sides print there", async () => {
    const own =
      'import { writeSync } from "node:fs"; import { defineBuiltin } from "hooksh"; export default defineBuiltin(() => void writeSync(1, "noise\\n"));';
    const hooks = onShell({ type: "builtin", command: "./own.ts" });
    const cwd = tempDir({ "own.ts": own, "hooks.yaml": hooks, "plain.jsonl": jsonl(...events) });
    expect(await replay(cwd, ["plain.jsonl", "--baseline", "hooks.yaml", "--against", "hooks.yaml"])).toMatchObject({
      code: 0,
      stdout: "3 events: no verdict changed\n",
      stderr: "noise\n".repeat(6),
    });
  });

  test("--texts also compares reasons", async () => {
    const cwd = tempDir({ "old.yaml": OLD, "new.yaml": onShell(deny("no-force", "push --force", "other words")) });
    await record(cwd, events);
    expect((await replay(cwd, ["kept", "--against", "new.yaml"])).code).toBe(0);
    const ran = await replay(cwd, ["kept", "--against", "new.yaml", "--texts"]);
    expect(ran).toMatchObject({ code: 1, stdout: expect.stringContaining("new: deny by no-force: other words") });
  });

  test("judges with the hooks of an agent file, by name or with --against", async () => {
    const agent = { agents: { root: { model: "openai/x", instruction: "", hooks: JSON.parse(OLD) } } };
    const cwd = tempDir({ "old.yaml": OLD, "agent.yaml": JSON.stringify(agent) });
    await record(cwd, events);
    for (const args of [["agent.yaml"], ["--against", "agent.yaml"]])
      expect(await replay(cwd, ["kept", ...args])).toMatchObject({ code: 0, stderr: "" });
  });

  test("runs hooks with HOOKSH_REPLAY, where it is called, on events that name places of this machine", async () => {
    const look = hook("look", `{ cat; echo; pwd; echo "$HOOKSH_REPLAY"; } >> seen.txt`);
    const cwd = tempDir({ "old.yaml": NEW, "look.yaml": onShell(look) });
    const home = join(cwd, "people/marigold");
    mkdirSync(join(home, "shop"), { recursive: true });
    await record(cwd, [shell(`cat ${home}/.ssh/id ${home}/shop/a`, { cwd: `${home}/shop` })], [], { HOME: home });
    const there = tempDir({ "look.yaml": onShell(look) });
    const ran = await replay(there, [join(cwd, "kept"), "--against", "look.yaml"], { HOME: "/elsewhere/eve" });
    expect(ran.code).toBe(0);
    const [event = "", directory, variable] = readFileSync(join(there, "seen.txt"), "utf8").trim().split(/\n+/);
    expect(JSON.parse(event)).toMatchObject({
      cwd: there,
      tool_input: { cmd: `cat /elsewhere/eve/.ssh/id ${there}/a` },
      session_id: expect.stringMatching(/^[0-9a-f]{8}-/),
    });
    expect([directory, variable]).toEqual([there, "1"]);
  });

  test("a session that started in any directory names places that exist here", async () => {
    const places = [
      ["/home/user", "/home/user"],
      ["/home", "/home"],
      ["/", "/"],
      ["/tmp", "/tmp"],
      ["/workspace/", "HERE/"],
      ["/workspace", "HERE"],
    ] as const;
    const dir = tempDir({ "look.yaml": onShell(hook("look", "{ cat; echo; } >> seen.txt")) });
    const files = places.map(([cwd], at) => {
      const event = shell(`ls ${cwd} /tmp/a /home/other /usr`, { cwd });
      writeFileSync(join(dir, `${at}.jsonl`), jsonl(recorded(event)));
      return `${at}.jsonl`;
    });
    expect((await replay(dir, [...files, "--against", "look.yaml"], { HOME: "/home/user" })).code).toBe(0);
    const seen = readFileSync(join(dir, "seen.txt"), "utf8").trim().split(/\n+/);
    expect(seen.map((line) => JSON.parse(line))).toMatchObject(
      places.map(([, expected]) => {
        const here = expected.replace("HERE", dir);
        return { cwd: here, tool_input: { cmd: `ls ${here} /tmp/a /home/other /usr` } };
      }),
    );
  });

  test("names of files and texts of events cannot control the terminal", async () => {
    const name = "kept/\u001b[31mred.jsonl";
    const cwd = tempDir({ "new.yaml": NEW, [name]: jsonl(recorded(shell("rm -rf /\u001b[2J"))) });
    const ran = await replay(cwd, ["kept", "--against", "new.yaml"]);
    expect(ran.stdout).toStartWith("kept/\\x1b[31mred.jsonl:1: stricter: pre_tool_use shell: rm -rf /\\x1b[2J\n");
  });

  test("what hooks say about places of this machine compares equal to the recording", async () => {
    const say = hook(
      "say",
      `jq -c '{hook_specific_output: {updated_input: {cmd: ("cd " + .cwd + " && " + .tool_input.cmd)}}}'`,
    );
    const cwd = tempDir({ "old.yaml": onShell(say) });
    const home = join(cwd, "people/marigold");
    mkdirSync(join(home, "shop"), { recursive: true });
    await record(cwd, [shell(`ls ${home}`, { cwd: `${home}/shop` })], [], { HOME: home });
    const kept = readFileSync(join(cwd, "kept/session-0001.jsonl"), "utf8");
    expect(kept).toContain("cd /home/user/shop && ls /home/user");
    expect(
      await replay(cwd, ["kept", "--hooks-file", "old.yaml", "--texts"], { HOME: "/elsewhere/eve" }),
    ).toMatchObject({
      code: 0,
      stdout: "1 event: no verdict changed\n",
    });
  });

  test("a redaction is compared without its secrets, in a recording and in a plain payload", async () => {
    const nice = hook("nice", `jq -c '{hook_specific_output: {updated_input: {cmd: ("nice " + .tool_input.cmd)}}}'`);
    const hooks = [
      { type: "builtin", command: "redact_secrets" },
      { ...nice, rewrite: true },
    ];
    const redact = JSON.stringify({ pre_tool_use: [{ hooks }] });
    const event = shell("login ghp_0123456789abcdefghijABCDEFGHIJ012345");
    const cwd = tempDir({ "old.yaml": redact, "new.yaml": NEW, "plain.jsonl": jsonl(event) });
    await record(cwd, [event]);
    // The redaction has nothing to do in the replay: the mark in the recording has a kind and a tag, its own has not.
    expect(readFileSync(join(cwd, "kept/session-0001.jsonl"), "utf8")).toContain('"nice login [REDACTED]"');
    expect(await replay(cwd, ["kept", "--hooks-file", "old.yaml"])).toMatchObject({ code: 0 });
    const ran = await replay(cwd, ["plain.jsonl", "--baseline", "old.yaml", "--against", "new.yaml"]);
    expect(ran.stdout).toContain('  -  "cmd": "nice login [REDACTED]"');
    expect(ran.stdout).toContain("WEAKER");
  });

  test("the events of a session run in order and share what builtins and hooks remember", async () => {
    const folder = tempDir();
    const count = `s=$(jq -r .session_id); echo x >> "${folder}/$s"; test $(wc -l < "${folder}/$s") -lt 3`;
    const remember = [hook("count", count)];
    const failing = remember.map((each) => ({ ...each, on_error: "block" }));
    const cwd = tempDir({ "old.yaml": onShell(...failing) });
    const seen = join(folder, "session-0001");
    await record(cwd, [shell("a"), shell("b"), shell("c")]);
    expect(existsSync(seen)).toBe(true);
    const verdicts = readFileSync(join(cwd, "kept/session-0001.jsonl"), "utf8").match(/"decision":"\w+"/g);
    expect(verdicts).toEqual(['"decision":"none"', '"decision":"none"', '"decision":"deny"']);
    for (let again = 0; again < 2; again++)
      expect(await replay(cwd, ["kept", "--hooks-file", "old.yaml"])).toMatchObject({ code: 0 });
    expect(readFileSync(seen, "utf8")).toBe("x\nx\nx\n");
  });

  test("replays one file after another, or several at the same time with --jobs", async () => {
    // Each run waits until another one has started, so one at a time never gets past it.
    const meet =
      'touch "met.$$"; for i in 1 2 3 4 5 6; do [ $(ls met.* | wc -l) -ge 2 ] && exit 0; sleep 0.5; done; exit 2';
    const files = { "kept/a.jsonl": jsonl(recorded(shell("a"))), "kept/b.jsonl": jsonl(recorded(shell("b"))) };
    const cwd = tempDir({ ...files, "old.yaml": onShell(hook("meet", meet)) });
    expect((await replay(cwd, ["kept/a.jsonl", "kept/b.jsonl", "--hooks-file", "old.yaml"])).stdout).toContain(
      "1 changed",
    );
    Bun.spawnSync(["sh", "-c", "rm met.*"], { cwd });
    expect(await replay(cwd, ["kept", "--jobs", "2", "--hooks-file", "old.yaml"])).toMatchObject({ code: 0 });
  });

  test("writes neither to the audit log nor to a recording", async () => {
    const cwd = tempDir({ "old.yaml": OLD, "kept/a.jsonl": jsonl(recorded(shell("ls"))), data: "" });
    mkdirSync(join(cwd, "d"));
    await replay(cwd, ["kept", "--hooks-file", "old.yaml", "--data-dir", "d"]);
    expect(readdirSync(join(cwd, "d"))).toEqual([]);
  });
});

describe("what cannot be replayed", () => {
  const good = recorded(shell("ls"));

  const BROKEN: [name: string, line: string, message: RegExp][] = [
    ["a line that is cut off", '{"event":{"hook_event', /:2:11: not JSON: /],
    ["a line that is no object", "7", /:2:1: expected a JSON object/],
    ["a repeated key", '{"event":{"a":1,"a":2},"verdict":{"decision":"none"}}', /:2:17: repeats the key "a"/],
    ["an unknown dialect", '{"event":{},"dialect":"cluade"}', /:2:1: unknown dialect "cluade", did you mean claude\?/],
    [
      "an unknown decision",
      '{"event":{},"verdict":{"decision":"denied"}}',
      /:2:1: verdict\.decision must be one of none, allow, ask, deny, block, not "denied"/,
    ],
    [
      "an unknown part of a verdict",
      '{"event":{},"verdict":{"decision":"deny","bye":[]}}',
      /:2:1: verdict has an unknown key "bye"/,
    ],
    [
      "a reason that is no text",
      '{"event":{},"verdict":{"decision":"deny","reason":1}}',
      /:2:1: verdict\.reason must be a text/,
    ],
    [
      "hooks that are no list",
      '{"event":{},"verdict":{"decision":"deny","by":"x"}}',
      /:2:1: verdict\.by must be a list of hook names/,
    ],
    ["a verdict that is no object", '{"event":{},"verdict":"deny"}', /:2:1: verdict must be an object/],
    [
      "an object that is neither",
      '{"a":1}',
      /:2:1: neither a recorded event nor a payload: it has no hook_event_name, and no known agent sends it/,
    ],
    [
      "a value that nests deeply",
      `{"event":${"[".repeat(5000)}${"]".repeat(5000)}}`,
      /:2:1: nested more than 1000 levels deep/,
    ],
    [
      "an event without a tool",
      '{"event":{"hook_event_name":"pre_tool_use"},"verdict":{"decision":"none"}}',
      /:2:1: pre_tool_use: tool_name is required/,
    ],
    [
      "an unknown event",
      '{"event":{"hook_event_name":"pre_tol_use"},"verdict":{"decision":"none"}}',
      /:2:1: unknown hook event "pre_tol_use"/,
    ],
    [
      "an event that its agent does not send",
      '{"event":{"hook_event_name":"X"},"dialect":"claude","verdict":{"decision":"none"}}',
      /:2:1: claude: unknown event "X"/,
    ],
  ];

  describe("a broken line", async () => {
    const cwd = tempDir({ "old.yaml": OLD });
    const files = BROKEN.map(([, line], at) => {
      writeFileSync(join(cwd, `${at}.jsonl`), `${jsonl(good)}${line}\n${jsonl(good)}`);
      return `${at}.jsonl`;
    });
    const ran = await replay(cwd, [...files, "--hooks-file", "old.yaml"]);
    const reports = ran.stderr.trimEnd().split("\n");

    test.each(BROKEN.map(([name, , message], at) => [name, message, at] as const))(
      "%s is reported with its place",
      (_name, message, at) => {
        const ofFile = reports.filter((line) => line.startsWith(`${at}.jsonl:`));
        expect(ofFile).toEqual([expect.stringMatching(new RegExp(`^${at}\\.jsonl${message.source}`))]);
      },
    );

    test("does not keep the lines around it from being replayed", () => {
      expect(ran.code).toBe(1);
      expect(reports).toHaveLength(BROKEN.length);
      const all = BROKEN.length;
      expect(ran.stdout).toBe(`${2 * all} events: no verdict changed; ${all} could not be replayed\n`);
    });
  });

  test("bytes that are not UTF-8, and a line of more than 8 MiB", async () => {
    const cwd = tempDir({ "old.yaml": OLD });
    const bytes = Buffer.concat([
      Buffer.from(jsonl(good)),
      Buffer.from([0x7b, 0xff, 0x7d, 0x0a]),
      Buffer.from(`{"event":{"x":"${"y".repeat(8 * 1024 * 1024)}"}}\n`),
    ]);
    writeFileSync(join(cwd, "a.jsonl"), bytes);
    const ran = await replay(cwd, ["a.jsonl", "--hooks-file", "old.yaml"]);
    expect(ran).toMatchObject({ code: 1, stderr: "a.jsonl:2:1: not UTF-8 text\na.jsonl:3:1: longer than 8 MiB\n" });
  });

  test("events that were too large to be recorded are named", async () => {
    const omitted = { event: {}, omitted: "pre_tool_use: larger than 2 MiB" };
    const cwd = tempDir({ "old.yaml": OLD, "a.jsonl": jsonl(good, omitted) });
    expect(await replay(cwd, ["a.jsonl", "--hooks-file", "old.yaml"])).toMatchObject({
      code: 0,
      stdout: "1 event: no verdict changed; 1 too large to be recorded\n",
      stderr: "warning: a.jsonl:2: pre_tool_use: larger than 2 MiB: not recorded\n",
    });
  });

  test.each([
    ["nothing", [], 64, "replay needs recordings, hooksh replay DIR|FILE.jsonl..."],
    [
      "no recording",
      ["nowhere"],
      64,
      "replay needs recordings, hooksh replay DIR|FILE.jsonl...: nowhere is neither a folder nor a .jsonl or .json file",
    ],
    ["a missing file", ["a.jsonl"], 1, "a.jsonl: no such file or folder"],
    ["an empty folder", ["empty"], 1, "empty: contains no recording (*.jsonl, *.json)"],
    ["a glob without a match", ["empty/*.jsonl"], 1, "empty/*.jsonl: no file matches"],
    ["a glob in a missing folder", ["gone/*.jsonl"], 1, "gone/*.jsonl: no such folder: gone"],
    ["an empty file", ["none.jsonl"], 1, "the recordings hold no event"],
    ["two agents", ["kept.jsonl", "a.yaml", "b.yaml"], 64, "replay takes one agent, not 2: a.yaml b.yaml"],
    [
      "an agent beside --against",
      ["kept.jsonl", "a.yaml", "--against", "old.yaml"],
      64,
      "--against names the hooks that judge: leave out AGENT and --hooks-file",
    ],
    ["a missing --against", ["kept.jsonl", "--against", "gone.yaml"], 64, "--against gone.yaml: no such file"],
    ["a missing --baseline", ["kept.jsonl", "--baseline", "gone.yaml"], 64, "--baseline gone.yaml: no such file"],
    [
      "a broken --against",
      ["kept.jsonl", "--against", "broken.yaml"],
      1,
      "broken.yaml:1:1: hooks.pre_tol_use: unknown event, did you mean pre_tool_use?",
    ],
    [
      "a number of jobs that is none",
      ["kept.jsonl", "--jobs", "0"],
      64,
      '--jobs takes a number from 1 to 999, not "0"',
    ],
    ["an unknown --fail-on", ["kept.jsonl", "--fail-on", "x"], 64, '--fail-on takes changed, weaker, not "x"'],
  ])("%s on the command line", async (_name, args, code, message) => {
    const cwd = tempDir({
      "old.yaml": OLD,
      "kept.jsonl": jsonl(good),
      "none.jsonl": "",
      "broken.yaml": "pre_tol_use: []\n",
    });
    mkdirSync(join(cwd, "empty"));
    const ran = await replay(cwd, args);
    expect(ran.stderr.split("\n")[0]).toBe(message);
    expect(ran.code).toBe(code);
  });
});

describe("other agents", async () => {
  const guardAll = JSON.stringify({
    pre_tool_use: [{ hooks: [{ name: "none", type: "command", command: "echo no >&2; exit 2" }] }],
    user_prompt_submit: [{ name: "quiet", type: "command", command: "echo no >&2; exit 2" }],
    permission_request: [{ hooks: [{ name: "none", type: "command", command: "echo no >&2; exit 2" }] }],
  });

  const cwd = tempDir({ "old.yaml": guardAll, "open.yaml": "pre_tool_use: []\n" });

  /** Records the guarded events of an agent and returns the folder. Events that do not say which they are need --event. */
  async function recordAll(dialect: DialectName): Promise<string> {
    const folder = `kept/${dialect}`;
    const events = Object.entries<Json>(HOST_SAMPLES[dialect].guarded);
    const isNamed = ([event, payload]: [string, Json]) => Object.values(payload).includes(event);
    const named = events.filter(isNamed).map(([, payload]) => payload);
    const keep = (payloads: readonly Json[], ...args: string[]) =>
      hooksh(
        [
          "dispatch",
          "--hooks-file",
          "old.yaml",
          "--record-events",
          folder,
          "--output",
          "result",
          "--dialect",
          dialect,
          ...args,
        ],
        {
          cwd,
          input: jsonl(...payloads),
        },
      );
    if (named.length > 0) await keep(named);
    for (const [event, payload] of events.filter((each) => !isNamed(each))) await keep([payload], "--event", event);
    return folder;
  }

  interface Replayed {
    events: number;
    problems: unknown[];
    unjudged: unknown[];
    changes: { file: string; kind: string }[];
  }

  const dialects = Object.keys(HOST_SAMPLES) as DialectName[];
  const folders: string[] = [];
  for (const dialect of dialects) folders.push(await recordAll(dialect));
  const same = await replay(cwd, [...folders, "--json", "--hooks-file", "old.yaml"]);
  const open = await replay(cwd, [...folders, "--json", "--against", "open.yaml"]);
  const changesIn = ({ stdout }: typeof same, dialect: DialectName) =>
    (JSON.parse(stdout) as Replayed).changes.filter(({ file }) => file.startsWith(`kept/${dialect}/`));

  test.each(dialects)("the events of %s replay as they were judged", (dialect) => {
    expect(changesIn(same, dialect)).toEqual([]);
    const { guarded } = HOST_SAMPLES[dialect];
    expect(changesIn(open, dialect).map(({ kind }) => kind)).toEqual(Object.keys(guarded).map(() => "weaker"));
  });

  test("all events are replayed", () => {
    const events = Object.values(HOST_SAMPLES).flatMap(({ guarded }) => Object.keys(guarded)).length;
    expect(same).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(same.stdout)).toMatchObject({ events, problems: [], unjudged: [] });
    expect(open.code).toBe(1);
    expect(JSON.parse(open.stdout)).toMatchObject({ events, problems: [], unjudged: [] });
  });

  test("hooks have the variables of the agent, and the one of a replay", async () => {
    const look = hook("look", 'echo "$HOOKSH_DIALECT $HOOKSH_HOST_EVENT $HOOKSH_REPLAY" > seen.txt');
    const event = { session_id: "c", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "ls" } };
    const line = { event, dialect: "claude", verdict: { decision: "none" } };
    const cwd = tempDir({ "look.yaml": onShell(look), "a.jsonl": jsonl(line) });
    expect((await replay(cwd, ["a.jsonl", "--against", "look.yaml"])).code).toBe(0);
    expect(readFileSync(join(cwd, "seen.txt"), "utf8")).toBe("claude PreToolUse 1\n");
  });

  test("what hooksh capture kept is replayed with --baseline", async () => {
    const cwd = tempDir({ "old.yaml": OLD, "new.yaml": NEW });
    const payload = { session_id: "c", transcript_path: "/t", cwd, hook_event_name: "PreToolUse", tool_name: "Bash" };
    const input = JSON.stringify({ ...payload, tool_input: { command: "git push --force" } });
    await hooksh(["capture", "claude", "--dir", "captures"], { cwd, input });
    const ran = await replay(cwd, ["captures", "--baseline", "old.yaml", "--against", "new.yaml"]);
    expect(ran.stdout).toContain("PreToolUse-Bash.json:1: WEAKER: claude PreToolUse Bash: git push --force");
  });

  test("events of other agents are recorded and replayed with several recordings named by a glob", async () => {
    const cwd = tempDir({
      "old.yaml": OLD,
      "kept/a.jsonl": jsonl(recorded(shell("ls"))),
      "kept/b.jsonl": jsonl(recorded(shell("ls"))),
      "kept/c.txt": "no",
    });
    expect((await replay(cwd, ["kept/*.jsonl", "--hooks-file", "old.yaml"])).stdout).toBe(
      "2 events: no verdict changed\n",
    );
  });
});

describe.skipIf(RECORDINGS === "")("payloads that released programs really sent", () => {
  const five = ["claude", "codex", "gemini", "copilot", "qwen"];
  const folders = RECORDED_AGENTS.filter((folder) => five.some((name) => folder.startsWith(`${name}-`)));

  test.each(folders)("%s: recorded and replayed, nothing changes", async (folder) => {
    const cwd = tempDir({ "old.yaml": OLD });
    const files = readdirSync(join(RECORDINGS, folder)).filter((file) => file.endsWith(".json"));
    for (const file of files.slice(0, 12)) {
      const input = readFileSync(join(RECORDINGS, folder, file), "utf8");
      await hooksh(["dispatch", "--hooks-file", "old.yaml", "--record-events", "kept"], { cwd, input });
    }
    expect(existsSync(join(cwd, "kept"))).toBe(true);
    expect(await replay(cwd, ["kept", "--hooks-file", "old.yaml"])).toMatchObject({ code: 0, stderr: "" });
  });
});
