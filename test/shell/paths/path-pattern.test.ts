import { describe, expect, test } from "bun:test";
import { CREDENTIALS, credentials } from "../../../src/shell/paths/credentials.ts";
import { EVERY_HOME, type PathGroup, PathSet } from "../../../src/shell/paths/path-pattern.ts";
import { parseCommandLine } from "../../../src/shell/scan-commands.ts";
import { Variables } from "../../../src/shell/variables.ts";

const set = (groups: readonly PathGroup[], project?: string) =>
  new PathSet(groups, { homes: ["/home/me"], ownHome: "/home/me", ignoreCase: false, ...(project && { project }) });

/** The first operand of a command, as the scanner reads it. */
const operand = (line: string) => parseCommandLine(line, new Variables(4096)).commands.at(-1)?.words[1]?.units ?? [];

describe("a pattern of paths", () => {
  test.each([
    // A name is found anywhere, in any directory in force, and covers what lies below.
    ["*.pem", ["a.pem", "/x/a.pem", "~/a.pem", "../a.pem", "x/a.pem/b", ".pem"], ["a.pems", "a.pem.txt", "pem"]],
    [
      ".aws/credentials",
      [".aws/credentials", "/x/.aws/credentials", "x/../.aws//./credentials"],
      [".aws", "credentials"],
    ],
    // An absolute path is only there.
    [
      "/etc/shadow",
      ["/etc/shadow", "/etc//shadow", "/etc/x/../shadow", "../../../etc/shadow"],
      ["shadow", "/a/etc/shadow"],
    ],
    ["/a/**", ["/a/b", "/a/b/c"], ["/a", "/ab/c"]],
    ["/a/**/c", ["/a/c", "/a/b/c", "/a/b/d/c/e"], ["/a/b", "/a/xc"]],
    ["/a/*/c", ["/a/b/c"], ["/a/c", "/a/b/d/c"]],
    ["/a/[bc]?", ["/a/bx", "/a/c1"], ["/a/dx", "/a/b/", "/a/b"]],
    // A home directory, or a relative path, which may be in one.
    [
      "~/.ssh",
      ["~/.ssh", "~/.ssh/id", "/home/me/.ssh/id", "~me/.ssh/id", ".ssh/id", "../.ssh/x"],
      ["/srv/.ssh", "~/ssh"],
    ],
    ["./a", ["a", "./a/b", "x/a"], ["/a", "~/a"]],
    ["<project>/a", ["a"], ["/a"]],
  ])("%j", (pattern, inside, outside) => {
    const paths = set([{ covers: [pattern] }]);
    expect(inside.filter((path) => paths.names(path) !== "certain")).toEqual([]);
    expect(outside.filter((path) => paths.names(path) !== undefined)).toEqual([]);
  });

  test("is joined with the directory in force, and with the project", () => {
    const paths = set([{ covers: ["./a", "~/b", "/c/d"] }], "/srv/p");
    const inDirectory = (path: string, directory: string) => paths.names(path, directory);
    expect([
      inDirectory("a", "/srv/p"),
      inDirectory("../a", "/srv/p/src"),
      inDirectory("../../home/me/b", "/srv/p"),
      inDirectory("d/e", "/c"),
    ]).toEqual(["certain", "certain", "certain", "certain"]);
    expect([inDirectory("a", "/srv/p/src"), inDirectory("b", "/srv/p"), inDirectory("d", "/")]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("of a built-in set covers every home, in any case", () => {
    const paths = new PathSet([{ covers: ["~/.Netrc"] }], { homes: EVERY_HOME, ownHome: "/srv/me", ignoreCase: true });
    for (const home of ["~", "/root", "/home/you", "/Users/You", "/srv/me", "~you", "C:\\Users\\you"])
      expect([home, paths.names(`${home}/.netrC`)]).toEqual([home, "certain"]);
    expect(paths.names("/srv/.netrc")).toBeUndefined();
  });

  test("leaves out what it does not cover, but not what lies below", () => {
    const paths = set([{ covers: ["~/.ssh", "*.env"], not: ["*.pub", "config"] }, { covers: ["~/.ssh/keys"] }]);
    for (const path of ["~/.ssh/id", "~/.ssh/config/x", "~/a.pub/.env", "~/.ssh/keys/a.pub"])
      expect([path, paths.names(path)]).toEqual([path, "certain"]);
    for (const path of ["~/.ssh/id.pub", "~/.ssh/config"]) expect([path, paths.names(path)]).toEqual([path, undefined]);
  });
});

describe("a word that expands", () => {
  const paths = set([{ covers: ["~/.ssh", "*.pem", ".env", "/w/hooks.yaml"], not: ["*.pub"] }]);

  test.each([
    ["cat ~/.ssh/*", "certain"],
    ["cat ~/.ssh/$X", "certain"],
    ["cat *.pem", "certain"],
    ["cat */.env", "certain"],
    ['cat "$DIR"/.env', "certain"],
    ["cat ~/.s*/id", "possible"],
    ["cat .e*", "possible"],
    ["cat .en?", "possible"],
    ["cat .[e]nv", "possible"],
    ["cat {.env,}", "certain"],
    ["cat {.en*,a}", "possible"],
    ["f=env; cat .$f", "certain"],
    ["cat $X", "possible"],
    ["cat h$f", "possible"],
    ["f=ooks.yaml; cat h$f", "certain"],
    ["cat h*.yaml", "possible"],
    ["cat *", "possible"],
    ["cat ~/.ssh/*.pub", undefined],
    ["cat *.txt", undefined],
    ["cat src/*.txt", undefined],
    ["cat a*", "possible"], // a.pem
    ["cat a*b.txt", undefined],
    ["cat a*.env", undefined],
  ] as const)("%j: %j", (line, naming) => expect(paths.names(operand(line), "/w")).toBe(naming));
});

test("a directory is above the paths that a pattern names in full", () => {
  const paths = set([{ covers: ["~/.claude/settings.json", ".aws/credentials", "*.pem", "/w/p/.git/hooks/**"] }]);
  const above = ["~", "~/.claude", "/home/me", "/home", "/", "~/.cl*", "/w/p/.git", "/w", "x/.aws", ".aws", "~/*", "."];
  expect(above.filter((path) => !paths.isAbove(operand(`rm ${path}`), "/w/p"))).toEqual([]);
  const beside = ["~/.cache", "/tmp", "src", "~/.claude/x", "aws", "*.txt"];
  expect(beside.filter((path) => paths.isAbove(operand(`rm ${path}`), "/w/p"))).toEqual([]);
});

test("every pattern of the credentials covers the files that it is written for", () => {
  const sample = (pattern: string) =>
    pattern
      .replace("/**/", "/a/b/")
      .replaceAll("*", "x")
      .replace(/^~/, "/home/you")
      .replace(/^(?=[^/])/, "/srv/app/");
  const missing = CREDENTIALS.flatMap(({ covers }) =>
    covers.filter((pattern) => !credentials().names(sample(pattern))),
  );
  expect(missing).toEqual([]);
  for (const path of [
    ".env.example",
    "web/.env.sample",
    "~/.ssh/id_rsa.pub",
    "~/.ssh/known_hosts",
    "~/.ssh/config",
    "server.crt",
    "src/env.ts",
    "package.json",
    "/etc/passwd",
  ])
    expect([path, credentials().names(path)]).toEqual([path, undefined]);
});

test("a path as long as a command line is judged without stopping the program", () => {
  credentials().names("a/".repeat(65_000));
  credentials().names("*a".repeat(2000));
  expect(credentials().names(`${"x".repeat(5000)}.pem`)).toBeUndefined();
});

describe("whether a word that expands could name a path, by its literal beginnings", () => {
  const paths = set([{ covers: [".env", "*.pem", "/srv/data", ".aws/credentials"], not: ["*.example"] }]);
  test.each([
    ["cat /x/.e*", true],
    ["cat /x/.e$X", true],
    ["cat /x/a*", true], // a.pem
    ["cat /srv/d*/x", true],
    ["cat /x/.a*/credentials", true],
    ["cat /x/*", false],
    ["cat /x/*.pem", false], // certain, so no question of what it could name
    ["cat /x/$X/a.txt", false],
    ["cat /x/*/credentials", false],
    ["cat /x/a*.txt", false],
    ["cat /x/.e*.example", false],
  ])("%s: %p", (line, could) => {
    expect(paths.couldName(operand(line))).toBe(could);
  });

  test("a directory above the paths is told from one that could be any", () => {
    const above = (line: string) => paths.isAbove(operand(line), undefined, "begun");
    expect(["rm -r /x/.aw*", "rm /sr$X"].map((line) => above(line.replace(" -r", "")))).toEqual([true, true]);
    expect(["rm /x/*", "rm $X", "rm /$X"].map(above)).toEqual([false, false, false]);
  });
});
