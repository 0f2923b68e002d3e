import { describe, expect, test } from "bun:test";
import { matchesGlob } from "../../../src/lib/files/glob.ts";
import {
  type CallForRules,
  callForRules,
  grantFor,
  judgeByGrants,
  judgeByRules,
} from "../../../src/runtime/permissions/permissions.ts";
import { labelOf } from "../../../src/runtime/tool-calls/safety.ts";
import { expectLinear } from "../../helpers/growth.ts";
import { fakeShell, tool } from "../harness.ts";

const call = (name: string, input: Record<string, unknown> = {}, qualifiedName?: string) =>
  callForRules(named(name, qualifiedName), input);
const named = (name: string, qualifiedName?: string) =>
  tool(name, () => ({ text: "" }), qualifiedName === undefined ? {} : { qualifiedName, category: "mcp" });
const matchesRule = (rule: string, ruled: CallForRules) =>
  judgeByRules({ allow: [], ask: [], deny: [rule] }, ruled) === "deny";
const shell = (cmd: string) => callForRules(fakeShell(), { cmd });

describe("a glob", () => {
  test.each([
    ["*", "", true],
    ["git *", "GIT push", true],
    ["git *", "gitk", false],
    ["git *", "agit x", false],
    ["*.ts", "src/a/b.ts", true],
    ["a*c", "a\nb\nc", true],
    ["a?c", "abc", true],
    ["a?c", "ac", false],
    ["[a-c]x", "bx", true],
    ["[A-C]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["[]]x", "]x", true],
    ["a[b", "a[b", true],
    ["a\\*c", "a*c", true],
    ["a\\*c", "abc", false],
    ["a\\", "a\\", true],
    ["a*b*c", "aXbYbZc", true],
    ["a*b*c", "aXbYbZ", false],
    ["?", "😀", true],
  ])("%o on %o: %p", (glob, text, matches) => {
    expect(matchesGlob(glob, text)).toBe(matches);
  });

  test("takes at most time proportional to the product of both lengths", async () => {
    const glob = `${"a*".repeat(50)}b`;
    await expectLinear(200_000, (size) => {
      const text = "a".repeat(size);
      return () => expect(matchesGlob(glob, text)).toBeFalse();
    });
  });
});

describe("a rule", () => {
  test.each([
    ["shell", shell("ls"), true],
    ["SHELL", shell("ls"), true],
    ["sh", shell("ls"), false],
    ["shell:cmd=git *", shell("git status"), true],
    ["shell:cmd=git *", shell("gitk"), false],
    ["shell:cmd=curl https://x/*", shell("curl https://x/y"), true],
    ["shell:cmd=a*:cmd=*b", shell("a b"), true],
    ["shell:cmd=a*:cmd=*b", shell("a c"), false],
    ["shell:cwd=*", shell("ls"), false],
    ["edit:count=3", call("edit", { count: 3 }), true],
    ["edit:count=1.5", call("edit", { count: 1.5 }), true],
    ["edit:all=true", call("edit", { all: true }), true],
    ["edit:list=[[]1,2]", call("edit", { list: [1, 2] }), true],
    ["edit:toString=*", call("edit"), false],
    ["mcp:github:*", call("list_issues", {}, "mcp:github:list_issues"), true],
    ["mcp:github:*", call("list_issues", {}, "mcp:gitlab:list_issues"), false],
  ] as const)("%o on %o: %p", (rule, ruled, matches) => {
    expect(matchesRule(rule, ruled)).toBe(matches);
  });
});

describe("a grant", () => {
  const allows = (rule: string, cmd: string) =>
    judgeByGrants({ allow: [rule], ask: [], deny: [] }, shell(cmd)) === "allow";

  test("for a command line is its first word", () => {
    expect(grantFor(fakeShell(), { cmd: "  npm test -- a" })).toBe("shell:cmd=npm*");
    expect(grantFor(fakeShell(), { cmd: "[ -f x ]" })).toBe("shell:cmd=\\[*");
    expect(grantFor(named("write_file"), { path: "a" })).toBe("write_file");
  });

  test.each(["touch a && echo x", "echo x | tee y", "ls > out", "a\nb"])(
    "for %j is exactly that line, which runs more than one command or writes",
    (cmd) => {
      const rule = grantFor(fakeShell(), { cmd });
      expect(allows(rule, cmd)).toBeTrue();
      for (const other of [`${cmd} more`, `${cmd}; rm x`, cmd.replace(/\w+/, "rm")])
        expect(allows(rule, other)).toBeFalse();
    },
  );

  test.each(["", "  ", "CI=1 npm test", '"my tool" x', "'my tool' x", "$RUN x", "my\\ tool x", "{rm,x}"])(
    "for %j is that line alone: its first word names no program",
    (cmd) => {
      const rule = grantFor(fakeShell(), { cmd });
      expect(allows(rule, cmd)).toBeTrue();
      expect(allows(rule, `${cmd} more`)).toBeFalse();
    },
  );

  test("for a server's tool does not cover another tool of that name", () => {
    const rule = grantFor(named("shell", "mcp:files:shell"), { cmd: "ls" });
    expect(rule).toBe("mcp:files:shell");
    expect(matchesRule(rule, shell("ls"))).toBeFalse();
  });

  test.each([
    ["npm test", true],
    ["npm", true],
    ["npmx", false],
    ["npm test && rm x", false],
    ["npm test > x", false],
    ["npm $(rm x)", false],
    ["npm `rm x`", false],
    ["npm test\nrm x", false],
    ["npm *(e:'rm x':)", false],
    ["npm ${PWD@P}", false],
  ])("for npm covers %o: %p", (cmd, covered) => {
    expect(allows("shell:cmd=npm*", cmd)).toBe(covered);
  });

  test("for a whole tool covers every command line", () => {
    expect(allows("shell", "a; b")).toBeTrue();
  });
});

test("the arguments of a server's shell tool are not judged as a command line", () => {
  const offered = named("shell", "mcp:files:shell");
  expect(labelOf(offered, { cmd: "ls" }).label).toBe("unknown");
  expect(labelOf(fakeShell(), { cmd: "ls" }).label).toBe("safe");
});
