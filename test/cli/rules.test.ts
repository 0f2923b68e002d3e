import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const RULES = `rules:
  - name: history
    deny: Others may have pulled this history
    when: { effect: git-history }
  - { name: tested, ask: Run the tests first, when: { program: git, verb: push }, unless_after: { program: npm, ok: true } }
  - { name: watched, deny: no, mode: observe, when: { program: rm } }
`;
/** What `validate` says about the last of them. */
const OBSERVED =
  "warning: hooks.yaml:6:38: rules[2].mode: watched only observes: its verdict is reported, not enforced\n";

const FILE = ["--hooks-file", "hooks.yaml"];
const PUSH = { hook_event_name: "pre_tool_use", session_id: "s1", tool_name: "shell", tool_use_id: "c1" };
const EVENT = JSON.stringify({ ...PUSH, tool_input: { cmd: "git push -f" } });

/** Runs the program in a folder with rules. */
async function run(
  args: readonly string[],
  { input = "", files = {} }: { input?: string; files?: Record<string, string> } = {},
) {
  return hooksh(args, { cwd: tempDir({ "hooks.yaml": RULES, ...files }), input });
}

/** Every line of a text for people fits into a terminal of 80 columns. */
const widest = (text: string) => Math.max(...text.split("\n").map((line) => line.length));

describe("rules list", () => {
  test("shows every rule with its conditions", async () => {
    const ran = await run(["rules", "list", ...FILE]);
    expect(ran.stdout).toBe(`history (hooks.yaml:2)
  deny: Others may have pulled this history
  when {"effect":"git-history"}
tested (hooks.yaml:5)
  ask: Run the tests first
  when {"program":"git","verb":"push"}
  unless_after program: npm, ok: true
watched (hooks.yaml:6)
  deny: no
  when {"program":"rm"}
  only observes
`);
    expect([ran.stderr, ran.code, widest(ran.stdout) <= 80]).toEqual(["", 0, true]);
  });

  test("of several files, of an agent, and of the user unless they are left out", async () => {
    const files = {
      "b.yaml": "rules: [{ name: b, warn: b, when: { program: b } }]\n",
      "agent.yaml":
        "agents: { root: { model: openai/gpt-4o } }\nrules: [{ name: team, deny: no, when: { program: c } }]\n",
      "config/config.yaml": "settings: { rules: [{ name: mine, deny: no, when: { program: d } }] }\n",
    };
    const names = async (...args: string[]) => {
      const ran = await run(["rules", "list", "--json", "--config-dir", "config", ...args], { files });
      return (JSON.parse(ran.stdout) as { name: string }[]).map(({ name }) => name);
    };
    expect(await names("agent.yaml", "--hooks-file", "b.yaml", ...FILE)).toEqual(
      expect.arrayContaining(["team", "mine", "b", "history", "tested", "watched"]),
    );
    expect(await names("--no-user-hooks", "--hooks-file", "b.yaml")).toEqual(["b"]);
  });

  test("says so if there is none", async () => {
    const ran = await run(["rules", "list"]);
    expect([ran.stdout, ran.code]).toEqual(["no rules are in force\n", 0]);
  });
});

describe("rules explain", () => {
  test("shows the facts of a line, and why rules hit", async () => {
    const ran = await run(["rules", "explain", "git push -uf origin x && ls", ...FILE]);
    expect(ran.stdout).toStartWith(
      "shell (runs-commands), destructive\ngit push -uf origin x\n  program git\n  verb push\n",
    );
    expect(ran.stdout).toContain("\n  flags --set-upstream, --force\n");
    expect(ran.stdout).toContain(
      "\nrules that hit:\n  history (hooks.yaml:2): deny, certain\n  tested (hooks.yaml:5): ask, certain\n",
    );
    expect(ran.stdout).toEndWith("\nthe rules decide: deny\n");
    expect([ran.code, widest(ran.stdout) <= 80]).toEqual([0, true]);
  });

  test("shows what an expansion decides", async () => {
    const ran = await run(["rules", "explain", "--json", "git push $FLAGS", ...FILE]);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      steps: [{ program: "git", possible: { effect: expect.arrayContaining(["git-history"]) } }],
      rules: [
        { name: "history", sure: "possible" },
        { name: "tested", sure: "certain" },
      ],
      decision: "deny",
    });
  });

  test.each([
    ["an event", [], EVENT],
    ["the input of a tool", ["--tool", "shell"], '{"cmd":"git push -f"}'],
    ["a call as prove shows it", [], '{"tool":"shell","input":{"cmd":"git push -f"}}'],
  ])("reads %s from standard input", async (_name, flags, input) => {
    const ran = await run(["rules", "explain", "-", "--json", ...flags, ...FILE], { input });
    expect(JSON.parse(ran.stdout)).toMatchObject({ decision: "deny" });
  });

  test("another tool has its main argument, or its input as JSON", async () => {
    const files = { "hooks.yaml": "rules: [{ name: env, ask: Sure?, when: { writes: '.env' } }]\n" };
    const input = '{"path":".env","content":"x"}';
    const ran = await run(["rules", "explain", "--json", "--tool", "write_file", input, ...FILE], { files });
    expect(JSON.parse(ran.stdout)).toMatchObject({ tool: "write_file", class: "writes-files", decision: "ask" });
  });

  test.each([
    [["rules", "explain"], "", 64, "takes a command line in quotes, or - for an event as JSON"],
    [["rules", "explain", "a", "b", "c"], "", 64, "put it in quotes"],
    [["rules", "explain", "-"], "", 64, "needs an event as JSON on standard input"],
    [["rules", "explain", "-"], '{"a":', 1, "line 1 of standard input"],
    [["rules", "explain", "-"], "{}", 1, "the event has no hook_event_name"],
    [["rules", "explain", "--tool", "write_file", "{a"], "", 64, "the input of write_file is not valid JSON"],
    [["rules", "list", "--tool", "shell"], "", 64, "--tool is a flag of rules explain"],
    [["rules", "lits"], "", 64, 'not "lits"; did you mean list?'],
    [["rules"], "", 64, "rules takes list, explain, prove, compare or suggest\n"],
    [["rules", "list", "--hooks-file", "no.yaml"], "", 1, "no.yaml: no such file"],
    [["rules", "prove"], "", 64, "rules prove needs --never-passes WHEN"],
    [["rules", "prove", "--never-passes", "{ efect: sends }"], "", 64, 'unknown fact "efect", did you mean "effect"?'],
    [["rules", "compare", "a.yaml"], "", 64, "rules compare takes two files: OLD NEW"],
  ])("hooksh %j with %j exits %d", async (args, input, code, message) => {
    const ran = await run(args, { input });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(message);
    expect(ran.stdout).toBe("");
  });
});

describe("rules prove", () => {
  const prove = (when: string, rules = RULES, ...flags: string[]) =>
    run(["rules", "prove", "--never-passes", when, ...flags, ...FILE], { files: { "hooks.yaml": rules } });

  test("proved", async () => {
    const ran = await prove("{ effect: git-history }");
    expect([ran.stdout, ran.code]).toEqual(["proved: no such call passes the rules\n", 0]);
  });

  test("refuted, with a call that explain confirms", async () => {
    const ran = await prove("{ program: rm }", RULES, "--json");
    const { answer, witness } = JSON.parse(ran.stdout) as { answer: string; witness: object };
    expect([answer, ran.code]).toEqual(["refuted", 2]);
    const seen = await run(["rules", "explain", "-", "--json", ...FILE], { input: JSON.stringify(witness) });
    expect(JSON.parse(seen.stdout)).toMatchObject({ decision: null, steps: [{ program: "rm" }] });
  });

  test("a call that somebody is asked about passes only on request", async () => {
    const rules = "rules: [{ ask: Sure?, when: { effect: sends } }]\n";
    expect((await prove("{ effect: sends }", rules)).code).toBe(0);
    expect((await prove("{ effect: sends }", rules, "--ask-passes")).code).toBe(2);
  });

  test("undecided, with the names of the rules and hooks that proofs cannot look into", async () => {
    const rules = `pre_tool_use: [{ hooks: [{ type: command, name: guard, command: "true" }] }]
rules: [{ name: cel, deny: no, if: 'tool == "shell"' }]
`;
    const ran = await prove("{ effect: sends }", rules, "--json");
    expect(JSON.parse(ran.stdout)).toEqual({ answer: "undecided", undecided: ["cel", "guard"] });
    expect(ran.code).toBe(3);
  });
});

describe("rules compare", () => {
  const deny = "rules: [{ name: push, deny: no, when: { effect: git-history } }]\n";
  const ask = "rules: [{ name: push, ask: Sure?, when: { effect: git-history } }]\n";
  const compare = (old: string, now: string, ...flags: string[]) =>
    run(["rules", "compare", "old.yaml", "new.yaml", ...flags], { files: { "old.yaml": old, "new.yaml": now } });

  test("shows a call for what became weaker, and warns of nothing", async () => {
    const ran = await compare(deny, ask);
    expect(ran.stdout).toMatch(/^weaker: push: deny became ask\n {2}git push \S+.*\n$/);
    expect([ran.stderr, ran.code]).toEqual(["", 2]);
    const { weaker, stronger } = JSON.parse((await compare(deny, "rules: []\n", "--json")).stdout);
    expect(weaker).toMatchObject([{ rule: "push", old: "deny", new: "none", witness: { tool: "shell" } }]);
    expect(stronger).toEqual([]);
  });

  test("exits 0 if nothing became weaker, and 3 if that is undecided", async () => {
    expect([(await compare(ask, deny)).code, (await compare(deny, deny)).stdout]).toEqual([
      0,
      "the same calls are stopped\n",
    ]);
    const cel = `rules: [{ name: cel, deny: no, if: 'tool == "shell"' }]\n`;
    expect((await compare(cel, "rules: []\n")).code).toBe(3);
  });

  test("takes agent files", async () => {
    const ran = await compare(
      `agents: { root: { model: openai/gpt-4o } }\n${deny}`,
      `agents: { root: { model: openai/gpt-4o } }\n${ask}`,
    );
    expect(ran.code).toBe(2);
  });
});

describe("other commands with a file of rules alone", () => {
  test("validate lists errors, warnings and empty lists", async () => {
    const validate = (text: string, ...flags: string[]) =>
      run(["validate", "hooks.yaml", ...flags], { files: { "hooks.yaml": text } });
    expect(await validate(RULES)).toMatchObject({ code: 0, stdout: "hooks.yaml: ok, 1 warning\n", stderr: OBSERVED });
    const broken = await validate("rules: [{ deny: no, when: { efect: x } }, { when: { program: rm } }]\n");
    expect(broken.code).toBe(1);
    expect(broken.stderr).toContain('rules[0].when: unknown fact "efect", did you mean "effect"?');
    expect(broken.stderr).toContain("rules[1]");
    const twice =
      "rules:\n  - { name: a, deny: no, when: { program: git } }\n  - { name: b, deny: no, when: { program: git, verb: push } }\n";
    const warned = await validate(twice);
    expect(warned).toMatchObject({ code: 0, stdout: "hooks.yaml: ok, 1 warning\n" });
    expect(warned.stderr).toContain("shadowed by a");
    expect((await validate(twice, "--strict")).code).toBe(1);
    expect((await validate("rules: []\n")).stderr).toBe("warning: no rules in hooks.yaml\n");
  });

  test("hooks list, status and explain name the rules", async () => {
    expect((await run(["hooks", "list", ...FILE])).stdout).toBe(
      "No hooks are configured.\n\n3 rules judge events, 1 of them only observes: hooksh rules list\n",
    );
    expect((await run(["status", "--hooks", ...FILE])).stdout).toContain(
      "hooks.yaml: no hooks, 3 rules, 1 of them only observes\n",
    );
    const explained = await run(["explain", "git push -f", ...FILE]);
    expect(explained.stdout).toContain("Rules that hit:\n  history (hooks.yaml:2): deny, certain\n");
    expect(explained.stdout).toContain("The rules say deny: Others may have pulled this history [history at");
  });

  test("dispatch shows what hit, as text and in its details", async () => {
    const text = await run(["dispatch", "--details", "--output", "text", ...FILE], { input: EVENT });
    expect(text.stdout).toContain(
      "pre_tool_use: denied: Others may have pulled this history [history at hooks.yaml:2: effect git-history",
    );
    expect(text.stdout).toContain("\n  rule history (hooks.yaml:2): deny, certain; effect git-history\n");
    expect(text.code).toBe(2);
  });

  test("replay judges recorded events by rules", async () => {
    const cwd = tempDir({
      "hooks.yaml": RULES,
      "weak.yaml": "rules: [{ name: history, warn: hm, when: { program: git } }]\n",
    });
    await hooksh(["dispatch", ...FILE, "--record", "events:recorded"], { cwd, input: EVENT });
    const same = await hooksh(["replay", "recorded", ...FILE], { cwd });
    expect([same.stderr, same.code]).toEqual(["", 0]);
    const weaker = await hooksh(["replay", "recorded", "--against", "weak.yaml"], { cwd });
    expect([weaker.stdout.includes("deny"), weaker.code]).toEqual([true, 1]);
  });

  test("serve answers by rules", async () => {
    await using served = await serve(tempDir({ "hooks.yaml": RULES }), FILE);
    const answer = await served.post("/hooksh", JSON.parse(EVENT));
    expect(answer.text).toContain("Others may have pulled this history");
  });

  test("install registers the events of rules, and doctor and validate name a host that sends no results", async () => {
    const cwd = tempDir({ "hooks.yaml": RULES, "home/.keep": "" });
    const env = { HOME: join(cwd, "home") };
    const line =
      "hooks.yaml:5: rule tested asks for ok of earlier calls, but Charm Crush sends no results: there none counts as ended";
    expect((await hooksh(["validate", "hooks.yaml"], { cwd, env })).stderr).toBe(OBSERVED);
    await hooksh(["install", "claude", "--file", "hooks.yaml", "--yes"], { cwd, env });
    expect(readFileSync(join(cwd, "home/.claude/settings.json"), "utf8")).toContain("PostToolUse");
    expect((await hooksh(["validate", "hooks.yaml"], { cwd, env })).stderr).toBe(OBSERVED);
    await hooksh(["install", "crush", "--file", "hooks.yaml", "--yes"], { cwd, env });
    expect((await hooksh(["validate", "hooks.yaml"], { cwd, env })).stderr).toBe(`${OBSERVED}warning: ${line}\n`);
    expect(JSON.parse((await hooksh(["doctor", "--json"], { cwd, env })).stdout)).toMatchObject({ warnings: [line] });
  });
});

describe("the audit log of rules", () => {
  /** A project whose log holds commands that its rule asks about. */
  function project(config: string) {
    const cwd = tempDir({
      "hooks.yaml": 'rules: [{ name: sure, ask: "Sure?", when: { class: runs-commands } }]\n',
      "config/config.yaml": config,
      "data/.keep": "",
      ".git/HEAD": "ref: refs/heads/main\n",
    });
    const flags = ["--data-dir", "data", "--config-dir", "config"];
    const send = (event: string, id: string, command: string) => {
      const call = {
        hook_event_name: event,
        session_id: "session-1",
        tool_name: "Bash",
        tool_use_id: id,
        tool_input: { command },
        cwd,
      };
      const more = event === "PostToolUse" ? { tool_response: { stdout: "" } } : {};
      const args = ["dispatch", "--dialect", "claude", ...FILE, ...flags];
      return hooksh(args, { cwd, input: JSON.stringify({ ...call, ...more }) });
    };
    let count = 0;
    /** The agent asks its user about each command, who approves it: it runs. */
    const approve = async (...commands: string[]) => {
      for (const command of commands) {
        const id = `c${++count}`;
        await send("PreToolUse", id, command);
        await send("PostToolUse", id, command);
      }
    };
    return { cwd, approve, run: (...args: string[]) => hooksh([...args, ...flags], { cwd }) };
  }

  const five = (command: (n: number) => string) => [1, 2, 3, 4, 5].map(command);
  const PAYLOAD = "settings: { audit: { payload: redacted } }\n";

  test("suggests what was approved five times, and nothing that is dangerous", async () => {
    const { cwd, approve, run: inProject } = project(PAYLOAD);
    await approve(
      ...five((n) => `mkdir -p src/a${n}`),
      ...five(() => "rm a"),
      ...five(() => "bash x.sh"),
      ...five(() => "cat .env"),
    );
    await approve("ls", "sudo mkdir b", 'mkdir "$X"');
    const shown = await inProject("rules", "suggest", "--json");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      approvals: 23,
      without_call: 0,
      rules: [
        {
          allow: "Approved 5 times",
          when: { program: "mkdir", verb: false, flags: { only: ["--parents"] }, opaque: false, paths: "project" },
          examples: { allow: five((n) => `mkdir -p src/a${n}`), pass: expect.arrayContaining(["sudo mkdir"]) },
        },
      ],
    });
    expect(existsSync(join(cwd, "new.yaml"))).toBe(false);
    const written = await inProject("rules", "suggest", "--write", "new.yaml");
    expect([written.stdout, written.code]).toEqual(["new.yaml: 1 rule\n", 0]);
    expect((await inProject("validate", "new.yaml")).stdout).toBe("new.yaml: ok\n");
    expect((await inProject("test", "new.yaml")).code).toBe(0);
    for (const [line, decision] of [
      ["mkdir -p src/b", "allow"],
      ["mkdir -p /etc/b", null],
      ["mkdir -m 777 src/b", null],
    ] as const) {
      const { stdout } = await inProject("rules", "explain", "--json", line, "--hooks-file", "new.yaml");
      expect([line, JSON.parse(stdout).decision]).toEqual([line, decision]);
    }
    const again = await inProject("rules", "suggest", "--write", "new.yaml");
    expect([again.code, again.stderr.split("\n")[0]]).toEqual([64, "new.yaml exists: name another file"]);
  });

  test("suggests nothing with fewer approvals, and names the setting that keeps command lines", async () => {
    const { approve, run: inProject } = project("settings: {}\n");
    await approve("ls", "ls");
    expect((await inProject("rules", "suggest")).stdout).toBe(`nothing to suggest: 2 approvals, none 5 times
the audit log does not hold 2 of the calls: with settings.audit: { payload: redacted }
in config.yaml it keeps them from now on
`);
  });

  test("stats, audit and trace show the rules that hit", async () => {
    const { approve, run: inProject } = project("settings: {}\n");
    await approve("ls", "pwd");
    const stats = await inProject("stats", "--json");
    expect(JSON.parse(stats.stdout)).toMatchObject({
      rules: [{ rule: "sure", verdict: "ask", event: "pre_tool_use", hits: 2, possible: 0, observed: 0 }],
    });
    expect((await inProject("stats")).stdout).toContain(
      "RULE  EVENT         VERDICT  HITS\nsure  pre_tool_use  ask         2\n",
    );
    expect(JSON.parse((await inProject("stats", "--json", "--hook", "other")).stdout)).not.toHaveProperty("rules");
    expect((await inProject("audit")).stdout).toContain(
      "ask    sure: Sure? [sure at hooks.yaml:1: class runs-commands",
    );
    const spans = (await inProject("trace", "--session", "session-1", "--json")).stdout;
    expect(JSON.parse(spans).spans).toContainEqual(
      expect.objectContaining({ name: "sure", kind: "hook", verdict: "ask", parent: 0 }),
    );
  });
});
