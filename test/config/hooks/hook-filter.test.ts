import { describe, expect, test } from "bun:test";
import { matcherProblem } from "../../../src/config/hooks/hook-filter.ts";

describe("a matcher in the form of another product is an error that shows the correct one", () => {
  test.each([
    ["shell,write_file", '"shell,write_file": names of tools are separated by |, so write shell|write_file'],
    ["shell, write_file", '"shell, write_file": names of tools are separated by |, so write shell|write_file'],
    ["Bash(rm:*),Write", '"Bash(rm:*),Write": names of tools are separated by |, so write shell|Write'],
    [
      "shell(rm *)",
      '"shell(rm *)": a matcher names tools, so write shell; to judge its arguments, write a permission rule: shell:cmd=rm *',
    ],
    [
      "Bash(rm:*)",
      '"Bash(rm:*)": a matcher names tools, so write shell; to judge its arguments, write a permission rule: shell:cmd=rm *',
    ],
    [
      "Bash(ls)",
      '"Bash(ls)": a matcher names tools, so write shell; to judge its arguments, write a permission rule: shell:cmd=ls',
    ],
    [
      "Read(./secrets/**)",
      '"Read(./secrets/**)": a matcher names tools, so write read_file; to judge its arguments, write a permission rule: read_file:path=./secrets/**',
    ],
    [
      "write_file|Bash(git push:*)",
      '"write_file|Bash(git push:*)": a matcher names tools, so write shell; to judge its arguments, write a permission rule: shell:cmd=git push *',
    ],
    ["mcp__github", '"mcp__github": this names a server without its tools, so write mcp:github:.*'],
    ["shell|mcp:github", '"mcp:github": this names a server without its tools, so write mcp:github:.*'],
    [
      "mcp__git_hub__*",
      '"mcp__git_hub__*": * repeats the character before it, and .* is any text, so write mcp:git_hub:.*',
    ],
    [
      "mcp:github:get*",
      '"mcp:github:get*": * repeats the character before it, and .* is any text, so write mcp:github:get.*',
    ],
    ["mcp:*", '"mcp:*": * repeats the character before it, and .* is any text, so write mcp:.*'],
    ["github/*", '"github/*": a tool of an MCP server is mcp:SERVER:TOOL, so write mcp:github:.*'],
    ["Bash(*)", '"Bash(*)": a matcher names tools, so write shell'],
  ])("%j", (pattern, problem) => expect(matcherProblem(pattern)).toBe(problem));

  test.each([
    "shell|write_file",
    "read(_file|_lines)",
    "(read|write)_file",
    "mcp:(a:.*|b:.*)",
    "mcp:.*",
    "mcp:github:.*",
    "mcp__github__create_.*",
    "mcp__github__push|mcp:a:b",
    "x{1,3}",
    "shell(?:_job)",
    "list_(todos)",
    ".*",
  ])("%j is a regular expression", (pattern) => expect(matcherProblem(pattern)).toBeUndefined());
});

test.each(["[[:constructor:]]", "[[:toString:]]", "[[:__proto__:]]", "[[:hasOwnProperty:]]"])(
  "%s is not a character class",
  (pattern) => {
    expect(matcherProblem(pattern)).toContain("unknown character class");
  },
);
