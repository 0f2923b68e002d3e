import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFor, fakeOpenAI } from "./helpers/fake-openai.ts";
import { grown, InspectedProgram } from "./helpers/inspected-program.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const HOOKS = {
  pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "cat > /dev/null" }] }],
};

function call(id: number, cmd = "ls"): string {
  const tool = { tool_name: "shell", tool_use_id: `call_${id}`, tool_input: { cmd } };
  return JSON.stringify({ hook_event_name: "pre_tool_use", session_id: "s", ...tool });
}

/** Prints how many files there are and what they hold, and returns how many. */
function measured(what: string, files: readonly string[]): number {
  const lines = files.map((file) => readFileSync(join(import.meta.dir, "..", file), "utf8").split("\n").length - 1);
  console.log(`${what}: ${files.length} files, ${lines.reduce((sum, count) => sum + count, 0)} lines`);
  if (process.env["HOOKSH_LIST_FILES"]) console.log(files.toSorted().join("\n"));
  return files.length;
}

/** The files in the table of the page that describes the path. */
function filesOfPage(): string[] {
  const page = readFileSync(join(import.meta.dir, "../docs/design/event.md"), "utf8");
  return [...page.matchAll(/^\|[^|]*\| `(src\/[^`]+)` \|/gm)].map(([, file = ""]) => file);
}

// The measured figures are the bars: a change that makes a path longer raises one on purpose, or finds a shorter way.

test("a dispatch in which every hook is silent: the files that are loaded for it", async () => {
  const dir = tempDir({ "hooks.yaml": JSON.stringify(HOOKS) });
  const loaded = (event: object, ...flags: readonly string[]) =>
    InspectedProgram.filesFor(["dispatch", "--hooks-file", "hooks.yaml", ...flags], dir, JSON.stringify(event));
  const own = JSON.parse(call(1)) as object;
  const claude = {
    ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: dir, transcript_path: "/t.jsonl" },
    ...{ tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "ls" } },
  };
  // The first ones make the audit log and the note that the agent calls.
  expect(await loaded(own)).toContain("src/program.ts");
  expect(await loaded(claude, "--dialect", "claude")).toContain("src/program.ts");
  const quick = await loaded(own);
  expect(quick).not.toContain("src/program.ts");
  expect(measured("loaded for one event and a silent hook", quick)).toBeLessThanOrEqual(41);
  const ofClaude = await loaded(claude, "--dialect", "claude", "--guards-stay");
  expect(ofClaude).not.toContain("src/program.ts");
  expect(measured("loaded for one event of Claude Code and a silent hook", ofClaude)).toBeLessThanOrEqual(41);
});

test("an event of dispatch: the files that are loaded for it, and those in which it runs code", async () => {
  const dir = tempDir({ "hooks.yaml": JSON.stringify(HOOKS) });
  const program = await InspectedProgram.start(["dispatch", "--hooks-file", "hooks.yaml"], dir);
  await program.ask(call(1), 1);
  const loaded = program.files();
  await program.ask(call(2), 2);
  const before = await program.counts();
  await program.ask(call(3), 3);
  const warm = grown(before, await program.counts());
  expect(await program.end()).toBe(0);
  expect(measured("loaded for one event", loaded)).toBeLessThanOrEqual(143);
  expect(measured("run by each further event", warm)).toBeLessThanOrEqual(48);
  expect(filesOfPage()).not.toBeEmpty();
  expect(filesOfPage().filter((file) => !warm.includes(file))).toEqual([]);
});

test("rules that cannot hold for a tool or an everyday command load nothing that reads command lines", async () => {
  const readsLines = async (when: object, cmd = "ls") => {
    const dir = tempDir({ "hooks.yaml": JSON.stringify({ rules: [{ deny: "no", when }] }) });
    const program = await InspectedProgram.start(["dispatch", "--hooks-file", "hooks.yaml"], dir);
    await program.ask(call(1, cmd), 1);
    const loaded = program.files();
    await program.end();
    return loaded.includes("src/shell/steps/read-line.ts");
  };
  expect(await readsLines({ class: "writes-files", writes: "lockfiles" })).toBe(false);
  expect(await readsLines({ effect: "git-history" }, "npm test && git status")).toBe(false);
  expect(await readsLines({ effect: "git-history" }, "npm test && git push")).toBe(true);
});

test("matchers that can name a tool load no checks of matchers", async () => {
  const loadsChecks = async (matcher: string) => {
    const dir = tempDir({
      "hooks.yaml": JSON.stringify({ pre_tool_use: [{ matcher, hooks: HOOKS.pre_tool_use[0]?.hooks }] }),
    });
    const program = await InspectedProgram.start(["dispatch", "--hooks-file", "hooks.yaml"], dir);
    await program.ask(call(1), 1);
    const loaded = program.files();
    await program.end();
    return loaded.includes("src/config/notices/hook-notices.ts");
  };
  expect(await loadsChecks("mcp__github__.*|shell")).toBe(false);
  expect(await loadsChecks("(read|write)_file|fetch")).toBe(false);
  expect(await loadsChecks("no_such_tool")).toBe(true);
});

/** Runs an agent whose model asks for one tool call, then for `calls`. Returns how often code ran in the second turn. */
async function countedTurn(calls: number): Promise<Map<string, number>> {
  const counts: Map<string, number>[] = [];
  const before = async () => void counts.push(await program.counts());
  const shell = { name: "shell", arguments: { cmd: "true" } };
  const server = fakeOpenAI([
    { calls: [shell] },
    { calls: Array.from({ length: calls }, () => shell), before },
    { text: "done", before },
  ]);
  const dir = tempDir({ "agent.yaml": agentFor(server, { hooks: HOOKS }) });
  const program = await InspectedProgram.start(["run", "agent.yaml", "--yolo", "go"], dir);
  expect(await program.end()).toBe(0);
  server.stop();
  const [start, end] = counts;
  if (!start || !end) throw new Error("the model was not asked three times");
  return new Map([...end].map(([file, count]) => [file, count - (start.get(file) ?? 0)]));
}

test("run: the files in which a turn with a tool call runs code, and those in which one more call does", async () => {
  const [one, two] = [await countedTurn(1), await countedTurn(2)];
  const turn = grown(new Map(), one);
  const toolCall = grown(one, two);
  expect(measured("run by each turn with one tool call", turn)).toBeLessThanOrEqual(134);
  expect(measured("run by each further tool call of a turn", toolCall)).toBeLessThanOrEqual(92);
});
