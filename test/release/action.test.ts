import { afterEach, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { repositoryAddress } from "../../scripts/repository.ts";
import { cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { type ReleasesPage, serveReleases } from "./releases-page.ts";

const root = join(import.meta.dir, "../..");

interface Action {
  outputs: Record<string, { description: string; value: string }>;
  inputs: Record<string, { default?: string; required?: boolean }>;
  runs: {
    using: string;
    steps: {
      id?: string;
      name: string;
      shell: string;
      run: string;
      env: Record<string, string>;
      "working-directory"?: string;
    }[];
  };
}

const action = parse(await Bun.file(join(root, "action.yml")).text()) as Action;

const pages: ReleasesPage[] = [];
afterEach(() => {
  for (const page of pages.splice(0)) page.stop();
});

/** Stands in for hooksh: says which arguments and which message it was given. */
const PROGRAM =
  '#!/bin/sh\n[ "$1" = version ] && echo hooksh 9.9.9 && exit\nfor a in "$@"; do echo "<$a>"; done\ncat\n[ -z "$STATUS" ] || basename "$PWD"\nexit ${STATUS:-0}\n';

interface Result {
  code: number;
  stdout: string;
  stderr: string;
  asked: string[];
  cwd: string;
}

interface ActionOptions {
  ref?: string;
  env?: Record<string, string>;
  repository?: string;
  /** The commit that a pull request changes. */
  base?: string;
  files?: Record<string, string>;
}

/** Does what a runner does with the action: fills in expressions, then runs the steps one after the other. */
async function runAction(
  given: Record<string, string>,
  { ref = "main", env = {}, repository, base = "", files = {} }: ActionOptions = {},
): Promise<Result> {
  const packed = Bun.gzipSync(Buffer.from(PROGRAM));
  const name = "hooksh-linux-x64.gz";
  const page = serveReleases(
    { [name]: packed, SHA256SUMS: `${createHash("sha256").update(packed).digest("hex")}  ${name}\n` },
    "v9.9.9",
  );
  pages.push(page);
  const cwd = tempDir({ "sub/agent.yaml": "", ...files });
  const inputs = {
    ...Object.fromEntries(Object.entries(action.inputs).map(([key, { default: value = "" }]) => [key, value])),
    ...given,
  };
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(inputs).map(([key, value]) => [`inputs.${key}`, value])),
    "github.action_ref": ref,
    "github.action_path": root,
    "github.repository": "acme/shop",
    "github.event.pull_request.base.sha": base,
    "github.event.pull_request.number": base === "" ? "" : "7",
    // The releases page is at http://127.0.0.1:PORT/releases: the host stands for the repository.
    "github.server_url": "http:/",
    "github.action_repository": repository ?? new URL(page.url).host,
  };
  const fill = (text: string) =>
    text.replace(/\$\{\{ ([\w.-]+) \}\}/g, (_all, key: string) => values[key] ?? `no ${key}`);
  const result: Result = { code: 0, stdout: "", stderr: "", asked: page.asked, cwd };
  for (const step of action.runs.steps) {
    const own = Object.fromEntries(Object.entries(step.env).map(([key, value]) => [key, fill(value)]));
    const child = Bun.spawn(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: join(cwd, fill(step["working-directory"] ?? ".")),
      env: cleanEnv(cwd, { RUNNER_TEMP: join(cwd, "temp"), HOOKSH_PLATFORM: "linux-x64", ...env, ...own }),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
    result.code = code;
    result.stdout += stdout;
    result.stderr += stderr;
    if (code !== 0) break;
  }
  return result;
}

describe("the rules of a pull request", () => {
  const given = { agent: "agent.yaml", message: "m", rules: "hooks.yaml" };
  const summary = join(tempDir({}), "summary.md");
  const GH = `#!/bin/sh
printf '%s\\n' "$*" >> gh.log
case "$*" in *--paginate*) [ "$GH_TOKEN" = known ] && printf '5\\n6\\n' ;; esac
exit 0
`;

  /** Runs the action in a repository whose base commit has other rules, with a gh that only notes its arguments. */
  async function compared(token: string) {
    const files = { "hooks.yaml": "rules: []\n", "bin/gh!x": GH };
    const git = (...args: string[]) => ["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args];
    const seed = tempDir(files);
    for (const args of [
      ["init", "-q"],
      ["add", "hooks.yaml"],
      ["commit", "-qm", "base"],
    ])
      expect(Bun.spawnSync(git(...args), { cwd: seed }).success).toBe(true);
    const base = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: seed }).stdout.toString().trim();
    const env = {
      GIT_DIR: join(seed, ".git"),
      GIT_WORK_TREE: seed,
      GITHUB_STEP_SUMMARY: summary,
      PATH: `${join(seed, "bin")}:${process.env["PATH"]}`,
    };
    const ran = await runAction({ ...given, token }, { base, env, files: { "hooks.yaml": "rules: [1]\n" } });
    return { ...ran, calls: existsSync(join(ran.cwd, "gh.log")) ? await Bun.file(join(ran.cwd, "gh.log")).text() : "" };
  }

  test("are compared with those of its base, in the summary", async () => {
    const { code, calls } = await compared("");
    expect(code).toBe(0);
    const text = await Bun.file(summary).text();
    expect(text).toMatch(/^<!-- hooksh rules hooks\.yaml -->\n### Rules in `hooks\.yaml`\n\n~~~~~~text\n/);
    expect(text).toMatch(/<rules>\n<compare>\n<.*hooksh-base\/hooks\.yaml>\n<hooks\.yaml>\n~~~~~~\n$/);
    expect(calls).toBe("");
  });

  test("are in one comment, which is made or updated", async () => {
    expect((await compared("fresh")).calls).toMatch(/-X POST repos\/acme\/shop\/issues\/7\/comments -F body=@/);
    expect((await compared("known")).calls).toMatch(/-X PATCH repos\/acme\/shop\/issues\/comments\/5 -F body=@/);
  });

  test("are not looked at outside of a pull request", async () => {
    const { code, stdout } = await runAction(given);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "<run>\n<-->\n<agent.yaml>\n<->\nm\n" });
  });
});

describe("the action", () => {
  test("has the outputs that a run writes", async () => {
    const path = join(tempDir({ output: "" }), "output");
    const env = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: path };
    expect((await hooksh(["run", "--no-such-flag"], { cwd: tempDir(), env })).code).toBe(64);
    const written = [...(await Bun.file(path).text()).matchAll(/^([\w-]+)<</gm)].map(([, name = ""]) => name);
    const expected = written.map((name) => [name, `\${{ steps.run.outputs.${name} }}`]);
    expect(Object.entries(action.outputs).map(([name, { value }]) => [name, value])).toEqual(expected);
    expect(action.runs.steps.map(({ id }) => id)).toEqual([undefined, "rules", "run"]);
  });

  test("installs hooksh and runs the agent with the message", async () => {
    const { code, stdout, asked } = await runAction({ agent: "agent.yaml", message: "Review this." });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "<run>\n<-->\n<agent.yaml>\n<->\nReview this.\n" });
    expect(asked).toEqual(["/releases/latest/download/SHA256SUMS", "/releases/latest/download/hooksh-linux-x64.gz"]);
  });

  test("no shell reads its inputs", async () => {
    const message = "$(touch run) `touch run`; touch run\n\"'--yolo";
    const { stdout, cwd } = await runAction({
      agent: "a b.yaml; touch run",
      message,
      args: "--hook-stop\necho $(touch run)\n\n--safety\nstrict\n",
    });
    expect(stdout).toBe(
      `<run>\n<--hook-stop>\n<echo $(touch run)>\n<--safety>\n<strict>\n<-->\n<a b.yaml; touch run>\n<->\n${message}\n`,
    );
    expect(existsSync(join(cwd, "run"))).toBe(false);
    for (const { run } of action.runs.steps) expect(run).not.toContain("${{");
  });

  test("the release is the one that is asked for, else the tag of the action, else the latest", async () => {
    const given = { agent: "a", message: "m" };
    const asked = async (inputs: object, ref: string) => (await runAction({ ...given, ...inputs }, { ref })).asked[0];
    expect(await asked({ version: "v9.9.9" }, "v0.0.1")).toBe("/releases/download/v9.9.9/SHA256SUMS");
    expect(await asked({}, "v9.9.9")).toBe("/releases/download/v9.9.9/SHA256SUMS");
    expect(await asked({}, "v9")).toBe("/releases/latest/download/SHA256SUMS");
  });

  test("runs nothing when the checksum is not the one that is asked for", async () => {
    const { code, stdout, stderr } = await runAction({ agent: "a", message: "m", sha256: "0".repeat(64) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("but HOOKSH_SHA256 says");
  });

  test("works in the directory that is named, and ends with the exit code of the run", async () => {
    const { code, stdout } = await runAction(
      { agent: "agent.yaml", message: "m", "working-directory": "sub" },
      { env: { STATUS: "3" } },
    );
    expect({ code, last: stdout.trimEnd().split("\n").at(-1) }).toEqual({ code: 3, last: "sub" });
  });

  test.if(repositoryAddress() === undefined)(
    "in a folder of a workflow's own repository, it asks for the address",
    async () => {
      const { code, stderr, asked } = await runAction({ agent: "a", message: "m" }, { repository: "" });
      expect({ code, asked }).toEqual({ code: 1, asked: [] });
      expect(stderr).toContain("this installer names no releases page");
    },
  );

  test("the composite action says what it needs", () => {
    expect(action.runs.using).toBe("composite");
    expect(
      Object.entries(action.inputs)
        .filter(([, { required }]) => required)
        .map(([key]) => key),
    ).toEqual(["agent", "message"]);
  });
});
