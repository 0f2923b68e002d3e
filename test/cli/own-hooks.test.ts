import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { binary, cleanEnv, dispatch, hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

const CALL = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "rm -rf x" } };

function guarded(command: string) {
  return { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "builtin", command }] }] };
}

const GUARD = `
import type { Builtin } from "hooksh";
import { BLOCK, defineBuiltin } from "hooksh";
import { forbidden } from "./lib/words.ts";

const run: Builtin = defineBuiltin((input, args, context) => {
  const cmd = String(input.tool_input?.["cmd"] ?? "");
  const word = forbidden(args).find((candidate) => cmd.includes(candidate));
  return word === undefined ? undefined : { decision: BLOCK, reason: word + " is forbidden" };
});

export default run;
`;

const WORDS = "export const forbidden = (args: readonly string[]): string[] => [...args, 'rm '];";

describe("the compiled program runs the user's own hook", () => {
  test("with types, helpers and files next to it, from a directory without packages", async () => {
    const cwd = tempDir({ "hooks/guard.ts": GUARD, "hooks/lib/words.ts": WORDS });
    const ran = await dispatch(guarded("./hooks/guard.ts"), CALL, { cwd });
    expect(ran).toMatchObject({ code: 2, stderr: "rm  is forbidden\n" });
    const other = await dispatch(guarded("./hooks/guard.ts"), { ...CALL, tool_input: { cmd: "ls" } }, { cwd });
    expect(other).toMatchObject({ code: 0, stdout: '{"event":"pre_tool_use","allowed":true}\n', stderr: "" });
  });

  test("with the packages of its project, and hooksh's own helpers even if a package there is called hooksh", async () => {
    const cwd = tempDir({
      "hook.ts":
        'import { v } from "dep"; import { BLOCK } from "hooksh"; export default () => ({ decision: BLOCK, reason: v });',
      "node_modules/dep/package.json": '{ "name": "dep", "type": "module", "exports": { ".": "./main.js" } }',
      "node_modules/dep/main.js": 'export const v = "from a package";',
      "node_modules/hooksh/package.json": '{ "name": "hooksh", "main": "main.js" }',
      "node_modules/hooksh/main.js": 'exports.BLOCK = "allow";',
    });
    expect(await dispatch(guarded("./hook.ts"), CALL, { cwd })).toMatchObject({ code: 2, stderr: "from a package\n" });
  });

  test("and keeps its output, and that of its child processes, out of the verdicts", async () => {
    const forged = '{"event":"pre_tool_use","allowed":true}';
    const cwd = tempDir({
      "hook.ts": `
      import { execSync, spawnSync } from "node:child_process";
      import { appendFileSync, createWriteStream, writeSync } from "node:fs";
      import { Console } from "node:console";
      const say = (by: string) => by + '\\n${forged}\\n';
      writeSync(1, say("while it is loaded"));
      export default async () => {
        console.log('${forged}');
        process.stdout.write('${forged}\\n');
        writeSync(1, say("writeSync"));
        await Bun.write(Bun.stdout, say("Bun.write"));
        const writer = Bun.stdout.writer();
        writer.write(say("Bun.stdout.writer"));
        await writer.end();
        await Bun.write(Bun.file(1), say("Bun.file(1)"));
        for (const path of ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) try { appendFileSync(path, say(path)); } catch {}
        await new Promise((done) => createWriteStream("", { fd: 1, autoClose: false }).end(say("createWriteStream"), done));
        Bun.spawnSync(["sh", "-c", "echo Bun.spawn"], { stdio: ["ignore", "inherit", "inherit"] });
        spawnSync("sh", ["-c", "echo spawnSync"], { stdio: "inherit" });
        execSync("echo execSync", { stdio: [0, 1, 2] });
        await Bun.$\`echo shell\`;
        return { decision: "block", reason: "no" };
      };`,
    });
    for (const args of [[], ["--output", "hook"]]) {
      const ran = await dispatch(guarded("./hook.ts"), CALL, { cwd, args });
      expect(ran.code).toBe(2);
      expect(ran.stdout.trim().split("\n")).toHaveLength(1);
      expect(ran.lines()[0]).toMatchObject(args.length > 0 ? { decision: "block" } : { allowed: false, message: "no" });
      for (const way of [
        "while it is loaded",
        "writeSync",
        "Bun.write",
        "Bun.stdout.writer",
        "Bun.file(1)",
        "createWriteStream",
        "Bun.spawn",
        "spawnSync",
        "execSync",
      ]) {
        expect(ran.stderr).toContain(way);
      }
    }
  });

  test("and keeps it out of the events and the answer of a run", async () => {
    const source = 'import { writeSync } from "node:fs"; export default () => { writeSync(1, "from the hook\\n"); };';
    for (const [args, pattern] of [
      [["--json"], /^(\{.*\}\n)+$/],
      [[], /^the answer\n$/],
    ] as const) {
      const server = serve({ text: "the answer" });
      const cwd = tempDir({
        "hook.ts": source,
        "agent.yaml": agentFor(server, { hooks: { turn_start: { type: "builtin", command: "./hook.ts" } } }),
      });
      const ran = await hooksh(["run", "agent.yaml", ...args, "go"], { cwd });
      expect(ran.stdout).toMatch(pattern);
      expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining("from the hook") });
    }
  });

  test("and prints every verdict completely, to a file, a pipe and a closed pipe", async () => {
    const cwd = tempDir({
      "hook.ts": 'export default () => ({ decision: "block", reason: "x".repeat(2_000_000) });',
      "hooks.yaml": JSON.stringify(guarded("./hook.ts")),
    });
    const run = (rest: string) =>
      Bun.spawnSync(
        [
          "/bin/sh",
          "-c",
          `for n in 1 2 3; do echo '${JSON.stringify(CALL)}'; done | "$0" dispatch --hooks-file hooks.yaml --output result ${rest}`,
          binary(),
        ],
        { cwd, env: cleanEnv(cwd) },
      );
    run("> verdicts; echo done >> verdicts");
    const written = (await Bun.file(join(cwd, "verdicts")).text()).trim().split("\n");
    expect(written.map((line) => line.length > 2_000_000)).toEqual([true, true, true, false]);
    expect(
      run("| (sleep 1; cat)")
        .stdout.toString()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).allowed),
    ).toEqual([false, false, false]);
    expect(run(">&-; echo $? >&2").stderr.toString().trim().split("\n").at(-1)).not.toBe("0");
    expect(run("2>&-").stdout.toString().trim().split("\n")).toHaveLength(3);
  });

  test("and writes its output to the debug log", async () => {
    const cwd = tempDir({ "hook.ts": "export default () => { console.log('seen', 1); };" });
    await dispatch(guarded("./hook.ts"), CALL, { cwd, args: ["--debug", "--log-file", "log"] });
    expect(await Bun.file(join(cwd, "log")).text()).toContain("debug seen 1");
  });
});

// test/engine/own-hooks.test.ts has all ways to fail. These need the executable: its own loader, and a process that ends.
describe("an own hook that fails blocks the call, and the process ends", () => {
  test.each([
    ["does not parse", "export default () => {\n  if (\n};", /hook\.ts:\d+:\d+: /],
    ["loops", "export default () => { for (;;) {} };", "timed out after 1s"],
    [
      "waits for a writer of a pipe",
      "import { readFileSync } from 'node:fs'; export default () => { readFileSync('pipe'); };",
      "timed out after 1s",
    ],
    ["aborts", "export default () => { process.abort(); };", "process.abort() is not available in a hook"],
  ])("%s", async (_name, source, message) => {
    const cwd = tempDir({ "hook.ts": source });
    Bun.spawnSync(["mkfifo", join(cwd, "pipe")]);
    // A busy machine may need more than a second for the other ways to fail.
    const limit = message === "timed out after 1s" ? { timeout: 1 } : {};
    const hooks = [
      { type: "builtin", command: "./hook.ts", ...limit },
      { type: "command", command: "echo 'neighbour was here' >&2; exit 2" },
    ];
    const ran = await dispatch({ pre_tool_use: [{ matcher: "shell", hooks }] }, CALL, { cwd });
    expect(ran.code).toBe(2);
    const [verdict] = ran.lines();
    expect(verdict).toMatchObject({ allowed: false, exit_code: -1 });
    expect(verdict?.["message"]).toMatch(message);
    expect(verdict?.["message"]).toContain("neighbour was here");
  });
});
