import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { settled } from "../helpers/settled.ts";
import { COMMIT, child, sh, TestRepository } from "../snapshot/snapshot-repository.ts";

let repo: TestRepository;

beforeEach(async () => {
  repo = await TestRepository.create({ "a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "*.log\n/build/\n" });
});

afterEach(() => repo.remove());

const MEGABYTE = 1024 * 1024;

test("a turn that changes, creates, deletes and renames files is one checkpoint with these files", async () => {
  repo.write("old.txt", "kept\n");
  await repo.turn(() => {
    repo.write("a.txt", "changed\n");
    repo.write("new/c.txt", "created\n");
    rmSync(join(repo.root, "sub/b.txt"));
    renameSync(join(repo.root, "old.txt"), join(repo.root, "renamed.txt"));
  });
  expect(await repo.checkpoints()).toEqual([["a.txt", "new/c.txt", "old.txt", "renamed.txt", "sub/b.txt"]]);
  expect(repo.log).toEqual([]);
});

test("a turn without file changes adds no checkpoint", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  await repo.turn(() => {});
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("the user's git directory is left as it is, and the shadow holds no commit and no ref", async () => {
  repo.write("untracked.txt", "x\n");
  const before = await repo.gitFiles();
  await repo.event("session_start");
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  await repo.call("1", () => repo.write("a.txt", "again\n"));
  await repo.undo();
  await repo.event("session_end");
  expect(await repo.gitFiles()).toBe(before);
  const kinds = "git cat-file --batch-all-objects --batch-check='%(objecttype)' | sort -u";
  expect(await sh(repo.shadow(), `${kinds}; git for-each-ref`)).toBe("blob\ntree\n");
  expect(repo.log).toEqual([]);
});

test("the shadow lies in the data directory under the hash of the worktree's root", async () => {
  await repo.event("session_start", { cwd: join(repo.root, "sub") });
  const id = new Bun.CryptoHasher("sha256").update(repo.root).digest("hex").slice(0, 32);
  expect(repo.shadow()).toBe(join(repo.data, "snapshot", id));
  const config = "for key in autocrlf longpaths symlinks fsmonitor; do git config core.$key; done";
  expect(await sh(repo.shadow(), config)).toBe("false\ntrue\ntrue\nfalse\n");
});

test("ignored files are not recorded, whichever file the rule is in", async () => {
  await sh(repo.root, "echo private.txt >> .git/info/exclude");
  await repo.turn(() => {
    for (const path of ["x.log", "build/out.bin", "private.txt", "seen.txt"]) repo.write(path, "x\n");
  });
  expect(await repo.checkpoints()).toEqual([["seen.txt"]]);
});

test("the user's own ignore rules count", async () => {
  repo.env = { ...repo.env, HOME: repo.base };
  mkdirSync(join(repo.base, ".config/git"), { recursive: true });
  writeFileSync(join(repo.base, ".config/git/ignore"), "usual.txt\n");
  const change = () => ["usual.txt", "chosen.txt"].forEach((path) => repo.write(path, `${Math.random()}\n`));
  await repo.turn(change);
  expect(await repo.checkpoints()).toEqual([["chosen.txt"]]);
  writeFileSync(join(repo.base, "chosen"), "chosen.txt\n");
  writeFileSync(join(repo.base, ".gitconfig"), "[core]\n\texcludesFile = ~/chosen\n");
  await repo.event("session_start");
  await repo.turn(change);
  expect(await repo.checkpoints()).toEqual([["chosen.txt"], ["usual.txt"]]);
});

test("a file that becomes ignored during a turn is not in its checkpoint", async () => {
  repo.write("secrets.txt", "x\n");
  await repo.turn(() => {
    repo.write(".gitignore", "secrets.txt\n");
    repo.write("secrets.txt", "y\n");
  });
  expect(await repo.checkpoints()).toEqual([[".gitignore"]]);
  expect(await sh(repo.shadow(), "git ls-files")).not.toContain("secrets.txt");
});

test("an ignore rule that only the repository's own git finds counts", async () => {
  await sh(repo.root, "git config core.excludesFile rules; echo private.txt > rules; echo x > private.txt");
  await repo.event("session_start");
  expect(await sh(repo.shadow(), "git ls-files")).toBe(".gitignore\na.txt\nrules\nsub/b.txt\n");
});

test("a file that stops being ignored during a turn is not treated as new", async () => {
  repo.write("precious.log", "cannot be brought back\n");
  await repo.turn(() => {
    repo.write(".gitignore", "");
    repo.write("really-new.txt", "x\n");
  });
  expect(await repo.checkpoints()).toEqual([[".gitignore", "really-new.txt"]]);
  await repo.undo();
  expect(repo.read("precious.log")).toBe("cannot be brought back\n");
});

test("the same holds for a rule in the repository's own exclude file", async () => {
  await sh(repo.root, "echo precious.txt > .git/info/exclude");
  repo.write("precious.txt", "cannot be brought back\n");
  await repo.turn(() => sh(repo.root, ": > .git/info/exclude; echo x > really-new.txt"));
  expect(await repo.checkpoints()).toEqual([["really-new.txt"]]);
});

test("a new file above 2 MiB is not recorded, one of exactly 2 MiB is", async () => {
  await repo.turn(() => {
    repo.write("large.bin", new Uint8Array(2 * MEGABYTE + 1));
    repo.write("limit.bin", new Uint8Array(2 * MEGABYTE));
  });
  expect(await repo.checkpoints()).toEqual([["limit.bin"]]);
  expect(readFileSync(join(repo.shadow(), "info/exclude"), "utf8")).toContain("\n/large.bin\n");
});

test("a recorded file that grows above 2 MiB is recorded and comes back", async () => {
  await repo.turn(() => repo.write("a.txt", new Uint8Array(3 * MEGABYTE)));
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  expect((await repo.undo()).ok).toBe(true);
  expect(repo.read("a.txt")).toBe("one\n");
});

test("a large file that shrinks is recorded from then on and does not count as new", async () => {
  repo.write("large.bin", new Uint8Array(3 * MEGABYTE));
  await repo.turn(() => repo.write("large.bin", "small\n"));
  expect(await repo.checkpoints()).toEqual([]);
  await repo.turn(() => repo.write("large.bin", "smaller\n"));
  expect(await repo.checkpoints()).toEqual([["large.bin"]]);
});

test("files outside the working directory's part of the worktree are not recorded", async () => {
  await repo.turn(
    () => {
      repo.write("a.txt", "outside\n");
      repo.write("sub/b.txt", "inside\n");
    },
    { cwd: join(repo.root, "sub") },
  );
  expect(await repo.checkpoints()).toEqual([["sub/b.txt"]]);
});

test("a working directory whose name is a pattern is that directory", async () => {
  repo.write("[ab]/c.txt", "one\n");
  repo.write("a/c.txt", "one\n");
  await repo.turn(
    () => {
      repo.write("[ab]/c.txt", "changed\n");
      repo.write("a/c.txt", "changed\n");
    },
    { cwd: join(repo.root, "[ab]") },
  );
  expect(await repo.checkpoints()).toEqual([["[ab]/c.txt"]]);
});

test("a tool call has its own checkpoint, and ending it twice has no effect", async () => {
  await repo.call("1", () => repo.write("a.txt", "changed\n"));
  repo.write("a.txt", "changed by the user\n");
  await repo.event("post_tool_use", { tool_use_id: "1" });
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("a tool call without an id is not remembered", async () => {
  await repo.call("", () => repo.write("a.txt", "changed\n"));
  expect(await repo.checkpoints()).toEqual([]);
});

test("a turn's checkpoint leaves out what the checkpoints of its tool calls hold", async () => {
  await repo.turn(async () => {
    await repo.call("1", () => repo.write("a.txt", "first\n"));
    await repo.call("2", () => repo.write("a.txt", "second\n"));
    repo.write("aside.txt", "no tool\n");
  });
  expect(await repo.checkpoints()).toEqual([["a.txt"], ["a.txt"], ["aside.txt"]]);
  await repo.undo();
  expect([repo.read("aside.txt"), repo.read("a.txt")]).toEqual([undefined, "second\n"]);
  await repo.undo();
  expect(repo.read("a.txt")).toBe("first\n");
  await repo.undo();
  expect(repo.read("a.txt")).toBe("one\n");
});

test("a turn whose tool calls hold everything adds no checkpoint", async () => {
  await repo.turn(() => repo.call("1", () => repo.write("a.txt", "changed\n")));
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("two tool calls at once do not record the same change twice", async () => {
  await repo.event("pre_tool_use", { tool_use_id: "1" });
  await repo.event("pre_tool_use", { tool_use_id: "2" });
  repo.write("a.txt", "changed\n");
  await repo.event("post_tool_use", { tool_use_id: "1" });
  await repo.event("post_tool_use", { tool_use_id: "2" });
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("each undo goes one step back when a file changed before, in and after a tool call", async () => {
  await repo.turn(async () => {
    repo.write("a.txt", "before\n");
    await repo.call("1", () => repo.write("a.txt", "in\n"));
    repo.write("a.txt", "after\n");
  });
  const seen: (string | undefined)[] = [];
  while ((await repo.undo()).ok) seen.push(repo.read("a.txt"));
  expect(seen).toEqual(["in\n", "before\n", "one\n"]);
});

test("a linked worktree is recorded separately and its repository is left alone", async () => {
  await sh(repo.root, "git worktree add -q ../linked");
  const before = await repo.gitFiles();
  const linked = join(repo.base, "linked");
  await repo.event("turn_start", { cwd: linked });
  writeFileSync(join(linked, "a.txt"), "changed\n");
  await repo.event("turn_end", { cwd: linked });
  const { undoLast } = await import("../../src/snapshot/controller.ts");
  expect(await undoLast(repo.options({ cwd: linked }))).toMatchObject({ files: 1, ok: true });
  expect(readFileSync(join(linked, "a.txt"), "utf8")).toBe("one\n");
  expect(await repo.checkpoints()).toEqual([]);
  expect(await repo.gitFiles()).toBe(before);
});

test("submodules and nested repositories are neither recorded nor touched", async () => {
  await sh(repo.base, `git init -q lib; cd lib; echo x > x; ${COMMIT}`);
  await sh(repo.root, "git -c protocol.file.allow=always submodule add -q ../lib lib");
  await sh(repo.root, "git init -q nested; echo x > nested/x");
  await repo.turn(async () => {
    repo.write("lib/x", "changed\n");
    repo.write("nested/x", "changed\n");
    repo.write("a.txt", "changed\n");
    await sh(repo.root, "git init -q made; echo x > made/x");
  });
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  await repo.undo();
  expect([repo.read("lib/x"), repo.read("nested/x"), repo.read("made/x")]).toEqual(["changed\n", "changed\n", "x\n"]);
  expect(existsSync(join(repo.root, "made/.git"))).toBe(true);
});

test("new files in a directory that became a repository are not recorded", async () => {
  await repo.turn(() => sh(repo.root, "git init -q sub; mkdir sub/deep; echo x | tee sub/new.txt sub/deep/new.txt"));
  expect(await repo.checkpoints()).toEqual([]);
});

test("the files of a repository that stops being one are not treated as new", async () => {
  await sh(repo.root, "git init -q nested; echo x > nested/x");
  await repo.turn(() => rmSync(join(repo.root, "nested/.git"), { recursive: true }));
  expect(await repo.checkpoints()).toEqual([]);
});

test("the repository's configuration, attributes and hooks make no program run", async () => {
  const trap = join(repo.base, "trap");
  writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${repo.base}/trapped\ncat\n`);
  chmodSync(trap, 0o755);
  mkdirSync(join(repo.root, ".git/hooks"), { recursive: true });
  symlinkSync(trap, join(repo.root, ".git/hooks/post-index-change"));
  repo.write(".gitattributes", "* filter=trap text=auto eol=crlf ident\n");
  const keys = ["core.fsmonitor", "filter.trap.clean", "filter.trap.smudge", "filter.trap.process"];
  for (const key of keys) await sh(repo.root, `git config ${key} ${trap}`);
  repo.write("a.txt", "crlf\r\nlf\n$Id$\n");
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  await repo.undo();
  await repo.event("session_end");
  expect(existsSync(join(repo.base, "trapped"))).toBe(false);
  expect(repo.read("a.txt")).toBe("crlf\r\nlf\n$Id$\n");
});

test("a git program that the repository brings along is not run", async () => {
  repo.write("git", `#!/bin/sh\ntouch ${repo.base}/trapped\n`);
  chmodSync(join(repo.root, "git"), 0o755);
  const path = `.:${repo.env["PATH"]}`;
  expect((await child(["turn_start", repo.data, repo.root, "s"], { cwd: repo.root, path })).stderr).toBe("");
  repo.write("a.txt", "changed\n");
  await repo.event("turn_end");
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  expect(existsSync(join(repo.base, "trapped"))).toBe(false);
});

test("variables that point git elsewhere have no effect", async () => {
  const elsewhere = join(repo.base, "elsewhere");
  const names = ["GIT_DIR", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_WORK_TREE"];
  repo.env = { ...repo.env, ...Object.fromEntries(names.map((name) => [name, elsewhere])) };
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  expect(existsSync(elsewhere)).toBe(false);
});

test("a data directory inside the worktree does not record itself", async () => {
  const { run } = await import("../../builtins/snapshot.ts");
  const { listCheckpoints } = await import("../../src/snapshot/controller.ts");
  const data = join(repo.root, "inner");
  repo.write(".gitignore", "!/inner/snapshot/\n");
  const context = {
    signal: new AbortController().signal,
    memory: <T>(make: () => T) => make(),
    env: repo.env,
    log: () => {},
    directories: { config: data, data, cache: data },
  };
  const event = { session_id: "s", cwd: repo.root };
  await run({ ...event, hook_event_name: "turn_start" }, [], context);
  repo.write("a.txt", "changed\n");
  await run({ ...event, hook_event_name: "turn_end" }, [], context);
  const { checkpoints } = await listCheckpoints(repo.options({ dataDir: data }));
  expect(checkpoints.map(({ files }) => files)).toEqual([[join(repo.root, "a.txt")]]);
});

test("nothing happens outside a worktree, in a bare repository, without a session and without git", async () => {
  await sh(repo.base, "mkdir plain; git init -q --bare bare");
  const places = ["plain", "bare", "repo/.git", "missing"].map((name) => join(repo.base, name));
  for (const cwd of [...places, ""]) await repo.turn(() => {}, { cwd });
  await repo.turn(() => {}, { session_id: "" });
  repo.env = { PATH: join(repo.base, "plain") };
  await repo.turn(() => {});
  expect(existsSync(repo.data)).toBe(false);
});

test("an event that it does not support is only logged", async () => {
  await repo.event("stop");
  expect(existsSync(repo.data)).toBe(false);
  expect(repo.log).toEqual(["snapshot: nothing to do on stop"]);
});

test("a failure is logged and has no other effect", async () => {
  writeFileSync(repo.data, "a file where the data directory should be");
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  expect(repo.log).toHaveLength(2);
});

test("the end of a session keeps the states that checkpoints need and deletes other old ones", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  repo.write("a.txt", "passing state\n");
  await repo.event("session_start");
  repo.write("a.txt", "last\n");
  await repo.event("session_start");
  await sh(repo.shadow(), "find objects -type f -exec touch -d '8 days ago' {} +");
  const passing = (await sh(repo.root, "printf 'passing state\\n' | git hash-object --stdin")).trim();
  await repo.event("session_end");
  expect(await settled(sh(repo.shadow(), `git cat-file -e ${passing}`))).toThrow();
  expect(repo.log).toEqual([]);
  expect((await repo.undo()).ok).toBe(true);
  expect(repo.read("a.txt")).toBe("one\n");
});

test("the end of a session forgets sessions without changes for a month", async () => {
  await repo.turn(() => repo.write("a.txt", "1\n"), { session_id: "old" });
  await repo.turn(() => repo.write("a.txt", "2\n"));
  const longAgo = new Date(Date.now() - 31 * 86_400_000).toISOString();
  const edit = `s/\\("session_id":"old","updated_at":"\\)[^"]*/\\1${longAgo}/`;
  await sh(repo.shadow(), `sed -i '${edit}' hooksh/sessions/*`);
  await repo.event("session_end");
  expect(await repo.checkpoints("old")).toEqual([]);
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("the leftovers of a killed process do not block the next one", async () => {
  await repo.event("session_start");
  writeFileSync(join(repo.shadow(), "index.lock"), "");
  mkdirSync(join(repo.shadow(), "hooksh/work-left"));
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  expect(existsSync(join(repo.shadow(), "hooksh/work-left"))).toBe(false);
});

test("a damaged index and a damaged list are rebuilt", async () => {
  await repo.event("turn_start");
  writeFileSync(join(repo.shadow(), "index"), "not an index, but long enough to look like one");
  repo.write("a.txt", "changed\n");
  await repo.event("turn_end");
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  await sh(repo.shadow(), "for f in hooksh/sessions/*.json; do echo '{' > $f; done");
  await repo.turn(() => repo.write("a.txt", "again\n"));
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
  expect(await sh(repo.shadow(), "cat hooksh/sessions/*.damaged")).toBe("{\n");
});

test("more files than fit a pack threshold are recorded in one go", async () => {
  await repo.turn(() => {
    for (let at = 0; at < 450; at++) repo.write(`many/${at}.txt`, `${at}\n`);
  });
  expect((await repo.checkpoints()).map((files) => files.length)).toEqual([450]);
  await repo.turn(() => rmSync(join(repo.root, "many"), { recursive: true }));
  await repo.undo();
  expect(repo.read("many/449.txt")).toBe("449\n");
});
