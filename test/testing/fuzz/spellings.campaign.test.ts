import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, normalize, resolve } from "node:path";
import { SPELLINGS } from "../../../src/testing/fuzz/spellings.ts";
import { type Variant, vary } from "../../../src/testing/fuzz/vary.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Command lines whose program writes its arguments to a file. */
const LINES = [
  "record push --force origin main",
  "record push -f",
  "record one; record two -rf x",
  'A=1 record "a b" -n c && record d',
  "record a | record b > out",
  "cd . && record 'x y' $HOME",
  "record -n",
];

/** The texts are the same in every run; other seeds show more. */
const SEED = Number(process.env["HOOKSH_TEST_SEED"] ?? 7);

const directory = tempDir();
const log = join(directory, "log");
// One write, so that calls at the same time do not mix.
writeFileSync(join(directory, "record"), `#!/bin/sh\nprintf '%s\\n' "$(printf '<%s>' "$@")" >>"${log}"\n`);
chmodSync(join(directory, "record"), 0o755);

/** The arguments of each call of `record` that a line makes. */
function callsOf(shell: string, line: string): string[] {
  rmSync(log, { force: true });
  const env = { ...process.env, PATH: `${directory}:${process.env["PATH"]}`, SUDO_ASKPASS: "/bin/false" };
  spawnSync(shell, ["-c", line], { cwd: directory, env, timeout: 20_000, input: "" });
  if (!existsSync(log)) return [];
  return readFileSync(log, "utf8")
    .split("\n")
    .filter((call) => call !== "")
    .toSorted();
}

function variantsOf(line: string, keeps: readonly string[], count: number, seed: number): Variant[] {
  return [
    ...vary(
      line,
      SPELLINGS.shell.filter((one) => keeps.includes(one.keeps)),
      count,
      seed,
    ),
  ];
}

const shells = [
  { shell: "dash", keeps: ["posix"] },
  { shell: "bash", keeps: ["posix", "bash"] },
].filter(({ shell }) => spawnSync(shell, ["-c", ":"]).status === 0);

describe("a spelling that keeps the meaning", () => {
  for (const { shell, keeps } of shells) {
    for (const line of LINES) {
      test(`makes the same calls in ${shell}: ${line}`, () => {
        const wanted = callsOf(shell, line);
        expect(wanted.length).toBeGreaterThan(0);
        const wrong = variantsOf(line, keeps, 90, SEED).filter(
          ({ text }) => callsOf(shell, text).join("|") !== wanted.join("|"),
        );
        expect(wrong.map(({ text, steps }) => ({ text, steps: steps.map(({ spelling }) => spelling.name) }))).toEqual(
          [],
        );
      });
    }
  }
});

describe("a spelling of options", () => {
  const options = SPELLINGS.shell.filter(({ name }) => /option/.test(name));

  test("deletes the same directory with rm", () => {
    const place = tempDir();
    for (const { text } of vary("rm -rf a", options, 40, SEED)) {
      mkdirSync(join(place, "a", "b"), { recursive: true });
      spawnSync("sh", ["-c", text], { cwd: place });
      expect([text, existsSync(join(place, "a"))]).toEqual([text, false]);
    }
  });

  test("replaces the same published commit with git push", () => {
    const place = tempDir();
    const git = (line: string) => spawnSync("sh", ["-c", line], { cwd: join(place, "work"), encoding: "utf8" });
    const user = "-c user.name=a -c user.email=a@example.org";
    spawnSync("sh", ["-c", "git init -q --bare remote.git; git init -q -b main work"], { cwd: place });
    git(
      `git ${user} commit -q --allow-empty -m one; git branch one; git ${user} commit -q --amend --allow-empty -m two`,
    );
    git("git remote add origin ../remote.git");
    const head = git("git rev-parse HEAD").stdout;
    const variants = [...vary("git push --force origin main", options, 30, SEED)];
    expect(variants.length).toBeGreaterThan(8);
    for (const { text } of variants) {
      git("git push -q -f origin one:main");
      git(text);
      expect([text, git("git ls-remote origin main").stdout.split("\t")[0]]).toEqual([text, head.trim()]);
    }
  });
});

test("a spelling of a path that keeps the file opens the same file", () => {
  const place = tempDir({ "a/b/c.txt": "" });
  const spellings = SPELLINGS.path.filter(({ keeps }) => keeps === "file");
  for (const path of ["a/b/c.txt", join(place, "a/b/c.txt")]) {
    for (const { text } of vary(path, spellings, 60, SEED)) {
      expect([text, existsSync(resolve(place, text)), normalize(join(place, text)).endsWith("/a/b/c.txt")]).toEqual([
        text,
        true,
        true,
      ]);
      expect(spawnSync("cat", [text], { cwd: place }).status).toBe(0);
    }
  }
  expect(readdirSync(place)).toEqual(["a"]);
});

test("a spelling of a URL that keeps the resource is the same URL to the parser of browsers", () => {
  const spellings = SPELLINGS.url.filter(({ keeps }) => keeps === "url");
  for (const url of ["https://example.net/a/b?c=d", "http://169.254.169.254/latest/meta-data/"]) {
    const variants = [...vary(url, spellings, 60, SEED)];
    expect(variants.length).toBeGreaterThan(20);
    for (const { text } of variants) expect([text, new URL(text).href]).toEqual([text, new URL(url).href]);
  }
});

test("the same seed gives the same variants, another seed others", () => {
  const texts = (seed: number) => [...vary("git push --force", SPELLINGS.shell, 50, seed)].map(({ text }) => text);
  expect(texts(3)).toEqual(texts(3));
  expect(texts(3)).not.toEqual(texts(4));
  expect(new Set(texts(3)).size).toBe(50);
});
