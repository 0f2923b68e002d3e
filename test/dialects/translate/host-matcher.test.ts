import { describe, expect, test } from "bun:test";
import type { HostId } from "../../../src/dialects/host-files.ts";
import { dialect as claude } from "../../../src/dialects/hosts/claude.ts";
import { dialect as codex } from "../../../src/dialects/hosts/codex.ts";
import { dialect as cursor } from "../../../src/dialects/hosts/cursor.ts";
import { hostMatcher } from "../../../src/dialects/translate/host-matcher.ts";
import { HOST_RULES } from "../../../src/dialects/translate/host-rules.ts";
import { type ToolNames, translateMatcher } from "../../../src/dialects/translate/matcher.ts";

const Q_TOOLS: ToolNames[] = [
  { is: "shell", names: ["execute_bash"] },
  { is: "write_file", names: ["fs_write"], also: ["edit_file"] },
];
const TOOLS: Partial<Record<HostId, readonly ToolNames[]>> = {
  claude: claude.tools,
  codex: codex.tools,
  cursor: cursor.tools,
  q: Q_TOOLS,
  vibe: [{ is: "shell", names: ["bash"] }],
};

describe("a matcher that was imported", () => {
  test.each<[HostId, string[]]>([
    [
      "claude",
      [
        "Bash",
        "Edit|Write",
        "mcp__memory",
        "mcp__github__push",
        "mcp__memory__.*",
        "^Bash$",
        "Notebook.*|Edit",
        "a\\/b",
      ],
    ],
    ["codex", ["Bash", "Edit|Write", "apply_patch", "spawn.*"]],
    ["cursor", ["Shell|Write", "MCP:.*", "^Shell$"]],
    ["q", ["execute_bash", "fs_*", "@git", "@git/status", "@builtin", "fs_????e"]],
    ["vibe", ["bash", "serena_*", "re:serena_.*|bash"]],
  ])("of %s is exported as it was", (host, matchers) => {
    const { matcher: rule } = HOST_RULES[host];
    const tools = TOOLS[host] ?? [];
    for (const text of matchers) {
      const translated = translateMatcher(text, rule, tools);
      expect("matcher" in translated && hostMatcher(translated.matcher, rule, tools)).toEqual({ matcher: text });
    }
  });
});

describe("a matcher of hooksh", () => {
  test.each<[HostId, string, string | undefined]>([
    ["claude", "", undefined],
    ["claude", "shell", "Bash|PowerShell|Monitor|REPL|JavaScript"],
    ["claude", "shell|mcp:github:push", "Bash|PowerShell|Monitor|REPL|JavaScript|mcp__github__push"],
    ["claude", "(read|write)_file", "^(?:(read|write)_file|Read|Write)$"],
    ["cursor", "shell", "^(?:Shell)$"],
    ["q", "shell|write_file", "{execute_bash,fs_write}"],
    ["q", "mcp:git:status", "@git/status"],
    ["vibe", "shell|grep", "re:bash|grep"],
  ])("names the tools of %s: %s", (host, own, text) => {
    expect(hostMatcher(own, HOST_RULES[host].matcher, TOOLS[host] ?? [])).toEqual({ matcher: text });
  });

  test("that the host cannot express is a problem", () => {
    expect(hostMatcher("(read|write)_file", HOST_RULES.q.matcher, Q_TOOLS)).toEqual({
      problem: 'matcher "(read|write)_file": the host takes no regular expressions',
    });
  });
});
