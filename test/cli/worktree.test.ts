import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const serve = modelServers();

function git(cwd: string, ...args: string[]): string {
  const env = { PATH: Bun.env["PATH"] ?? "", GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const ran = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd, env });
  if (ran.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${ran.stderr}`);
  return ran.stdout.toString().trim();
}

/** A repository with one commit, an agent with hooks on `worktree_create`, and a run of it. */
function project(hooks: object, ...steps: Step[]) {
  const server = serve(...steps);
  const base = realpathSync(tempDir({ "repo/kept": "x\n", "repo/.gitignore": "ignored\n" }));
  const repo = join(base, "repo");
  writeFileSync(join(base, "agent.yaml"), agentFor(server, { hooks }));
  git(repo, "init", "-q", "-b", "main");
  git(repo, "add", "-A");
  git(repo, "commit", "-q", "-m", "one");
  const run = (...args: string[]) =>
    hooksh(["run", join(base, "agent.yaml"), "--data-dir", join(base, "data"), ...args], { cwd: repo });
  // a named directory must exist
  Bun.spawnSync(["mkdir", join(base, "data")]);
  return { base, repo, server, run, tree: (name: string) => join(base, "data/worktrees", name) };
}

const DONE: Step = { text: "done." };
const command = (text: string) => [{ type: "command", command: text }];

describe("run --worktree", () => {
  test("creates a worktree on a new branch, in which hooks and tools run", async () => {
    const { base, repo, run, tree } = project(
      {
        worktree_create: command(`cat >${"$OUT"}/payload; pwd; echo set up`),
        session_start: command("pwd >session-dir"),
      },
      { text: "try", calls: [{ name: "shell", arguments: { cmd: "pwd >made; git branch --show-current" } }] },
      DONE,
      DONE,
    );
    const ran = await hooksh(
      ["run", join(base, "agent.yaml"), "--data-dir", join(base, "data"), "--worktree=fix", "--yolo", "go"],
      { cwd: repo, env: { OUT: base } },
    );
    const path = tree("fix");
    expect(ran).toMatchObject({ code: 0, stderr: `worktree: ${path} on the branch worktree-fix\n${path}\nset up\n` });
    expect(ran.stdout).toContain("worktree-fix");
    expect(JSON.parse(readFileSync(join(base, "payload"), "utf8"))).toEqual({
      session_id: "",
      cwd: path,
      hook_event_name: "worktree_create",
      agent_name: "root",
      worktree_path: path,
      worktree_branch: "worktree-fix",
      worktree_source_dir: repo,
    });
    expect(readFileSync(join(path, "made"), "utf8").trim()).toBe(path);
    expect(readFileSync(join(path, "session-dir"), "utf8").trim()).toBe(path);
    expect([existsSync(join(path, "kept")), git(repo, "status", "--porcelain")]).toEqual([true, ""]);
    expect((await run("--session", "-1", "--worktree", "again")).code).toBe(0);
    expect(readdirSync(join(base, "data/worktrees"))).toEqual(["fix"]);
  });

  test("runs no filter of the repository's configuration, and says so", async () => {
    const { base, repo, run, tree } = project({}, DONE);
    writeFileSync(join(repo, ".gitattributes"), "kept filter=evil\n");
    git(repo, "add", "-A");
    git(repo, "commit", "-q", "-m", "two");
    for (const [key, value] of [
      ["smudge", `touch ${base}/SMUDGED; cat`],
      ["clean", `touch ${base}/CLEANED; cat`],
      ["process", `touch ${base}/PROCESSED; cat`],
      ["required", "true"],
    ] as const)
      git(repo, "config", `filter.evil.${key}`, value);
    const ran = await run("--worktree=safe", "go");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain(`warning: --worktree: filters in the configuration of ${repo} did not run: evil\n`);
    expect(readFileSync(join(tree("safe"), "kept"), "utf8")).toBe("x\n");
    expect(readdirSync(base).filter((name) => name.endsWith("ED"))).toEqual([]);
  });

  test("without a name makes up a new one each time; a headless run keeps the worktree", async () => {
    const { base, repo, run } = project({}, DONE, DONE);
    expect((await run("--worktree", "go")).code).toBe(0);
    expect((await run("-w", "go")).code).toBe(0);
    const names = readdirSync(join(base, "data/worktrees"));
    expect(names.length).toBe(2);
    expect(git(repo, "branch", "--list", "worktree-*").split("\n").length).toBe(2);
  });

  test.each([
    ["echo 'not today' >&2; exit 2", "not today"],
    ['echo \'{"decision":"block"}\'', ""],
  ])("a hook that blocks (%s) ends the run before its session, and removes the worktree", async (text, message) => {
    const { base, repo, server, run, tree } = project({
      worktree_create: command(text),
      session_start: command("touch $HOME/../started"),
    });
    const ran = await run("--worktree=fix", "--quiet", "go");
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain(
      `worktree_create hook aborted the run: ${message || "a worktree_create hook blocked the run"}`,
    );
    expect([
      existsSync(tree("fix")),
      git(repo, "branch", "--list", "worktree-*"),
      git(repo, "worktree", "list").split("\n").length,
    ]).toEqual([false, "", 1]);
    expect([server.requests.length, existsSync(join(base, "started"))]).toEqual([0, false]);
  });

  test.each([
    ["a file", "echo x >new", "it contains changes"],
    ["an ignored file", "echo x >ignored", "it contains changes"],
    ["a commit", "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m two", "it contains commits"],
  ])("a worktree into which a blocking hook has put %s is kept", async (_what, text, reason) => {
    const { run, tree } = project({ worktree_create: command(`${text}; exit 2`) });
    const ran = await run("--worktree=fix", "--quiet", "go");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`the worktree ${tree("fix")} on the branch worktree-fix is kept: ${reason}`);
    expect(existsSync(tree("fix"))).toBe(true);
  });

  test("a failing hook warns, and the run continues", async () => {
    const { run } = project({ worktree_create: command("exit 7") }, DONE);
    const ran = await run("--worktree=fix", "go");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("worktree_create");
  });

  test("says why it cannot create a worktree", async () => {
    const { base, repo, run } = project({}, DONE, DONE);
    expect((await run("--worktree=fix", "go")).code).toBe(0);
    const again = await run("--worktree=fix", "go");
    expect(again).toMatchObject({ code: 1 });
    expect(again.stderr).toContain("already exists");
    const named = await run("--worktree=../x", "go");
    expect([named.code, named.stderr.includes("a name starts with")]).toEqual([64, true]);
    git(repo, "branch", "worktree-taken");
    const taken = await run("--worktree=taken", "go");
    expect([taken.code, taken.stderr.includes("worktree-taken")]).toEqual([1, true]);
    const outside = await hooksh(["run", join(base, "agent.yaml"), "--worktree", "go"], { cwd: base });
    expect([outside.code, outside.stderr.includes("is not in a git repository")]).toEqual([1, true]);
    expect((await run("go")).code).toBe(0);
    const resumed = await run("--session", "-1", "--worktree", "go");
    expect([resumed.code, resumed.stderr.includes("leave out --worktree")]).toEqual([64, true]);
  });

  test.each([
    ["without changes goes", "true", false],
    ["with a change stays", "touch new", true],
  ])("at the end of a conversation a worktree %s", async (_what, cmd, stays) => {
    const { base, repo, tree } = project({}, { text: "try", calls: [{ name: "shell", arguments: { cmd } }] }, DONE);
    const run = startAtTerminal(repo, [
      "run",
      join(base, "agent.yaml"),
      "--data-dir",
      join(base, "data"),
      "--worktree=fix",
      "--yolo",
    ]);
    await run.sees("> ");
    run.press("go\r");
    await run.sees("done.");
    await run.sees("> ");
    run.press("/exit\r");
    expect(await run.child.exited).toBe(0);
    expect([existsSync(tree("fix")), git(repo, "branch", "--list", "worktree-*") !== ""]).toEqual([stays, stays]);
    expect(run.shown().includes(`${tree("fix")} on the branch worktree-fix is kept: it contains changes`)).toBe(stays);
  });

  test("a run without a message leaves nothing behind", async () => {
    const { base, repo, run } = project({});
    expect((await run("--worktree=fix")).code).toBe(1);
    expect([readdirSync(join(base, "data/worktrees")), git(repo, "branch", "--list", "worktree-*")]).toEqual([[], ""]);
  });
});
