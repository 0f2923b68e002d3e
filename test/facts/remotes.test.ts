import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { placeOf } from "../../src/facts/place.ts";
import { hostOfRemote, hostOfUrl, hostsOfRemotes, remoteHosts } from "../../src/facts/remotes.ts";
import { sh } from "../helpers/call-builtin.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test.each([
  ["https://github.com/o/r.git", "github.com"],
  ["https://u:p@GitHub.com:8443/o/r", "github.com"],
  ["ssh://git@git.example:2222/o/r.git", "git.example"],
  ["git@h.example:o/r.git", "h.example"],
  ["h.example:r", "h.example"],
  ["ssh://[fd00::1]:22/r", "[fd00::1]"],
  ["https://a@b@h.example/", "h.example"],
  ["git+ssh://git@h.example/o", "h.example"],
  ["/srv/x.git", undefined],
  ["../x.git", undefined],
  ["./a:b", undefined],
  ["C:/x", undefined],
  ["file:///srv/x.git", undefined],
  ["FILE://localhost/srv/x.git", undefined],
  ["https://h.example/file:/x", "h.example"],
  ["HTTPS://h.example/", "h.example"],
  ["/srv/https://h.example/x", undefined],
  ["/srv/ab:c", undefined],
  ["git@[fd00::1]:r", "[fd00::1]"],
  ["git@H.example:r", "h.example"],
])("the host of %s is %p", (url, host) => {
  expect(hostOfUrl(url)).toBe(host);
});

describe("the remotes of a repository", () => {
  const dir = tempDir();
  sh(
    dir,
    `git init -q p && cd p && git commit -q --allow-empty -m x
     git remote add origin https://github.com/o/r.git && git remote add local ../x && git remote add short gh:o/r
     git remote add split https://github.com/o/r.git && git remote set-url --push split git@evil.example:o/r
     git config url.https://mirror.example/.insteadOf gh: && git worktree add -q ../tree`,
  );
  const of = (cwd: string) => placeOf({ cwd: `${dir}/${cwd}`, env: { GIT_CEILING_DIRECTORIES: dir } });

  test("by name, without those that have no host or several", () => {
    expect(Object.fromEntries(remoteHosts(of("p")))).toEqual({ origin: "github.com", short: "mirror.example" });
    expect(Object.fromEntries(remoteHosts(of("tree")))).toEqual({ origin: "github.com", short: "mirror.example" });
  });

  test("without a name, the one that the configuration chooses, as git does", () => {
    const work = tempDir();
    const named = (direction: string) =>
      hostOfRemote(`remote:(${direction})`, placeOf({ cwd: work, env: { GIT_CEILING_DIRECTORIES: work } }));
    const both = (push: string, pull = push) => expect([named("push"), named("pull")]).toEqual([push, pull]);
    sh(work, "git init -q -b main && git commit -q --allow-empty -m x && git remote add only git@only.example:r");
    both("only.example");
    sh(work, "git remote add second git@second.example:r");
    both("remote:origin");
    sh(work, "git remote add origin git@origin.example:r && git config branch.other.remote second");
    both("origin.example");
    sh(work, "git config branch.main.remote second");
    both("second.example");
    sh(work, "git config remote.pushDefault only");
    both("only.example", "second.example");
    sh(work, "git config branch.main.pushRemote https://own.example/r");
    both("own.example", "second.example");
    sh(work, "git checkout -q --detach");
    both("only.example", "origin.example");
    expect(named("none")).toBe("remote:(none)");
  });

  const A = '[remote "a"]\n url = https://a.example/r\n';
  test.each<[config: string, hosts: Record<string, string>, push?: string]>([
    [A, { a: "a.example" }, "a.example"],
    ["", {}, "remote:origin"],
    ['[REMOTE "a"] URL = git@h.example:r', { a: "h.example" }],
    [A.replaceAll("\n", "\r\n"), { a: "a.example" }],
    ['[remote "a"]\n url = ../x', {}],
    [`${A} pushurl = git@a.example:r`, { a: "a.example" }],
    ['[remote "a\\"b"]\n url = "https://a.example/r"', { 'a"b': "a.example" }],
    // Other lines and sections that hold such words.
    [`${A} # url = git@b.example:r\n ; url = git@b.example:r`, { a: "a.example" }],
    [`${A} xurl = git@b.example:r\n urlx = git@b.example:r\n proxy = https://b.example/`, { a: "a.example" }],
    [`[remote "a"]\n x = [remote "b"]\n y = [core]\n url = git@h.example:r`, { a: "h.example" }],
    [`${A}[submodule "b"]\n url = https://b.example/`, { a: "a.example" }],
    // The longest beginning is replaced.
    [
      '[url "https://s.example/"]\n insteadOf = gh:\n[url "https://l.example/"]\n insteadOf = "gh:o/"\n[remote "a"]\n url = gh:o/r',
      { a: "l.example" },
    ],
    ['[url "https://"]\n pushInsteadOf = ssh://git@\n[remote "a"]\n url = ssh://git@h.example/r', { a: "h.example" }],
    [
      `${A}[url "https://b.example/"]\n insteadOf =\n xinsteadOf = http\n insteadOfx = http\n[b "https://b.example/"]\n insteadOf = http`,
      { a: "a.example" },
    ],
    // The remote that a push takes.
    [
      `${A}[remote "b"]\n url = git@b.example:r\n[branch "main"]\n remote = b  # why`,
      { a: "a.example", b: "b.example" },
      "b.example",
    ],
    [
      `${A}[x "main"]\n remote = b\n[remote "b"]\n url = git@b.example:r\n pushDefault = b\n[remote]\n prune = b\n[x]\n pushDefault = b`,
      { a: "a.example", b: "b.example" },
      "remote:origin",
    ],
  ])("of the configuration %j", (...[config, hosts, push]) => {
    const work = tempDir();
    sh(work, "git init -q -b main");
    writeFileSync(`${work}/.git/config`, config);
    const place = placeOf({ cwd: work, env: { GIT_CEILING_DIRECTORIES: work } });
    expect(Object.fromEntries(remoteHosts(place))).toStrictEqual(hosts);
    if (push !== undefined) expect(hostOfRemote("remote:(push)", place)).toBe(push);
  });

  test("all of them", () => {
    expect(new Set(hostsOfRemotes(of("p")))).toEqual(new Set(["github.com", "mirror.example", "evil.example"]));
  });

  test("none outside of a repository", () => {
    expect([...remoteHosts(of("."))]).toEqual([]);
  });
});
