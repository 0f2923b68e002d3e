import { describe, expect, test } from "bun:test";
import { dialect as claude } from "../../../src/dialects/hosts/claude.ts";
import { dialect as codex } from "../../../src/dialects/hosts/codex.ts";
import { HOST_RULES } from "../../../src/dialects/translate/host-rules.ts";
import { type MatcherRule, type ToolNames, translateMatcher } from "../../../src/dialects/translate/matcher.ts";
import { compileMatcher } from "../../../src/pattern/pattern.ts";
import { type Dice, diceFrom, pick } from "../../helpers/dice.ts";

/** The rule of a host, written from its documentation without our translation. */
type HostRule = (matcher: string, name: string) => boolean;

function found(expression: string, name: string): boolean {
  try {
    return new RegExp(expression).test(name);
  } catch {
    return false;
  }
}

/** https://code.claude.com/docs/en/hooks: letters, digits, `_`, `-`, blanks, commas and bars are a list of names. */
const claudeRule: HostRule = (matcher, name) => {
  if (matcher === "" || matcher === "*") return true;
  if (/^[\w\-\s,|]+$/.test(matcher)) return matcher.split(/[|,]/).some((item) => item.trim() === name);
  return found(matcher, name);
};

/** https://developers.openai.com/codex/hooks: `Edit` and `Write` also stand for apply_patch, `Agent` for spawn_agent. */
const codexRule: HostRule = (matcher, name) => {
  const names = [name, ...({ apply_patch: ["Edit", "Write"], spawn_agent: ["Agent"] }[name] ?? [])];
  if (matcher === "" || matcher === "*") return true;
  if (/^[\w|]+$/.test(matcher)) return names.some((one) => matcher.split("|").includes(one));
  return names.some((one) => found(matcher, one));
};

/** https://geminicli.com/docs/hooks/reference: a regular expression found anywhere in the name. */
const geminiRule: HostRule = (matcher, name) => matcher === "" || matcher === "*" || found(matcher, name);

/** https://docs.github.com/en/copilot/reference/hooks-reference: the whole name. */
const copilotRule: HostRule = (matcher, name) => found(`^(?:${matcher})$`, name);

/** https://github.com/aws/amazon-q-developer-cli/blob/main/docs/hooks.md: globs, `@server`, `@builtin`. */
const qRule: HostRule = (matcher, name) => {
  if (matcher === "*") return true;
  if (matcher === "@builtin") return !name.startsWith("@");
  if (/^@[^/]+$/.test(matcher)) return globbed(`${matcher}/*`, name);
  return globbed(matcher, name);
};

/** https://github.com/mistralai/mistral-vibe: fnmatch without case, or `re:` and an expression for the whole name. */
const vibeRule: HostRule = (matcher, name) => {
  if (matcher.startsWith("re:")) return new RegExp(`^(?:${matcher.slice(3)})$`, "i").test(name);
  return globbed(matcher.toLowerCase(), name.toLowerCase());
};

/** A glob of literals, `*` and `?`, compared letter by letter. */
function globbed(glob: string, name: string): boolean {
  if (glob === "") return name === "";
  if (glob[0] === "*") return globbed(glob.slice(1), name) || (name !== "" && globbed(glob, name.slice(1)));
  return name !== "" && (glob[0] === "?" || glob[0] === name[0]) && globbed(glob.slice(1), name.slice(1));
}

const GEMINI_TOOLS: ToolNames[] = [
  { is: "shell", names: ["run_shell_command"] },
  { is: "read_file", names: ["read_file"] },
  { is: "edit_file", names: ["replace"] },
  { is: "write_file", names: ["write_file"] },
];
const Q_TOOLS: ToolNames[] = [
  { is: "shell", names: ["execute_bash"] },
  { is: "read_file", names: ["fs_read"] },
  { is: "write_file", names: ["fs_write"], also: ["edit_file"] },
];
const VIBE_TOOLS: ToolNames[] = [
  { is: "shell", names: ["bash"] },
  { is: "write_file", names: ["write_file"] },
];

interface Case {
  rule: HostRule;
  ours: MatcherRule;
  tools: readonly ToolNames[];
  /** Names of tools that no table has. */
  others: readonly string[];
  matchers: readonly string[];
  /** Puts several matchers together. */
  joined: string;
}

const MCP = ["mcp__github__create_issue", "mcp__git_hub__push", "mcp__memory__add"];
const EXPRESSIONS = [
  "^Bash$",
  "Edit|Write.*",
  "mcp__.*",
  "mcp__memory__.*",
  "mcp__.*__create.*",
  "Notebook.*",
  "^(Read|LS)$",
  "[A-E]dit",
];

const CASES: Record<string, Case> = {
  claude: {
    rule: claudeRule,
    ours: HOST_RULES.claude.matcher,
    tools: claude.tools,
    others: [...MCP, "NotebookEdit", "BashOutput", "TodoWrite"],
    matchers: [
      "Bash",
      "Edit|Write",
      "Edit, Write",
      "mcp__memory",
      ...MCP,
      "*",
      "",
      "Notebook",
      ...EXPRESSIONS,
      "\\_x",
      "a\\/b",
      "[^]x",
      "[[:alpha:]]*sh",
    ],
    joined: "|",
  },
  codex: {
    rule: codexRule,
    ours: HOST_RULES.codex.matcher,
    tools: codex.tools,
    others: [...MCP, "update_plan"],
    matchers: ["Bash", "Edit|Write", "apply_patch", "Agent", "*", "", ...EXPRESSIONS, "spawn.*"],
    joined: "|",
  },
  gemini: {
    rule: geminiRule,
    ours: HOST_RULES.gemini.matcher,
    tools: GEMINI_TOOLS,
    others: ["mcp_github_create", "write_todos", "ask_user"],
    matchers: [
      "run_shell_command",
      "write_.*",
      "^(read|write)_file$",
      "file",
      "mcp_.*",
      "*",
      "",
      "replace|.*_file",
      "\\w+_todos",
    ],
    joined: "|",
  },
  copilot: {
    rule: copilotRule,
    ours: HOST_RULES.copilot.matcher,
    tools: [{ is: "shell", names: ["bash", "powershell"] }],
    others: ["view", "str_replace_editor", "github-create_issue", "read_bash"],
    matchers: ["bash", "bash|view", ".*", "str_.*", "github-.+"],
    joined: "|",
  },
  q: {
    rule: qRule,
    ours: HOST_RULES.q.matcher,
    tools: Q_TOOLS,
    others: ["@git/status", "@git/push", "@github/status", "use_aws", "report_issue"],
    matchers: ["execute_bash", "fs_*", "@git", "@git/status", "@git/*", "@git*/push", "@builtin", "*", "fs_?????"],
    joined: "",
  },
  vibe: {
    rule: vibeRule,
    ours: HOST_RULES.vibe.matcher,
    tools: VIBE_TOOLS,
    others: ["serena_find", "grep", "task"],
    matchers: ["bash", "BASH", "serena_*", "re:serena_.*|bash", "re:Write", "*", "?ash"],
    joined: "",
  },
};

/** Every name that hooksh tries a matcher against for a tool of the host. */
function namesOf(name: string, tools: readonly ToolNames[]): string[] {
  const row = tools.find(({ names }) => names.includes(name));
  const [, server, tool] = /^(?:mcp__(.+?)__|@([^/]+)\/)?(.+)$/.exec(name)?.filter((part) => part !== undefined) ?? [];
  const isServers = name.startsWith("mcp__") || name.startsWith("@");
  return [name, ...(row ? [row.is, ...(row.also ?? [])] : []), ...(isServers ? [`mcp:${server}:${tool}`] : [])];
}

function disagreements({ rule, ours, tools, others }: Case, matcher: string): string[] {
  const translated = translateMatcher(matcher, ours, tools);
  const names = [...tools.flatMap((tool) => tool.names), ...others];
  const matches = "problem" in translated ? () => false : compileMatcher(translated.matcher);
  const notes = "problem" in translated ? "" : translated.notes.join(" ");
  return names.flatMap((name) => {
    const [theirs, own] = [rule(matcher, name), matches(namesOf(name, tools))];
    const isAnnounced = own && !theirs && new RegExp(`\\b${name}\\b`).test(notes);
    return theirs === own || isAnnounced ? [] : [`${matcher} on ${name}: ${theirs} there, ${own} here`];
  });
}

describe.each(Object.entries(CASES))("a matcher of %s", (_host, one) => {
  test.each([...one.matchers])("%s matches the same tools here", (matcher) => {
    expect(disagreements(one, matcher)).toEqual([]);
  });

  test("matches the same tools here, whatever its parts", () => {
    const dice: Dice = diceFrom(7);
    const made = Array.from({ length: one.joined === "" ? 0 : 300 }, () =>
      Array.from({ length: 1 + dice(3) }, () =>
        pick(
          dice,
          one.matchers.filter((part) => part !== "*" && part !== ""),
        ),
      ).join(one.joined),
    );
    expect(made.flatMap((matcher) => disagreements(one, matcher))).toEqual([]);
  });
});

describe("a translated matcher", () => {
  const translate = (text: string | undefined, host: "claude" | "codex" | "q" | "kimi" = "claude") =>
    translateMatcher(text, HOST_RULES[host].matcher, host === "codex" ? codex.tools : claude.tools);

  test("works under other agents by hooksh's names", () => {
    expect(translate("Edit|Write")).toEqual({
      matcher: "Edit|Write|write_file|edit_file",
      notes: ["the matcher now also matches MultiEdit, NotebookEdit"],
    });
    expect(translate("Edit|Write", "codex")).toMatchObject({
      matcher: expect.stringContaining("|edit_file|write_file"),
    });
    expect(translate("mcp__memory__.*")).toMatchObject({ matcher: ".*(?:mcp__memory__.*).*|.*(?:mcp:memory:.*).*" });
    expect(translate("mcp__github__push")).toEqual({ matcher: "mcp__github__push|mcp:github:push", notes: [] });
  });

  test("says which further tools of the host it matches", () => {
    expect(translate("Bash")).toEqual({
      matcher: "Bash|shell",
      notes: ["the matcher now also matches PowerShell, Monitor, REPL, JavaScript"],
    });
  });

  test("is empty for every tool", () => {
    expect(translate(undefined)).toEqual({ matcher: "", notes: [] });
    expect(translate("*")).toEqual({ matcher: "", notes: [] });
  });

  test.each([
    ["^(?!Read)", "look-around"],
    ["(a)\\1", "back-reference"],
    ["Bash(", "missing"],
  ])("%s is refused with the reason", (matcher, reason) => {
    expect(translate(matcher)).toEqual({ problem: expect.stringContaining(reason) });
  });

  test("of a host for which * is not a valid expression is refused", () => {
    expect(translate("*", "kimi")).toEqual({ problem: expect.stringContaining('matcher "*"') });
  });

  test("is compiled in time even if it is hostile", () => {
    expect(translate(`(${"a+".repeat(40)})+$x`)).toBeDefined();
  });
});
