import { describe, expect, test } from "bun:test";
import type { Fit } from "../../../src/facts/facts.ts";
import type { Place } from "../../../src/facts/place.ts";
import { hostTest } from "../../../src/facts/sets/host-test.ts";
import { HOLE } from "../../../src/shell/steps/invocation.ts";
import { sh } from "../../helpers/call-builtin.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { placeIn } from "./fits-in.ts";

const place = placeIn(tempDir());

/** `$X` is an expansion; a port stands behind a blank. */
function fit(pattern: string | readonly string[], host: string, at: Place = place): Fit {
  const [name = "", port] = host.replaceAll("$X", HOLE).split(" ");
  const value = { host: name, sure: true, ...(port !== undefined && { port: Number(port) }) };
  return hostTest([pattern].flat(), {
    own: { hosts: { ours: ["*.corp.example", "10.1.0.0/16", "loopback"] } },
    place: at,
  })(value);
}

describe("patterns and sets of hosts", () => {
  test.each([
    [
      "github.com",
      ["github.com", "GitHub.com", "github.com."],
      ["api.github.com", "github.com.evil.example", "evilgithub.com"],
    ],
    ["*.example.org", ["a.example.org", "a.b.example.org"], ["example.org", "badexample.org"]],
    ["*", ["x", "10.0.0.1", "$X"], []],
    [
      "10.0.0.0/8",
      ["10.0.0.5", "10.255.255.255", "0x0a000001", "::ffff:10.0.0.1"],
      ["11.0.0.1", "10.example", "::a00:1"],
    ],
    ["fd00::/8", ["fd00::1", "[fd12::1]", "FD00::1"], ["fe00::1", "fc00::1"]],
    ["192.0.2.1", ["192.0.2.1", "3221225985"], ["192.0.2.2"]],
    ["::1", ["::1", "0:0:0:0:0:0:0:1"], ["::2"]],
    ["h.example:8443", ["h.example 8443"], ["h.example", "h.example 8444"]],
    ["[::1]:80", ["::1 80"], ["::1 81"]],
    ["db.", ["db", "db."], ["db.example"]],
    [" Git.Example", ["git.example", "git.example 81"], []],
    ["h.example:443", ["h.example 443"], ["i.example", "i.example 443"]],
    ["*.Example.org.", ["a.example.org"], ["example.org"]],
    ["[ab].example:81", ["a.example 81"], ["c.example 81", "a.example 82"]],
    ["db:54321x", [], ["db"]],
    ["?", ["a"], ["ab", "10.0.0.1"]],
    ["toString", [], ["a"]],
    ["[fd00::]/8", ["fd12::1"], []],
    ["x[::1]", [], ["::1"]],
    ["0.0.0.0/0", ["255.240.1.2", "209.99.9.0"], ["256.1.1.1", "x1.2.3.4", "1.2.3.4x", "::1"]],
    ["10.0.0.0/33", [], ["10.0.0.1"]],
    ["a/10.0.0.0/8", [], ["10.0.0.1"]],
    ["10.0.0.0/8/x", [], ["10.0.0.1"]],
    ["171.205.239.1", ["::ffff:abcd:ef01", "[::FFFF:ABCD:EF01]"], ["a::ffff:abcd:ef01"]],
    ["1::2:3", ["1:0:0:0:0:0:2:3", "1::2:3%eth0"], ["1:2::3"]],
    ["1:2:3:4:5:6:7:8", ["1:2:3:4:5:6:7:8"], ["1:2:3:4:5:6:7:9"]],
    ["1::", ["1:0::"], ["1::1"]],
    [
      "loopback",
      [
        "127.0.0.1",
        "127.9.9.9",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "::1",
        "[::1]",
        "localhost",
        "a.localhost",
        "::ffff:127.0.0.1",
        "LOCALHOST.",
      ],
      ["128.0.0.1", "localhost.example", "8.8.8.8"],
    ],
    [
      "private",
      [
        "10.0.0.5",
        "172.16.3.4",
        "172.31.0.1",
        "192.168.1.1",
        "169.254.1.1",
        "fe80::1%eth0",
        "fd00::1",
        "db.internal",
        "x.local",
        "y.lan",
      ],
      ["172.32.0.1", "11.0.0.1", "internal", "internal.example", "8.8.8.8"],
    ],
    [
      "metadata",
      ["169.254.169.254", "2852039166", "0xa9fea9fe", "[fd00:ec2::254]", "metadata.google.internal", "100.100.100.200"],
      ["169.254.169.253"],
    ],
    [
      "forges",
      ["github.com", "api.github.com", "raw.githubusercontent.com", "gitlab.com", "bitbucket.org", "codeberg.org"],
      ["gitlab.evil.example", "githubusercontent.com", "x.gitlab.com"],
    ],
    ["ours", ["a.corp.example", "10.1.2.3", "localhost"], ["corp.example", "10.2.0.1"]],
    [["github.com", "loopback"], ["github.com", "127.0.0.1"], ["gitlab.com"]],
  ] as const)("%j", (pattern, inside, outside) => {
    expect(inside.filter((host) => fit(pattern, host) !== "all")).toEqual([]);
    expect(outside.filter((host) => fit(pattern, host) !== "none")).toEqual([]);
  });

  test.each([
    ["github.com", "$X", "unknown"],
    ["loopback", "$X", "unknown"],
    ["github.com", "github.com.$X", "none"],
    ["github.com", "git$X", "some"],
    ["*.github.com", "$X.github.com", "all"],
    ["github.com", "$X.github.com", "none"],
    ["*.evil.example", "$X.example", "some"],
    ["10.0.0.0/8", "10.0.$X", "some"],
    ["10.0.0.0/8", "11.0.$X", "none"],
    ["10.0.0.0/8", "db-$X", "none"],
    ["10.0.0.0/8", "$X.example", "none"],
    ["h.example:443", "h.example", "some"],
    ["h.example:443", "h.$X", "some"],
    ["h.example:81", "h.$X", "none"],
    ["10.0.0.1:80", "10.0.0.1", "some"],
    ["*", "10.0.$X", "all"],
    ["github.com", "GIT$X", "some"],
    ["github.com", "$X.", "unknown"],
    ["a?c", "a$Xc", "some"],
    ["10.0.0.0/8", "9.0.$X", "none"],
    ["10.0.0.0/8", "11.$X", "none"],
    ["10.0.0.255", "10.0.0.$X", "some"],
    ["10.0.0.0", "10.0.0.$X", "some"],
    ["10.0.0.0/24", "10.0.1.$X", "none"],
    ["10.1.0.0/16", "10.$X", "some"],
    ["10.0.0.0/8", "x10.0.$X", "none"],
    ["10.0.0.0/8", "10.0.x$X", "none"],
    ["10.0.0.0/8", "x$X", "none"],
    ["10.0.0.0/8", "10$X", "unknown"],
    ["10.0.0.0/8", "face$X", "unknown"],
    ["10.0.0.0/8", "$X.0.0.1", "unknown"],
    ["10.0.0.0/8", "$X.a.1", "unknown"],
    ["10.0.0.0/8", "$X.1a", "none"],
    ["::/96", "10.0.$X", "none"],
    ["fd00::/8", "fd0$X", "unknown"],
  ] as const)("%s with %s: %s", (pattern, host, expected) => {
    expect(fit(pattern, host)).toBe(expected);
  });

  test("odd hosts fit nothing and do not throw", () => {
    const odd = [
      "",
      "a".repeat(100_000),
      ":::",
      "[",
      "]",
      "%",
      "a b",
      "1.2.3.4.5",
      "999.1.1.1",
      "-",
      "\u{1F600}",
      "a/b",
      "::1::2",
    ];
    expect(odd.filter((host) => fit("loopback", host) !== "none" || fit("private", host) !== "none")).toEqual([]);
    for (const pattern of odd) fit(pattern, "h.example");
  });
});

describe("remotes", () => {
  const repository = tempDir();
  sh(
    repository,
    `git init -q . && git remote add origin https://u:p@GitHub.com/o/r.git && git remote add other git@h.example:o/r.git &&
     git remote add corp ssh://git@git.corp.example:2222/o/r.git && git remote add here ../x.git && mkdir sub`,
  );
  const inside = placeIn(`${repository}/sub`);

  test("a remote by name is the host of its URL, and may be any host without one", () => {
    expect(
      ["remote:origin", "remote:other", "remote:here", "remote:none", "remote:$X"].map((host) =>
        fit("github.com", host, inside),
      ),
    ).toEqual(["all", "none", "some", "some", "unknown"]);
  });

  test("the set project has the hosts of all", () => {
    expect(
      ["github.com", "h.example", "git.corp.example", "corp.example"].map((host) => fit("project", host, inside)),
    ).toEqual(["all", "all", "all", "none"]);
    expect(fit("project", "github.com")).toBe("none");
    expect([fit([], "remote:none", inside), fit("*", `${"a".repeat(512)}`), fit("*", `${"a".repeat(513)}`)]).toEqual([
      "none",
      "all",
      "none",
    ]);
  });
});
