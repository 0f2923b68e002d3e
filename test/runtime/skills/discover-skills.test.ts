import { expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { discoverSkills } from "../../../src/runtime/skills/discover-skills.ts";
import { readSkillFile } from "../../../src/runtime/skills/skill-files.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const skill = (description: string, more = "") =>
  `---\ndescription: ${description}\n${more}---\nBody of ${description}.\n`;

const found = async (workingDir: string, home: string, log: string[] = []) => {
  const skills = await discoverSkills(workingDir, home, (message) => log.push(message));
  return Object.fromEntries(skills.map(({ name, description }) => [name, description]));
};

test("every documented place is searched, and a later one wins", async () => {
  const dir = tempDir({
    "home/.codex/skills/deep/a/SKILL.md": skill("codex a"),
    "home/.claude/skills/b/SKILL.md": skill("claude b"),
    "home/.claude/skills/deep/c/SKILL.md": skill("too deep"),
    "home/.agents/skills/deep/er/d/SKILL.md": skill("agents d"),
    "home/.agents/skills/b/SKILL.md": skill("agents b"),
    "home/work/.github/skills/e/SKILL.md": skill("github e"),
    "home/work/.agents/skills/e/SKILL.md": skill("above e"),
    "home/work/repo/.claude/skills/f/SKILL.md": skill("project f"),
    "home/work/repo/.github/skills/e/SKILL.md": skill("near e"),
    "home/work/repo/.github/skills/g/SKILL.md": skill("github g"),
    "home/work/repo/.agents/skills/g/SKILL.md": skill("agents g"),
  });
  expect(await found(join(dir, "home/work/repo"), join(dir, "home"))).toEqual({
    a: "codex a",
    b: "agents b",
    d: "agents d",
    e: "near e",
    f: "project f",
    g: "agents g",
  });
});

test("outside of home the search starts at the git root", async () => {
  const dir = tempDir({
    "above/.agents/skills/no/SKILL.md": skill("above the repository"),
    "above/repo/.git/HEAD": "",
    "above/repo/.agents/skills/yes/SKILL.md": skill("of the repository"),
    "above/repo/sub/file": "",
    "loose/.agents/skills/no/SKILL.md": skill("above, no repository"),
    "loose/sub/.agents/skills/here/SKILL.md": skill("here"),
  });
  const home = join(dir, "home");
  expect(await found(join(dir, "above/repo/sub"), home)).toEqual({ yes: "of the repository" });
  expect(await found(join(dir, "loose/sub"), home)).toEqual({ here: "here" });
});

test("hidden folders are skipped; links and skills without a description are left out with a warning", async () => {
  const dir = tempDir({
    "repo/.agents/skills/.hidden/SKILL.md": skill("hidden"),
    "repo/.agents/skills/bare/SKILL.md": "no head",
    "repo/.agents/skills/README.md": "no folder",
    "other/SKILL.md": skill("behind a link"),
    secret: "---\ndescription: not yours\n---\n",
  });
  symlinkSync(join(dir, "other"), join(dir, "repo/.agents/skills/linked"));
  mkdirSync(join(dir, "repo/.agents/skills/sly"));
  symlinkSync(join(dir, "secret"), join(dir, "repo/.agents/skills/sly/SKILL.md"));
  const log: string[] = [];
  expect(await found(join(dir, "repo"), join(dir, "home"), log)).toEqual({});
  const skills = join(dir, "repo/.agents/skills");
  expect(log).toEqual([
    `the skill ${skills}/bare is left out: its SKILL.md has no description`,
    `the skill ${skills}/linked is left out: it is a symbolic link`,
    `the skill ${skills}/sly is left out: its SKILL.md is a symbolic link`,
  ]);
});

test("a SKILL.md that is a pipe is left out, not waited for", async () => {
  const dir = tempDir({ ".agents/skills/a/x": "" });
  Bun.spawnSync(["mkfifo", join(dir, ".agents/skills/a/SKILL.md")]);
  const log: string[] = [];
  expect(await found(dir, "", log)).toEqual({});
  expect(log).toEqual([expect.stringContaining('"SKILL.md": is not a regular file')]);
});

test("links in the user's own folders are followed, and a circle ends", async () => {
  const dir = tempDir({ "shared/team/review/SKILL.md": skill("shared"), "home/.agents/skills/x/y": "" });
  symlinkSync(join(dir, "shared"), join(dir, "home/.agents/skills/shared"));
  symlinkSync(join(dir, "home/.agents/skills"), join(dir, "home/.agents/skills/x/circle"));
  symlinkSync("itself", join(dir, "home/.agents/skills/itself"));
  expect(await found(tempDir(), join(dir, "home"))).toEqual({ review: "shared" });
});

test("a folder with many links to it is searched once", async () => {
  const dir = tempDir({ "shared/team/bad/SKILL.md": "no head", "home/.agents/skills/x": "" });
  for (const name of ["a", "b", "c"]) symlinkSync(join(dir, "shared"), join(dir, "home/.agents/skills", name));
  const log: string[] = [];
  await found(tempDir(), join(dir, "home"), log);
  expect(log).toHaveLength(1);
});

test("nested folders are searched to a limited depth", async () => {
  const dir = tempDir({
    "home/.agents/skills/1/2/3/4/5/6/near/SKILL.md": skill("near"),
    "home/.agents/skills/1/2/3/4/5/6/7/far/SKILL.md": skill("far"),
  });
  expect(await found(tempDir(), join(dir, "home"))).toEqual({ near: "near" });
});

test("the front matter says how a skill runs, and its files are listed", async () => {
  const dir = tempDir({
    ".agents/skills/pdf/SKILL.md": skill(
      "Reads PDF files",
      "name: read-pdf\ncontext: fork\nallowed-tools: shell, read_*\nmodel: fast\n",
    ),
    ".agents/skills/pdf/scripts/run.py": "",
    ".agents/skills/pdf/forms.md": "",
    ".agents/skills/pdf/.env": "",
  });
  expect(await discoverSkills(dir, "", () => {})).toEqual([
    {
      name: "read-pdf",
      description: "Reads PDF files",
      text: { kind: "local", folder: join(dir, ".agents/skills/pdf") },
      fork: { model: "fast", allowedTools: ["shell", "read_*"], toolsets: [] },
      files: ["forms.md", "scripts/run.py"],
    },
  ]);
});

test("the user's own skills get toolsets of the agent file, skills of the project do not", async () => {
  const forked = (name: string) => skill(name, `name: ${name}\ncontext: fork\ntoolsets: shells\n`);
  const dir = tempDir({
    "home/.agents/skills/mine/SKILL.md": forked("mine"),
    "repo/.claude/skills/theirs/SKILL.md": forked("theirs"),
    "repo/.github/skills/others/SKILL.md": forked("others"),
  });
  const skills = await discoverSkills(join(dir, "repo"), join(dir, "home"), () => {});
  expect(skills.map(({ name, fork }) => [name, fork?.toolsets])).toEqual([
    ["mine", ["shells"]],
    ["theirs", []],
    ["others", []],
  ]);
});

test("only a limited number of files in a folder is listed", async () => {
  const many = Object.fromEntries(Array.from({ length: 250 }, (_, n) => [`.agents/skills/a/${n}.md`, ""]));
  const dir = tempDir({
    ...many,
    ".agents/skills/a/SKILL.md": skill("x".repeat(2000)),
    ".agents/skills/b/SKILL.md": skill("b"),
    ".agents/skills/b/1/2/3/4/5/near.md": "",
    ".agents/skills/b/1/2/3/4/5/6/far.md": "",
  });
  const [a, b] = await discoverSkills(dir, "", () => {});
  expect([a?.files.length, a?.description.length]).toEqual([200, 1024]);
  expect(b?.files).toEqual(["1/2/3/4/5/near.md"]);
});

test.each([
  ["../secret", "is not a path inside the skill"],
  ["a/../../secret", "is not a path inside the skill"],
  ["", "is not a path inside the skill"],
  ["/etc/passwd", "is not a path inside the skill"],
  ["link", "leads out of"],
  ["folder-link/secret", "leads out of"],
  ["missing", "has no file"],
  ["a", "is a directory"],
  [".", "is a directory"],
  ["image", "is not a text"],
  ["large", "larger than 1 MiB"],
])("the path %o is refused: %s", async (path, reason) => {
  const dir = tempDir({
    secret: "s",
    "skill/a/b": "",
    "skill/image": "a\0b",
    "skill/large": "x".repeat(1024 * 1024 + 1),
  });
  symlinkSync(join(dir, "secret"), join(dir, "skill/link"));
  symlinkSync(dir, join(dir, "skill/folder-link"));
  expect(() => readSkillFile(join(dir, "skill"), path)).toThrow(reason);
});

test("a pipe is refused, not waited for", async () => {
  const dir = tempDir({ "skill/x": "" });
  Bun.spawnSync(["mkfifo", join(dir, "skill/pipe")]);
  expect(() => readSkillFile(join(dir, "skill"), "pipe")).toThrow("is not a regular file");
});

test("a link that stays inside is read", async () => {
  const dir = tempDir({ "skill/a/b": "inner" });
  symlinkSync("a/b", join(dir, "skill/c"));
  expect(readSkillFile(join(dir, "skill"), "c")).toBe("inner");
});
