import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { callFacts } from "../../src/facts/call-facts.ts";
import type { CallFacts, Step } from "../../src/facts/facts.ts";
import { type Place, placeOf } from "../../src/facts/place.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { TOOL_CLASSES } from "../../src/protocol/tool-class.ts";
import { codec } from "../dialects/codec.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const home = tempDir();
const cwd = tempDir({ ".env": "A=1", "a.txt": "" });

function placeIn(directory = cwd, env: Record<string, string> = {}): Place {
  return placeOf({ cwd: directory, env: { HOME: home, PATH: "/usr/bin:/bin", SHELL: "/bin/bash", ...env } });
}

/** The facts of a call in an event of hooksh. */
function own(tool_name: string, tool_input: unknown, more: Payload = {}, place = placeIn()): CallFacts {
  return callFacts({ tool_name, tool_input, ...more }, { toolNames: [], tool: undefined, place });
}

/** The facts of a call as a host sends it. */
async function hosted(name: DialectName, payload: Payload, event?: string, place = placeIn()): Promise<CallFacts> {
  const { tool, events } = (await codec(name)).read(payload, event);
  return callFacts(events[0]?.payload ?? {}, { toolNames: tool?.names ?? [], tool, place });
}

const pathsOf = (steps: readonly Step[], kind: "reads" | "writes") =>
  steps.flatMap((step) => step[kind].map(({ path }) => path));
const commandsOf = ({ steps }: CallFacts) => steps.map(({ command }) => command);
const claude = (tool_name: string, tool_input: Payload) =>
  hosted("claude", { hook_event_name: "PreToolUse", tool_name, tool_input });

describe("the names of a tool", () => {
  test("its own, the host's and the qualified one", async () => {
    expect((await claude("Bash", { command: "ls" })).tools).toEqual(["shell", "Bash"]);
    const mcp = await claude("mcp__github__create_issue", { title: "x" });
    expect(mcp).toMatchObject({ class: "other", server: "github" });
    expect(mcp.tools).toContain("mcp:github:create_issue");
    expect(mcp.tools).toContain("mcp__github__create_issue");
  });

  test("a tool of an MCP server is no tool of hooksh, whatever its name", () => {
    const call = own("shell", { cmd: "ls" }, { tool_qualified_name: "mcp:x:shell" });
    expect(call).toMatchObject({ class: "other", server: "x", tools: ["shell", "mcp:x:shell"] });
    expect(own("mcp:y:z", {})).toMatchObject({ class: "other", server: "y" });
    expect(own("shell", { cmd: "ls" }, { tool_category: "mcp" }).class).toBe("other");
    expect(own("shell", { cmd: "ls" })).toMatchObject({ class: "runs-commands", server: undefined });
  });
});

describe("a command line", () => {
  test("has steps; the directory of the call counts", () => {
    expect(commandsOf(own("shell", { cmd: "rm a; ls" }))).toEqual(["rm a", "ls"]);
    expect(pathsOf(own("shell", { cmd: "rm a" }).steps, "writes")).toEqual([join(cwd, "a")]);
    expect(pathsOf(own("shell", { cmd: "rm a", cwd: "/srv" }).steps, "writes")).toEqual(["/srv/a"]);
    expect(pathsOf(own("shell", { cmd: "rm a", cwd: "sub" }).steps, "writes")).toEqual([join(cwd, "sub/a")]);
    expect(pathsOf(own("shell", { cmd: "rm a", cwd: "~/b" }).steps, "writes")).toEqual([join(home, "b/a")]);
    for (const [directory, path] of [
      ["~", join(home, "a")],
      ["x~/b", join(cwd, "x~/b/a")],
      ["~b", join(cwd, "~b/a")],
    ])
      expect(pathsOf(own("shell", { cmd: "rm a", cwd: directory }).steps, "writes")).toEqual([path as string]);
    for (const directory of [null, ""])
      expect(pathsOf(own("shell", { cmd: "rm a", cwd: directory }).steps, "writes")).toEqual([join(cwd, "a")]);
    expect(commandsOf(own("run_background_job", { cmd: "rm a" }))).toEqual(["rm a"]);
  });

  test("without a command has a step all the same, which rules about the tool test", () => {
    for (const cmd of ["", "# nothing"])
      expect(own("shell", { cmd })).toMatchObject({ steps: [{ program: [], opaque: false }], readable: true });
  });

  test.each<unknown>([{}, { cmd: ["rm", "x"] }, { cmd: 5 }, { command: "ls" }, { cmd: "ls", cwd: 5 }, undefined, "ls"])(
    "the input %j cannot be read",
    (input) => {
      expect(own("shell", input)).toMatchObject({ readable: false, exact: false, safety: "unknown", steps: [{}] });
    },
  );

  test("that is too long is not read", () => {
    expect(own("shell", { cmd: `ls ${"a".repeat(131_072)}` })).toMatchObject({ readable: false, safety: "unknown" });
  });

  test("is exact for a shell with the syntax of sh", async () => {
    expect(own("shell", { cmd: "ls 'a b'" }).exact).toBe(true);
    expect(own("shell", { cmd: "ls 'a b'" }, {}, placeIn(cwd, { SHELL: "/usr/bin/pwsh" })).exact).toBe(false);
    expect((await claude("Bash", { command: "ls 'a b'" })).exact).toBe(true);
    expect((await claude("PowerShell", { command: "ls 'a b'" })).exact).toBe(false);
  });
});

describe("the directory of a command on every host that has one", () => {
  test.each<[DialectName, Payload]>([
    [
      "codex",
      { hook_event_name: "PreToolUse", tool_name: "exec_command", tool_input: { cmd: "rm a", workdir: "/srv" } },
    ],
    [
      "gemini",
      {
        hook_event_name: "BeforeTool",
        tool_name: "run_shell_command",
        tool_input: { command: "rm a", dir_path: "/srv" },
      },
    ],
    [
      "gemini",
      {
        hook_event_name: "BeforeTool",
        tool_name: "run_shell_command",
        tool_input: { command: "rm a", directory: "/srv" },
      },
    ],
    [
      "qwen",
      {
        hook_event_name: "PreToolUse",
        tool_name: "run_shell_command",
        tool_input: { command: "rm a", directory: "/srv" },
      },
    ],
    ["kimi", { hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command: "rm a", cwd: "/srv" } }],
    [
      "cursor",
      { hook_event_name: "preToolUse", tool_name: "Shell", tool_input: { command: "rm a", working_directory: "/srv" } },
    ],
    ["cursor", { hook_event_name: "beforeShellExecution", command: "rm a", cwd: "/srv" }],
    ["windsurf", { agent_action_name: "pre_run_command", tool_info: { command_line: "rm a", cwd: "/srv" } }],
    ["agy", { toolCall: { name: "run_command", args: { CommandLine: "rm a", Cwd: "/srv" } } }],
    [
      "opencode",
      { hook_event_name: "tool.execute.before", tool_name: "bash", tool_input: { command: "rm a", workdir: "/srv" } },
    ],
    ["crush", { event: "PreToolUse", tool_name: "bash", tool_input: { command: "rm a", working_dir: "/srv" } }],
    [
      "q",
      {
        hook_event_name: "preToolUse",
        tool_name: "execute_bash",
        tool_input: { command: "rm a", working_dir: "/srv" },
      },
    ],
    [
      "kiro",
      { hook_event_name: "preToolUse", tool_name: "executeBash", tool_input: { command: "rm a", path: "/srv" } },
    ],
  ])("%s %j", async (name, payload) => {
    const event = name === "agy" ? "PreToolUse" : undefined;
    expect(pathsOf((await hosted(name, payload, event)).steps, "writes")).toEqual(["/srv/a"]);
  });
});

describe("more runs than the text of the call shows", () => {
  test.each<[DialectName, string, Payload]>([
    ["codex", "write_stdin", { session_id: 3, chars: "rm a\n" }],
    ["copilot-pascal", "write_bash", { shellId: "1", input: "rm a" }],
    ["vscode", "send_to_terminal", { command: "rm a" }],
    ["openhands", "terminal", { command: "rm a", is_input: true }],
    ["goose", "computercontroller__automation_script", { script: "rm a" }],
  ])("%s %s", async (name, tool_name, tool_input) => {
    const event = name === "openhands" ? { event_type: "PreToolUse" } : { hook_event_name: "PreToolUse" };
    const call = await hosted(name, { ...event, event: "PreToolUse", tool_name, tool_input });
    expect(call).toMatchObject({ class: "runs-commands", readable: true, exact: false });
    expect(call.steps).toMatchObject([{ command: "rm a", opaque: true }]);
    expect(pathsOf(call.steps, "writes")).toEqual([join(cwd, "a")]);
  });

  test("what is typed into a program is never safe", async () => {
    const typed = (chars: string) =>
      hosted("codex", { hook_event_name: "PreToolUse", tool_name: "write_stdin", tool_input: { chars } });
    expect((await typed("ls")).safety).toBe("unknown");
    expect((await typed("rm -rf x")).safety).toBe("destructive");
  });

  test("code of another language is a one-liner of it", async () => {
    const js = await claude("REPL", { code: "it's(1)" });
    expect(js).toMatchObject({
      steps: [{ program: [{ text: "node" }], opaque: true }],
      exact: false,
      safety: "unknown",
    });
    const payload = { event_type: "PreToolUse", tool_name: "execute_ipython_cell", tool_input: { code: "x" } };
    expect((await hosted("openhands", payload)).steps).toMatchObject([{ program: [{ text: "python" }], opaque: true }]);
    expect((await claude("REPL", { code: "require('fs').rmSync('x', {recursive: true})" })).safety).toBe("destructive");
  });

  test("a task that is only named, and a tool that an agent file declares", async () => {
    const payload = { hook_event_name: "PreToolUse", tool_name: "run_task", tool_input: { id: "build" } };
    const hidden = {
      class: "runs-commands",
      readable: true,
      steps: [{ program: [], opaque: true }],
      safety: "unknown",
    };
    expect(await hosted("vscode", payload)).toMatchObject(hidden);
    expect(own("deploy", { to: "prod" }, { tool_category: "script" })).toMatchObject({ ...hidden, exact: true });
    expect(own("list_pods", {}, { tool_category: "script" })).toMatchObject(hidden);
    expect(own("shell", { to: "prod" }, { tool_category: "script" })).toMatchObject(hidden);
    const tests = { ...payload, tool_name: "runTests", tool_input: {} };
    expect(await hosted("vscode", tests)).toMatchObject(hidden);
  });

  test("a command has the name of its program as it is written, too", async () => {
    const [step] = (await claude("Bash", { command: "pip3 install x" })).steps;
    expect(step?.commandLine.values.map(({ text }) => text)).toEqual(["pip install x", "pip3 install x"]);
    const [compose] = (await claude("Bash", { command: "docker-compose down" })).steps;
    expect(compose?.commandLine.values.map(({ text }) => text)).toEqual(["docker compose down", "docker-compose down"]);
  });

  test("what it sends to hosts is an effect, unless it is a dry run", async () => {
    const effects = async (command: string) =>
      (await claude("Bash", { command })).steps.at(-1)?.effect.values.map(({ text }) => text);
    expect((await claude("Bash", { command: "cat f | ssh h x" })).steps[1]?.effect.values).toContainEqual({
      text: "sends",
      sure: true,
    });
    expect(await effects("gh api -X POST x")).toContain("sends");
    for (const line of ["git push -n", "git push --help"]) expect(await effects(line)).not.toContain("sends");
    for (const from of ["uvx --from", "pipx run --spec", "npx -p"])
      expect(await effects(`${from} git+https://h.example/r x`)).toContain("remote-code");
    expect(await effects("nix run github:o/r")).toContain("remote-code");
  });

  test("not by tools that look at programs or end them", async () => {
    for (const tool of ["BashOutput", "KillShell", "TaskStop"])
      expect(await claude(tool, { shell_id: "1" })).toMatchObject({
        class: "runs-commands",
        readable: true,
        steps: [{ opaque: false }],
      });
    for (const [name, event, tool, opaque] of [
      ["vscode", "PreToolUse", "get_terminal_output", false],
      ["vscode", "PreToolUse", "kill_terminal", false],
      ["vscode", "PreToolUse", "terminal_last_command", false],
      ["vscode", "PreToolUse", "runTests", true],
      ["kiro", "preToolUse", "getProcessOutput", false],
      ["kiro", "preToolUse", "listProcesses", false],
    ] as const) {
      const call = await hosted(name, { hook_event_name: event, tool_name: tool, tool_input: {} });
      expect([tool, call.class, call.steps[0]?.opaque]).toEqual([tool, "runs-commands", opaque]);
    }
  });
});

describe("files, the network and other tools", () => {
  test("paths are those of the place", async () => {
    const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** Add File: ../b\n+c\n*** End Patch";
    const call = await hosted("codex", {
      hook_event_name: "PreToolUse",
      tool_name: "apply_patch",
      tool_input: { command: patch },
    });
    expect(pathsOf(call.steps, "writes")).toEqual([join(cwd, "src/a.ts"), join(cwd, "../b")]);
    expect(call.steps[0]?.effect.values.map(({ text }) => text)).toEqual(["fs-overwrite", "fs-modify"]);
    expect(call.steps).toMatchObject([{ command: undefined, cover: "rule", opaque: false }]);
    expect(call).toMatchObject({ class: "writes-files", exact: true, readable: true });
  });

  test("a file that a host deletes", async () => {
    const payload = { hook_event_name: "preToolUse", tool_name: "Delete", tool_input: { file_path: "a" } };
    expect((await hosted("cursor", payload)).steps[0]?.effect.values).toEqual([{ text: "fs-delete", sure: true }]);
  });

  test("a view is no edit", async () => {
    for (const command of ["view", "create", "str_replace"]) {
      const tool_input = { command, path: "a", file_path: "a" };
      const expected = command === "view" ? "reads-files" : "writes-files";
      const openhands = { event_type: "PreToolUse", tool_name: "file_editor", tool_input };
      expect((await hosted("openhands", openhands)).class).toBe(expected);
      const copilot = { hook_event_name: "PreToolUse", tool_name: "str_replace_editor", tool_input };
      expect((await hosted("copilot-pascal", copilot)).class).toBe(expected);
      const sdk = { hookName: "tool_call", tool_call: { name: "editor", input: tool_input } };
      expect((await hosted("cline-sdk", sdk)).class).toBe(expected);
    }
  });

  test("reading credentials reveals them, and writing what starts later is persistence", () => {
    const effects = (call: CallFacts) => call.steps[0]?.effect.values;
    expect(effects(own("read_file", { path: ".env" }))).toEqual([{ text: "reveals", sure: true }]);
    expect(effects(own("mcp:x:y", { path: ".env" }))).toEqual([{ text: "reveals", sure: false }]);
    expect(effects(own("read_file", { path: "a.txt" }))).toEqual([]);
    expect(effects(own("write_file", { path: "~/.bashrc" }))).toEqual([
      { text: "fs-overwrite", sure: true },
      { text: "persistence", sure: true },
    ]);
  });

  test("input that cannot be read", () => {
    expect(own("write_file", { content: "x" })).toMatchObject({ readable: false, exact: false, class: "writes-files" });
  });

  test("a tool that nobody knows is opaque, one that does nothing is not", async () => {
    expect(own("frobnicate", {})).toMatchObject({ class: "other", readable: true, steps: [{ opaque: true }] });
    expect(await claude("Frobnicate", {})).toMatchObject({ class: "other", steps: [{ opaque: true }] });
    expect(await claude("mcp__x__y", {})).toMatchObject({ class: "other", steps: [{ opaque: true }] });
    expect(await claude("TodoWrite", {})).toMatchObject({ class: "other", steps: [{ opaque: false }] });
    expect(own("think", { thought: "x" })).toMatchObject({ class: "other", steps: [{ opaque: false }] });
  });

  test("tools of an agent file that call an interface", () => {
    for (const tool_category of ["api", "openapi"]) {
      const effects = own("pets", {}, { tool_category }).steps[0]?.effect.values.map(({ text }) => text);
      expect(effects).toEqual(["sends", "fetches"]);
    }
  });
});

describe("the label", () => {
  test.each([
    ["ls", "safe"],
    ["cat a.txt", "safe"],
    ["rm -rf x", "destructive"],
    ["npm test", "unknown"],
    ["cat .env", "unknown"],
    ["ls; cat .env", "unknown"],
    ["cat .e*", "unknown"],
    ["cat ~/.ssh/id_rsa", "unknown"],
  ])("of %s is %s", (cmd, label) => {
    expect(own("shell", { cmd }).safety).toBe(label as "safe");
  });

  test("of tools that only read", async () => {
    expect(own("read_file", { path: "a.txt" }).safety).toBe("safe");
    expect(own("read_file", { path: ".env" }).safety).toBe("unknown");
    expect(own("read_file", {}).safety).toBe("unknown");
    expect(own("write_file", { path: "a.txt" }).safety).toBe("unknown");
    expect(own("mcp:x:y", { query: "x" }, { tool_read_only: true }).safety).toBe("safe");
    expect(own("mcp:x:y", { path: ".env" }, { tool_read_only: true }).safety).toBe("unknown");
    expect(own("mcp:x:y", { query: "x" }).safety).toBe("unknown");
    expect((await claude("Grep", { pattern: "x" })).safety).toBe("safe");
    mkdirSync(join(home, ".ssh"), { recursive: true });
    expect((await claude("Grep", { pattern: "x", path: join(home, ".ssh") })).safety).toBe("unknown");
  });
});

test("kinds of secrets in the arguments, at any depth", () => {
  const token = `ghp_${"0123456789abcdefghijABCDEFGHIJ012345"}`;
  expect(own("shell", { cmd: `curl -H 'Authorization: token ${token}' x` }).secrets()).toHaveLength(1);
  const [kind = ""] = own("mcp:x:y", { a: [{ b: token }, token] }).secrets();
  expect(kind).toContain("github");
  expect(own("shell", { cmd: "ls" }).secrets()).toEqual([]);
});

describe("every tool that a dialect knows has a class and facts", () => {
  test.each(Object.keys(DIALECTS) as DialectName[])("%s", async (name) => {
    const { dialect } = await DIALECTS[name].load();
    const listed = TOOL_CLASSES.flatMap((each) => dialect.others[each]?.split(" ") ?? []);
    const names = new Set([...dialect.tools.flatMap((row) => row.names), ...listed]);
    expect(names.size).toBeGreaterThan(2);
    const { decodeTool } = await import("../../src/dialects/tools.ts");
    for (const tool_name of names) {
      const tool = decodeTool(dialect, { name: tool_name, input: {}, original: {} }, {});
      const call = callFacts(
        { tool_name: tool.row?.is ?? tool_name, tool_input: tool.input },
        { toolNames: tool.names, tool, place: placeIn() },
      );
      expect([tool_name, tool.class]).toEqual([tool_name, call.class]);
      expect(call.steps.length).toBeGreaterThan(0);
      if (call.class === "delegates") expect(call.steps[0]?.effect.values[0]?.text).toBe("delegates");
      if (call.class === "network" && call.readable)
        expect(call.steps[0]?.effect.values.map(({ text }) => text)).toContain("fetches");
    }
  });
});
