import type { HostFile, HostScope } from "../host-file.ts";
import type { HostId } from "../host-files.ts";
import type { MatcherRule } from "./matcher.ts";

/** The tools that an event concerns if it has no matcher on tools. */
interface ImpliedTools {
  /** The tools, as a matcher of hooksh. */
  matcher: string;
  /** What the host's own matcher filters instead of the tool's name. */
  filters?: string;
  /** Another event of the host that is the same event in hooksh, so that the hook gets its payload too. */
  sharedWith?: string;
}

/** How hooks in a host's files become hooks of hooksh, in addition to the facts in {@link HOST_FILES}. */
export interface HostRules {
  matcher: MatcherRule;
  /** `PreToolUse`, `preToolUse` and `pre_tool_use` are the same event in the file. */
  anyCase?: true;
  /** Names of events in files that the payload spells in another way. */
  eventNames?: Readonly<Record<string, string>>;
  implied?: Readonly<Record<string, ImpliedTools>>;
  /** Where the host starts its hooks, if not in the directory of the session. `file` is the folder of the file. */
  startsIn?: Partial<Record<HostScope, "file">>;
  /** What a timeout of 0 means. */
  zeroTimeout?: { seconds: number; means: string };
  /** Keys that hold a timeout besides the one that `install` writes. */
  timeoutKeys?: readonly string[];
  /** A timeout of this many or more is in milliseconds. */
  millisecondsFrom?: number;
  /** The host has no timeout for hooks. */
  untimed?: true;
  /** Further files to read. */
  files?: readonly HostFile[];
  /** A fail-closed switch that `install` does not write: `export` writes it for a hook with `on_error: block`. */
  failClosed?: { key: string; value: unknown };
  /** Keys of a hook in the host's files that have a counterpart in hooksh. */
  keeps?: {
    env?: true;
    /** The key of the working directory. */
    folder?: string;
    /** The key of a program that `args` belong to. */
    program?: "command" | "exec";
    shell?: true;
    name?: string;
  };
  /** Reported for every hook that has a matcher. */
  matcherLoss?: string;
}

const CLAUDE_MATCHER: MatcherRule = {
  kind: "exact-or-regex",
  flavor: "js",
  exact: { characters: /^[A-Za-z0-9_\-\s,|]+$/, separator: /[|,]/ },
  every: ["", "*"],
};

const SCRIPT_EXPRESSION: MatcherRule = { kind: "regex", flavor: "js", every: [""] };

const COPILOT_KEYS = { env: true, folder: "cwd", program: "exec" } as const;

const COPILOT_FILES = [
  { scope: "project", path: "<project>/.claude/settings.json" },
  { scope: "local", path: "<project>/.claude/settings.local.json" },
] as const;

/** Files of plugins and extensions, in the form of Claude Code's. */
function groupFiles(scope: HostScope, ...paths: string[]): HostFile[] {
  return paths.map((path) => ({ scope, path, format: "jsonc", nesting: "groups", at: ["hooks"] }));
}

function modules(scope: HostScope, ...paths: string[]): HostFile[] {
  return paths.map((path) => ({ scope, path, format: "module", nesting: "module", at: [] }));
}

const FILES = "write_file|edit_file";

/** The rules by host. Each host's public documentation: {@link HOST_FILES}. */
export const HOST_RULES: Readonly<Record<HostId, HostRules>> = {
  claude: { matcher: CLAUDE_MATCHER, keeps: { program: "command", shell: true } },

  codex: {
    matcher: {
      kind: "exact-or-regex",
      flavor: "rust",
      exact: { characters: /^[A-Za-z0-9_|]+$/, separator: /\|/ },
      every: ["", "*"],
      aliases: { Edit: "apply_patch", Write: "apply_patch", Agent: "spawn_agent" },
    },
    zeroTimeout: { seconds: 1, means: "the host waits 1 s" },
  },

  gemini: {
    matcher: { ...SCRIPT_EXPRESSION, every: ["", "*"] },
    keeps: { env: true },
    files: groupFiles("user", "~/.gemini/extensions/*/hooks/hooks.json"),
  },

  agy: {
    matcher: { ...SCRIPT_EXPRESSION, every: ["", "*"] },
    anyCase: true,
    startsIn: { user: "file", project: "file" },
  },

  copilot: {
    matcher: { kind: "anchored", flavor: "js", every: [] },
    timeoutKeys: ["timeout"],
    keeps: COPILOT_KEYS,
  },

  "copilot-pascal": {
    matcher: CLAUDE_MATCHER,
    timeoutKeys: ["timeout"],
    keeps: COPILOT_KEYS,
    files: COPILOT_FILES.map((file) => ({ ...file, format: "jsonc", nesting: "groups", at: ["hooks"] })),
  },

  vscode: {
    matcher: CLAUDE_MATCHER,
    anyCase: true,
    eventNames: { userPromptSubmitted: "UserPromptSubmit", agentStop: "Stop" },
    timeoutKeys: ["timeoutSec"],
    keeps: { env: true, folder: "cwd" },
    matcherLoss: "VS Code ignores matchers and runs the hook for every tool; here the matcher works",
  },

  cursor: {
    matcher: { ...SCRIPT_EXPRESSION, every: ["", "*"] },
    startsIn: { user: "file", managed: "file" },
    failClosed: { key: "failClosed", value: true },
    implied: {
      beforeShellExecution: { matcher: "Shell|shell", filters: "the command line", sharedWith: "preToolUse" },
      beforeMCPExecution: { matcher: "MCP:.*|mcp:.*", sharedWith: "preToolUse" },
      beforeReadFile: { matcher: "Read|read_file", sharedWith: "preToolUse" },
      afterShellExecution: { matcher: "Shell|shell", filters: "the command line", sharedWith: "postToolUse" },
      afterMCPExecution: { matcher: "MCP:.*|mcp:.*", sharedWith: "postToolUse" },
      afterFileEdit: { matcher: `Write|${FILES}`, sharedWith: "postToolUse" },
    },
  },

  windsurf: {
    matcher: { kind: "exact", every: [""] },
    untimed: true,
    keeps: { folder: "working_directory" },
    implied: {
      pre_run_command: { matcher: "pre_run_command|shell" },
      post_run_command: { matcher: "post_run_command|shell" },
      pre_write_code: { matcher: `pre_write_code|${FILES}` },
      post_write_code: { matcher: `post_write_code|${FILES}` },
      pre_read_code: { matcher: "pre_read_code|read_file" },
      post_read_code: { matcher: "post_read_code|read_file" },
      pre_mcp_tool_use: { matcher: "mcp:.*" },
      post_mcp_tool_use: { matcher: "mcp:.*" },
    },
  },

  q: { matcher: { kind: "glob", glob: "globset", every: ["*"], servers: true } },

  kiro: {
    matcher: { ...SCRIPT_EXPRESSION, every: ["", "*"], servers: true },
    anyCase: true,
    eventNames: { AgentSpawn: "agentSpawn", promptSubmit: "userPromptSubmit", agentStop: "stop" },
    zeroTimeout: { seconds: 86_400, means: "the host waits forever; hooksh waits a day" },
    files: [
      { scope: "project", path: "<project>/.kiro/hooks/*.kiro.hook", format: "json", nesting: "list", at: ["hooks"] },
    ],
  },

  cline: { matcher: { kind: "exact", every: [""] } },
  "cline-sdk": { matcher: { kind: "exact", every: [""] } },

  droid: { matcher: { ...CLAUDE_MATCHER } },

  qwen: {
    matcher: {
      kind: "exact-or-regex",
      flavor: "js",
      exact: { characters: /^[A-Za-z0-9_\-\s|]+$/, separator: /\|/ },
      every: ["", "*", ".*"],
    },
    millisecondsFrom: 1000,
    keeps: { env: true, shell: true },
    failClosed: { key: "failMode", value: "closed" },
    files: groupFiles("user", "~/.qwen/extensions/*/hooks/hooks.json"),
  },

  grok: { matcher: { ...SCRIPT_EXPRESSION, flavor: "rust", every: ["", "*"] } },
  kimi: { matcher: SCRIPT_EXPRESSION },

  opencode: {
    matcher: SCRIPT_EXPRESSION,
    files: [
      ...modules("user", "~/.config/opencode/plugins/*", "~/.config/opencode/plugin/*"),
      ...modules("project", "<project>/.opencode/plugins/*", "<project>/.opencode/plugin/*"),
    ],
  },

  goose: {
    matcher: { kind: "regex", flavor: "rust", every: [""] },
    zeroTimeout: { seconds: 1, means: "the host ends the hook at once" },
    files: [
      ...groupFiles("user", "~/.agents/plugins/*/hooks/hooks.json"),
      ...groupFiles("project", "<project>/.agents/plugins/*/hooks/hooks.json"),
    ],
  },

  crush: { matcher: { kind: "regex", flavor: "rust", every: ["", "*"] }, anyCase: true, keeps: { name: "name" } },

  openhands: { matcher: { ...CLAUDE_MATCHER, flavor: "python", marked: /^\/(.+)\/$/ } },

  vibe: {
    matcher: { kind: "glob", glob: "fnmatch", flavor: "python", every: ["*"], ignoresCase: true, marked: /^re:(.*)$/s },
    eventNames: { before_tool: "pre_tool", after_tool: "post_tool", post_agent_turn: "post_agent" },
  },
};
