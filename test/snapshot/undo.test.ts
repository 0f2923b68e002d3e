import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { applySteps, stateOf } from "../../src/snapshot/apply.ts";
import { latestSession, listCheckpoints, resetTo, undoLast } from "../../src/snapshot/controller.ts";
import { sh, TestRepository } from "./snapshot-repository.ts";

let repo: TestRepository;

beforeEach(async () => {
  repo = await TestRepository.create({ "a.txt": "one\n", "sub/b.txt": "two\n", ".gitignore": "*.log\n" });
});

afterEach(() => repo.remove());

test("undo restores changed, recreates deleted and removes created files, whatever they are", async () => {
  const names = ["line\nbreak", "-dash", ":(top)magic", "ünïcode", " spaces ", "back\\slash", "*glob?[x]", 'quote"'];
  for (const name of names) repo.write(name, "old\n");
  repo.write("run.sh", "#!/bin/sh\n");
  chmodSync(join(repo.root, "run.sh"), 0o755);
  symlinkSync("a.txt", join(repo.root, "link"));
  repo.write(
    "binary",
    Uint8Array.from({ length: 70_000 }, (_none, at) => at % 256),
  );
  const before = await repo.files();
  await repo.turn(() => {
    for (const [at, name] of names.entries()) at % 2 ? rmSync(join(repo.root, name)) : repo.write(name, "new\n");
    repo.write("deep/er/created\nfile", "new\n");
    chmodSync(join(repo.root, "run.sh"), 0o644);
    rmSync(join(repo.root, "link"));
    symlinkSync("nowhere", join(repo.root, "link"));
    rmSync(join(repo.root, "binary"));
    rmSync(join(repo.root, "sub"), { recursive: true });
  });
  expect(await repo.undo()).toMatchObject({ files: names.length + 5, ok: true, problems: [] });
  expect(await repo.files()).toBe(before);
  expect(readdirSync(repo.root)).not.toContain("deep");
  expect(await repo.checkpoints()).toEqual([]);
});

test("undo with nothing recorded changes nothing and is not ok", async () => {
  const nothing = { files: 0, ok: false, problems: [], changes: [] };
  expect(await repo.undo()).toEqual(nothing);
  await repo.event("session_start");
  expect(await repo.undo()).toEqual(nothing);
  expect(await undoLast(repo.options({ cwd: repo.base }))).toEqual(nothing);
});

test("a file and a directory that replaced each other are both restored", async () => {
  const before = await repo.files();
  await repo.turn(() => {
    rmSync(join(repo.root, "sub"), { recursive: true });
    repo.write("sub", "a file now\n");
    rmSync(join(repo.root, "a.txt"));
    repo.write("a.txt/deep/file", "a directory now\n");
  });
  expect((await repo.undo()).problems).toEqual([]);
  expect(await repo.files()).toBe(before);
});

test("a directory that became a link is restored, and the link's target is left alone", async () => {
  const before = await repo.files();
  await repo.turn(() => {
    renameSync(join(repo.root, "sub"), join(repo.base, "outside"));
    writeFileSync(join(repo.base, "outside/b.txt"), "outside\n");
    symlinkSync("../outside", join(repo.root, "sub"));
  });
  expect(await repo.checkpoints()).toEqual([["sub", "sub/b.txt"]]);
  expect((await repo.undo()).problems).toEqual([]);
  expect(await repo.files()).toBe(before);
  expect(readFileSync(join(repo.base, "outside/b.txt"), "utf8")).toBe("outside\n");
});

test("undo does not follow a link planted in place of a directory, and the checkpoint stays", async () => {
  await repo.turn(() => {
    repo.write("sub/b.txt", "changed\n");
    repo.write("sub/new.txt", "created\n");
    repo.write("a.txt", "changed\n");
  });
  rmSync(join(repo.root, "sub"), { recursive: true });
  mkdirSync(join(repo.base, "outside"));
  for (const name of ["b.txt", "new.txt"]) writeFileSync(join(repo.base, "outside", name), "outside\n");
  symlinkSync("../outside", join(repo.root, "sub"));
  const result = await repo.undo();
  expect(result.ok).toBe(false);
  expect(result.problems.sort()).toEqual([
    '"sub/b.txt": a directory above it is a symbolic link',
    '"sub/new.txt": a directory above it is a symbolic link',
  ]);
  expect(await sh(repo.base, "cat outside/b.txt outside/new.txt")).toBe("outside\noutside\n");
  expect(repo.read("a.txt")).toBe("one\n");
  expect(await repo.checkpoints()).toHaveLength(1);
  rmSync(join(repo.root, "sub"));
  expect(await repo.undo()).toMatchObject({ ok: true, problems: [] });
  expect(repo.read("sub/b.txt")).toBe("two\n");
});

test("files that are not listed stay, and with them their directory", async () => {
  await repo.turn(() => repo.write("new/file.txt", "created\n"));
  repo.write("new/users.txt", "mine\n");
  repo.write("sub/users.txt", "mine\n");
  await repo.undo();
  const left = ["new/file.txt", "new/users.txt", "sub/users.txt"].map((path) => repo.read(path));
  expect(left).toEqual([undefined, "mine\n", "mine\n"]);
});

test("a directory that contains other files is not deleted to restore a file", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  rmSync(join(repo.root, "a.txt"));
  repo.write("a.txt/users.txt", "mine\n");
  const result = await repo.undo();
  expect([result.ok, result.problems.length, repo.read("a.txt/users.txt")]).toEqual([false, 1, "mine\n"]);
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("a listed file that the user changed afterwards is overwritten, with its permissions kept", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  repo.write("a.txt", "by the user\n");
  chmodSync(join(repo.root, "a.txt"), 0o600);
  await repo.undo();
  expect(repo.read("a.txt")).toBe("one\n");
  expect(statSync(join(repo.root, "a.txt")).mode & 0o777).toBe(0o600);
});

test("a file that already has its earlier content is not written again", async () => {
  await repo.turn(() => {
    repo.write("a.txt", "changed\n");
    repo.write("sub/b.txt", "changed\n");
  });
  repo.write("a.txt", "one\n");
  const before = lstatSync(join(repo.root, "a.txt")).ino;
  expect(await repo.undo()).toMatchObject({ files: 2, ok: true });
  expect(lstatSync(join(repo.root, "a.txt")).ino).toBe(before);
});

test("reset goes back to any checkpoint, and to the original state with 0 or less", async () => {
  const states = [await repo.files()];
  const acts = [
    () => repo.write("a.txt", "first\n"),
    () => (repo.write("a.txt", "second\n"), repo.write("c.txt", "created\n")),
    () => (rmSync(join(repo.root, "c.txt")), rmSync(join(repo.root, "sub/b.txt"))),
  ];
  for (const act of acts) {
    await repo.turn(act);
    states.push(await repo.files());
  }
  expect(await repo.reset(3)).toMatchObject({ files: 0, ok: false, problems: [] });
  expect(await repo.reset(1)).toMatchObject({ files: 3, ok: true });
  expect(await repo.files()).toBe(states[1] ?? "");
  expect(await repo.checkpoints()).toHaveLength(1);
  expect(await repo.reset(-1)).toMatchObject({ files: 1, ok: true });
  expect(await repo.files()).toBe(states[0] ?? "");
});

test("a dry run names the files and changes nothing", async () => {
  await repo.turn(() => {
    repo.write("a.txt", "changed\n");
    repo.write("c.txt", "created\n");
  });
  const result = await undoLast({ ...repo.options(), dryRun: true });
  const changes = [
    { path: "a.txt", action: "restore" as const },
    { path: "c.txt", action: "delete" as const },
  ];
  expect(result).toEqual({ files: 2, ok: true, problems: [], changes });
  expect(await resetTo({ ...repo.options(), dryRun: true }, 0)).toEqual(result);
  expect([repo.read("a.txt"), await repo.checkpoints()]).toEqual(["changed\n", [["a.txt", "c.txt"]]]);
});

test("the checkpoint stays if its state is missing, and undo says so", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  await sh(repo.shadow(), "rm -rf objects/??");
  const result = await repo.undo();
  expect([result.ok, result.problems.length, repo.read("a.txt")]).toEqual([false, 1, "changed\n"]);
  expect(await repo.checkpoints()).toEqual([["a.txt"]]);
});

test("a file whose recorded content is missing is kept, the others are restored", async () => {
  await repo.turn(() => {
    repo.write("a.txt", "changed\n");
    repo.write("sub/b.txt", "changed\n");
  });
  const id = (await sh(repo.root, "printf 'one\\n' | git hash-object --stdin")).trim();
  rmSync(join(repo.shadow(), "objects", id.slice(0, 2), id.slice(2)), { force: true });
  const problems = ['"a.txt": its content is missing from the snapshot'];
  expect(await repo.undo()).toMatchObject({ ok: false, problems });
  expect([repo.read("a.txt"), repo.read("sub/b.txt")]).toEqual(["changed\n", "two\n"]);
  expect(await repo.checkpoints()).toHaveLength(1);
});

test("a stored list that names files outside the worktree does not affect them", async () => {
  const victim = join(repo.base, "victim");
  writeFileSync(victim, "safe\n");
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  const paths = ["../victim", ".git/config", "sub/../../victim", ".GIT/config"];
  await sh(repo.shadow(), `sed -i 's#"files":\\["a.txt"\\]#"files":${JSON.stringify(paths)}#' hooksh/sessions/*.json`);
  const before = await repo.gitFiles();
  expect((await repo.undo()).problems).toHaveLength(paths.length);
  expect(await repo.gitFiles()).toBe(before);
  expect(readFileSync(victim, "utf8")).toBe("safe\n");
});

test("a damaged journal is set aside and blocks no later snapshot", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  writeFileSync(join(repo.shadow(), "hooksh/restore.json"), "{");
  expect(await repo.undo()).toMatchObject({ files: 1, ok: true });
  expect(readdirSync(join(repo.shadow(), "hooksh"))).toContain("restore.json.damaged");
});

test("a file to be deleted stays if it changed after the undo was planned", () => {
  const path = "a.txt";
  const step = { path, before: stateOf(join(repo.root, path)), content: undefined, executable: false, temporary: "t" };
  repo.write(path, "by the user\n");
  expect(applySteps(repo.root, ".", [step])).toEqual(['"a.txt": has changed in the meantime']);
  expect(repo.read(path)).toBe("by the user\n");
  expect(applySteps(repo.root, ".", [{ ...step, before: stateOf(join(repo.root, path)) }])).toEqual([]);
  expect(repo.read(path)).toBeUndefined();
});

test("the list of checkpoints has absolute paths, oldest first, per session", async () => {
  await repo.turn(() => repo.write("a.txt", "1\n"));
  await repo.turn(() => repo.write("sub/b.txt", "2\n"), { session_id: "other/../session" });
  const { checkpoints, problems } = await listCheckpoints(repo.options());
  expect(problems).toEqual([]);
  expect(checkpoints).toMatchObject([{ index: 0, by: "turn", files: [join(repo.root, "a.txt")] }]);
  expect(await repo.checkpoints("other/../session")).toEqual([["sub/b.txt"]]);
});

test("the latest session is the one whose checkpoints changed last", async () => {
  expect(await latestSession(repo.options())).toBeUndefined();
  await repo.turn(() => repo.write("a.txt", "1\n"), { session_id: "first" });
  await repo.turn(() => repo.write("a.txt", "2\n"), { session_id: "second" });
  await repo.turn(() => {}, { session_id: "idle" });
  expect(await latestSession(repo.options({ cwd: join(repo.root, "sub") }))).toBe("second");
});

test("the controller reports errors and never throws", async () => {
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  const aborted = { ...repo.options(), signal: AbortSignal.abort() };
  expect((await listCheckpoints(aborted)).problems).toHaveLength(1);
  expect((await undoLast(aborted)).problems).toHaveLength(1);
  expect(await latestSession(aborted)).toBeUndefined();
  expect(repo.read("a.txt")).toBe("changed\n");
});

test("undo does not touch the source index and keeps a staged change staged", async () => {
  repo.write("a.txt", "staged\n");
  await sh(repo.root, "git add a.txt");
  await repo.turn(() => repo.write("a.txt", "changed\n"));
  await repo.undo();
  expect(await sh(repo.root, "git diff --cached --name-only; git diff --name-only")).toBe("a.txt\n");
});

test("an empty directory that is the working directory stays", async () => {
  mkdirSync(join(repo.root, "work"));
  await repo.turn(() => repo.write("work/new.txt", "created\n"), { cwd: join(repo.root, "work") });
  await undoLast(repo.options({ cwd: join(repo.root, "work") }));
  expect(readdirSync(join(repo.root, "work"))).toEqual([]);
});

test("a link in the worktree is restored as a link", async () => {
  symlinkSync("sub", join(repo.root, "link"));
  await repo.turn(() => {
    rmSync(join(repo.root, "link"));
    repo.write("link", "a file\n");
  });
  await repo.undo();
  expect(readlinkSync(join(repo.root, "link"))).toBe("sub");
});
