import { expect, test } from "bun:test";
import { run } from "../../builtins/add_environment_info.ts";
import { callBuiltin, sh, temporaryDirectory } from "../helpers/call-builtin.ts";

const call = (cwd: string) => callBuiltin(run, { hook_event_name: "session_start", cwd });

test.if(process.platform === "linux")("gives its block with tabs", async () => {
  await using directory = await temporaryDirectory();
  expect((await call(directory.path)).context).toBe(
    [
      "Here is useful information about the environment you are running in:",
      "\t<env>",
      `\tWorking directory: ${directory.path}`,
      "\tIs directory a git repo: No",
      "\tOperating System: Linux",
      `\tCPU Architecture: ${process.arch}`,
      "\t</env>",
    ].join("\n"),
  );
});

test("sees a repository from a directory inside it", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "git init -q; mkdir -p a/b");
  expect((await call(`${directory.path}/a/b`)).context).toContain("git repo: Yes");
});

test("sees a linked worktree, whose .git is a file", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "mkdir -p tree/src; echo 'gitdir: /nowhere' > tree/.git");
  expect((await call(`${directory.path}/tree/src`)).context).toContain("git repo: Yes");
});

test("is silent without a directory", async () => {
  expect((await call("")).output).toBeUndefined();
});
