import {
  allDisabled,
  alsoRead,
  type HostFiles,
  type HostMute,
  installed,
  managed,
  managedOnly,
  mcpFiles,
} from "./host-file.ts";
import type { DialectName } from "./names.ts";

const GROUPS = { format: "json", nesting: "groups", at: ["hooks"] } as const;
const GROUPS_JSONC = { ...GROUPS, format: "jsonc" } as const;
const GROUPS_TOML = { ...GROUPS, format: "toml" } as const;
const BARE_GROUPS = { ...GROUPS, at: [] } as const;
const FLAT = { format: "json", nesting: "flat", at: ["hooks"] } as const;
const FLAT_JSONC = { ...FLAT, format: "jsonc" } as const;
const TABLES = { format: "toml", nesting: "list", at: ["hooks"] } as const;
const EXECUTABLES = { format: "executable", nesting: "file", at: [] } as const;
const MODULE = { format: "module", nesting: "module", at: [] } as const;
const COMMAND = { fixed: { type: "command" }, command: ["command"], matcher: "matcher" } as const;

const CLAUDE_MANAGED = {
  linux: "/etc/claude-code/managed-settings.json",
  darwin: "/Library/Application Support/ClaudeCode/managed-settings.json",
  win32: "C:\\Program Files\\ClaudeCode\\managed-settings.json",
} as const;

const CLAUDE_SETTINGS = [
  "~/.claude/settings.json",
  "<project>/.claude/settings.json",
  "<project>/.claude/settings.local.json",
] as const;

const GEMINI_MANAGED = {
  linux: "/etc/gemini-cli/settings.json",
  darwin: "/Library/Application Support/GeminiCli/settings.json",
  win32: "C:\\ProgramData\\gemini-cli\\settings.json",
} as const;

const COPILOT_SETTINGS = [
  "~/.copilot/settings.json",
  "<project>/.github/copilot/settings.json",
  "<project>/.github/copilot/settings.local.json",
] as const;

const COPILOT: HostFiles = {
  spelling: "camel",
  source: "https://docs.github.com/en/copilot/reference/hooks-reference",
  // It also reads .claude/settings.json of a project.
  files: [
    ...installed("~/.copilot/hooks/*.json", "<project>/.github/hooks/*.json", FLAT, "hooksh.json"),
    ...alsoRead(COPILOT_SETTINGS, FLAT_JSONC),
    ...managed({ linux: "/etc/github-copilot/policy.d/*.json" }, FLAT),
  ],
  moved: [{ variable: "COPILOT_HOME", folder: "~/.copilot" }],
  head: { version: 1 },
  mcp: [
    ...mcpFiles("json", "mcpServers", "~/.copilot/mcp-config.json", "<project>/.copilot/mcp-config.json"),
    ...mcpFiles("json", "mcpServers", "<project>/.mcp.json", "<project>/.github/mcp.json"),
    ...mcpFiles("json", "servers", "<project>/.vscode/mcp.json"),
  ],
  // An absent matcher matches every tool; in a camelCase file `*` and an empty one match none.
  entry: {
    fixed: { type: "command" },
    command: ["bash"],
    commandOnWindows: ["powershell"],
    otherCommands: [["command"], ["exec"]],
    matcher: "matcher",
  },
  timeout: { key: "timeoutSec", unit: "s", defaultSeconds: 30, seconds: 60 },
  projectFolder: "$COPILOT_PROJECT_DIR",
  mutes: [allDisabled("jsonc", COPILOT_SETTINGS)],
  trust: {
    project:
      "Copilot CLI runs the hooks of a project only in a trusted folder: answer its question once, or start it with --trust-folder",
  },
};

/**
 * Where each host's hooks are configured, and how `install` writes there. The public page of each row's facts is its
 * `source`; docs/agents says which were measured on the released program.
 */
export const HOST_FILES = {
  // If onFailure is not "block" or "continue", or a handler type is unknown, Claude Code loads nothing
  // of the file, permissions included.
  claude: {
    source: "https://code.claude.com/docs/en/hooks",
    files: [
      ...installed(CLAUDE_SETTINGS[0], CLAUDE_SETTINGS[1], GROUPS),
      { scope: "local", path: CLAUDE_SETTINGS[2], ...GROUPS, install: true },
      ...managed(CLAUDE_MANAGED, GROUPS),
    ],
    moved: [{ variable: "CLAUDE_CONFIG_DIR", folder: "~/.claude" }],
    mcp: [
      ...mcpFiles("json", "mcpServers", "<project>/.mcp.json", "~/.claude.json"),
      ...mcpFiles("json", "projects.*.mcpServers", "~/.claude.json"),
    ],
    entry: COMMAND,
    timeout: { key: "timeout", unit: "s", defaultSeconds: 600, seconds: 60, fixed: { SessionEnd: 1.5 } },
    failClosed: {
      key: "onFailure",
      value: "block",
      events: ["PreToolUse", "PermissionRequest", "UserPromptSubmit", "ConfigChange"],
    },
    leftOut: { WorktreeCreate: "a hook of this event has to make the worktree and print its path" },
    eventNotes: {
      PostToolUse:
        "the output of a command that fails reaches the model as it is: Claude Code takes no replacement for it",
    },
    redactsPartly: true,
    voidedBy: {
      values: { onFailure: ["block", "continue"], type: ["command", "http", "mcp_tool", "prompt", "agent"] },
    },
    runsEqualOnce: true,
    projectFolder: "$CLAUDE_PROJECT_DIR",
    http: { except: ["SessionStart", "ConfigChange"] },
    mutes: [
      allDisabled("json", [...CLAUDE_SETTINGS, ...Object.values(CLAUDE_MANAGED)]),
      managedOnly(Object.values(CLAUDE_MANAGED)),
    ],
    trust: {
      project: "in an interactive session Claude Code runs the hooks of a project only after you trust the folder",
    },
  },

  // Codex silently skips untrusted hooks, and every edit of an entry needs trust again.
  codex: {
    source: "https://developers.openai.com/codex/hooks",
    files: [
      ...installed("~/.codex/hooks.json", "<project>/.codex/hooks.json", GROUPS),
      ...alsoRead(["~/.codex/config.toml", "<project>/.codex/config.toml"], GROUPS_TOML),
      ...managed({ linux: "/etc/codex/requirements.toml" }, GROUPS_TOML),
    ],
    moved: [{ variable: "CODEX_HOME", folder: "~/.codex" }],
    mcp: mcpFiles("toml", "mcp_servers", "~/.codex/config.toml", "<project>/.codex/config.toml"),
    entry: { ...COMMAND, otherCommands: [["commandWindows"]] },
    timeout: {
      key: "timeout",
      unit: "s",
      defaultSeconds: 600,
      seconds: 60,
      fixed: { SessionEnd: 1, Interrupt: 1 },
    },
    projectFolder: ".",
    mutes: [
      ...["hooks", "codex_hooks"].map(
        (name): HostMute => ({
          files: ["~/.codex/config.toml", "<project>/.codex/config.toml"],
          format: "toml",
          key: ["features", name],
          value: false,
          effect: "no hook runs",
        }),
      ),
      {
        files: ["/etc/codex/requirements.toml"],
        format: "toml",
        key: ["allow_managed_hooks_only"],
        value: true,
        effect: "only the hooks of the administrator run",
      },
    ],
    notes: [
      "Codex asks no hook about what the model types into a running program (write_stdin): while a guard of commands is in force, hooksh refuses shells, REPLs and ssh without a command",
    ],
    trust: {
      user: "Codex silently skips hooks that you have not trusted: type /hooks in Codex, or repeat hooksh install codex with --trust",
      project:
        "Codex silently skips the hooks of a project unless you trust both the project and the hooks: type /hooks in Codex, or repeat hooksh install codex --project with --trust",
    },
  },

  // Milliseconds. PreCompress fires before every model request, so it is registered only for a pre_compact hook.
  gemini: {
    source: "https://geminicli.com/docs/hooks/reference",
    files: [
      ...installed("~/.gemini/settings.json", "<project>/.gemini/settings.json", GROUPS_JSONC),
      ...managed(GEMINI_MANAGED, GROUPS_JSONC),
    ],
    moved: [{ variable: "GEMINI_CLI_HOME", folder: "~" }],
    mcp: mcpFiles("json", "mcpServers", "~/.gemini/settings.json", "<project>/.gemini/settings.json"),
    entry: { ...COMMAND, name: "name" },
    timeout: { key: "timeout", unit: "ms", defaultSeconds: 60, seconds: 60 },
    runsEqualOnce: true,
    projectFolder: "$GEMINI_PROJECT_DIR",
    mutes: [
      ["hooksConfig", "enabled"],
      ["hooks", "enabled"],
      ["tools", "enableHooks"],
    ].map((key) => ({
      files: ["~/.gemini/settings.json", "<project>/.gemini/settings.json", ...Object.values(GEMINI_MANAGED)],
      format: "jsonc" as const,
      key,
      value: false,
      effect: "no hook runs",
    })),
    trust: {
      project:
        "Gemini CLI runs the hooks of a project only in a trusted folder: trust it with /permissions or set GEMINI_CLI_TRUST_WORKSPACE=true; --skip-trust leaves them off",
    },
  },

  // Antigravity drops the whole file for a fraction or text as timeout, an unknown type, or a nested loop event.
  agy: {
    source: "https://github.com/google-antigravity/antigravity-cli/issues/1053",
    files: [
      ...installed("~/.gemini/config/hooks.json", "<project>/.agents/hooks.json", {
        format: "json",
        nesting: "groups",
        at: ["*"],
      }),
    ],
    mcp: mcpFiles(
      "json",
      "mcpServers",
      "~/.gemini/config/mcp_config.json",
      "~/.gemini/antigravity/mcp_config.json",
      "<project>/.agents/mcp_config.json",
    ),
    entry: COMMAND,
    flatEvents: ["PreInvocation", "PostInvocation", "Stop", "SessionStart"],
    timeout: { key: "timeout", unit: "s", defaultSeconds: 30, seconds: 60 },
    mutes: [],
    notes: ["Antigravity runs no hooks for the tool calls of sub-agents"],
  },

  copilot: COPILOT,
  "copilot-pascal": { ...COPILOT, spelling: "pascal", installAs: "copilot" },

  // VS Code ignores the matchers of Claude's files and reads Copilot's files as well.
  vscode: {
    source: "https://code.visualstudio.com/docs/agent-customization/hooks",
    files: [
      ...installed("~/.copilot/hooks/*.json", "<project>/.github/hooks/*.json", FLAT, "hooksh-vscode.json"),
      ...alsoRead(CLAUDE_SETTINGS, GROUPS),
    ],
    mcp: [
      ...mcpFiles("json", "servers", "<project>/.vscode/mcp.json", "~/.config/Code/User/mcp.json"),
      ...mcpFiles("json", "servers", "~/Library/Application Support/Code/User/mcp.json"),
    ],
    entry: {
      fixed: { type: "command" },
      command: ["command"],
      otherCommands: [["windows"], ["linux"], ["osx"], ["bash"], ["powershell"]],
      matcher: "matcher",
    },
    timeout: { key: "timeout", unit: "s", defaultSeconds: 30, seconds: 60 },
    mutes: [],
    notes: ["Copilot CLI reads this file too; after hooksh install copilot too, it runs each hook twice"],
  },

  // failClosed also blocks on an empty answer, which is hooksh's answer when no hook objects. One unknown event name
  // and Cursor ignores the whole file.
  cursor: {
    source: "https://cursor.com/docs/hooks",
    files: [
      ...installed("~/.cursor/hooks.json", "<project>/.cursor/hooks.json", FLAT),
      ...managed(
        {
          linux: "/etc/cursor/hooks.json",
          darwin: "/Library/Application Support/Cursor/hooks.json",
          win32: "C:\\ProgramData\\Cursor\\hooks.json",
        },
        FLAT,
      ),
    ],
    head: { version: 1 },
    mcp: mcpFiles("json", "mcpServers", "~/.cursor/mcp.json", "<project>/.cursor/mcp.json"),
    entry: { command: ["command"], matcher: "matcher" },
    timeout: { key: "timeout", unit: "s", defaultSeconds: 60, seconds: 60 },
    leftOut: {
      beforeShellExecution: "preToolUse fires for the same call",
      beforeReadFile: "preToolUse fires for the same call",
      afterShellExecution: "postToolUse fires for the same call",
      afterMCPExecution: "postToolUse fires for the same call",
      afterFileEdit: "postToolUse fires for the same call",
    },
    voidedBy: { events: true },
    projectFolder: "$CURSOR_PROJECT_DIR",
    mutes: [],
    trust: { project: "the Cursor CLI ignores the hooks of a project; hooksh install cursor --user guards it" },
  },

  // No matcher and no timeout key: hooksh does both.
  windsurf: {
    source: "https://docs.windsurf.com/windsurf/cascade/hooks",
    files: [
      ...installed("~/.codeium/windsurf/hooks.json", "<project>/.windsurf/hooks.json", FLAT),
      ...alsoRead(["~/.codeium/hooks.json"], FLAT),
      ...managed(
        {
          linux: "/etc/windsurf/hooks.json",
          darwin: "/Library/Application Support/Windsurf/hooks.json",
          win32: "C:\\ProgramData\\Windsurf\\hooks.json",
        },
        FLAT,
      ),
    ],
    mcp: mcpFiles("json", "mcpServers", "~/.codeium/windsurf/mcp_config.json", "~/.codeium/mcp_config.json"),
    entry: { command: ["command"], fixed: { show_output: true } },
    timeout: { unit: "s", defaultSeconds: 25, seconds: 25 },
    mutes: [],
    notes: ["in JetBrains, Windsurf reads ~/.codeium/hooks.json instead"],
  },

  // Hooks belong to an agent: only those of the agent in use run.
  q: {
    source: "https://github.com/aws/amazon-q-developer-cli/blob/main/docs/hooks.md",
    files: [
      ...installed("~/.aws/amazonq/cli-agents/*.json", "<project>/.amazonq/cli-agents/*.json", FLAT, "hooksh.json"),
      ...alsoRead(["~/.kiro/agents/*.json", "<project>/.kiro/agents/*.json"], FLAT),
    ],
    head: { name: "hooksh", description: "The default agent with the hooks of hooksh", tools: ["*"] },
    mcp: mcpFiles("json", "mcpServers", "~/.aws/amazonq/mcp.json", "<project>/.amazonq/mcp.json"),
    entry: { command: ["command"], matcher: "matcher" },
    timeout: { key: "timeout_ms", unit: "ms", defaultSeconds: 30, seconds: 60 },
    mutes: [],
    trust: {
      user: "the hooks run only in the agent hooksh: start q chat --agent hooksh, or make it the default with q settings chat.defaultAgent hooksh",
      project: "the hooks run only in the agent hooksh: start q chat --agent hooksh",
    },
  },

  kiro: {
    spelling: "pascal",
    source: "https://kiro.dev/docs/hooks",
    files: [
      ...installed(
        "~/.kiro/hooks/*.json",
        "<project>/.kiro/hooks/*.json",
        { format: "json", nesting: "list", at: ["hooks"] },
        "hooksh.json",
      ),
    ],
    head: { version: "v1" },
    mcp: mcpFiles("json", "mcpServers", "~/.kiro/settings/mcp.json", "<project>/.kiro/settings/mcp.json"),
    entry: {
      command: ["action", "command"],
      fixed: { enabled: true, action: { type: "command" } },
      event: "trigger",
      name: "name",
      matcher: "matcher",
    },
    timeout: { key: "timeout", unit: "s", defaultSeconds: 60, seconds: 60 },
    mutes: [],
  },

  cline: {
    source: "https://docs.cline.bot/features/hooks",
    files: [...installed("~/Documents/Cline/Hooks/*", "<project>/.clinerules/hooks/*", EXECUTABLES)],
    mcp: mcpFiles(
      "json",
      "mcpServers",
      "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
      "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    ),
    entry: { command: [] },
    timeout: { unit: "s", defaultSeconds: 30, seconds: 30 },
    mutes: [],
    notes: ["the Cline CLI reads this folder too; after hooksh install cline-sdk too, it runs each hook twice"],
  },

  // Only these four file names fire in the released CLI; hooks are off with --yolo.
  "cline-sdk": {
    source: "https://github.com/cline/cline",
    files: [
      ...installed("~/.cline/hooks/*", "<project>/.cline/hooks/*", EXECUTABLES),
      ...alsoRead(["~/Documents/Cline/Hooks/*", "<project>/.clinerules/hooks/*"], EXECUTABLES),
    ],
    mcp: mcpFiles("json", "mcpServers", "~/.cline/data/settings/cline_mcp_settings.json", "~/.cline/mcp.json"),
    entry: { command: [] },
    timeout: { unit: "s", defaultSeconds: 120, seconds: 120 },
    fileNames: {
      tool_call: "PreToolUse",
      tool_result: "PostToolUse",
      agent_start: "TaskStart",
      agent_end: "TaskComplete",
    },
    mutes: [],
    notes: ["the Cline CLI runs no hook with --yolo"],
  },

  // hooks.json works only with the events at the top, and Droid then may not look into settings.json.
  droid: {
    source: "https://docs.factory.ai/harness/hooks",
    files: [
      ...installed("~/.factory/settings.json", "<project>/.factory/settings.json", GROUPS_JSONC),
      ...alsoRead(
        ["~/.factory/hooks.json", "<project>/.factory/hooks.json", "<project>/.factory/hooks/hooks.json"],
        BARE_GROUPS,
      ),
    ],
    mcp: mcpFiles("json", "mcpServers", "~/.factory/mcp.json", "<project>/.factory/mcp.json"),
    entry: COMMAND,
    timeout: { key: "timeout", unit: "s", defaultSeconds: 60, seconds: 60 },
    eventNotes: {
      UserPromptSubmit:
        "droid exec fires no UserPromptSubmit: these hooks judge only prompts of an interactive session",
    },
    projectFolder: "$FACTORY_PROJECT_DIR",
    mutes: [
      managedOnly(["~/.factory/settings.json", "<project>/.factory/settings.json"]),
      {
        files: ["~/.factory/hooks.json", "<project>/.factory/hooks.json"],
        format: "json",
        key: ["hooks"],
        effect: "Droid ignores a hooks.json whose events are not top-level keys",
      },
      {
        files: ["~/.factory/hooks.json", "<project>/.factory/hooks.json"],
        format: "json",
        key: ["PreToolUse"],
        effect: "Droid may read this file instead of the hooks in settings.json",
      },
    ],
  },

  // failMode is in the source and unknown to the released program, so it is not written.
  qwen: {
    source: "https://github.com/QwenLM/qwen-code/blob/main/docs/users/features/hooks.md",
    files: [
      ...installed("~/.qwen/settings.json", "<project>/.qwen/settings.json", GROUPS_JSONC),
      ...managed({ linux: "/etc/qwen-code/settings.json" }, GROUPS_JSONC),
    ],
    moved: [{ variable: "QWEN_HOME", folder: "~/.qwen" }],
    mcp: mcpFiles("json", "mcpServers", "~/.qwen/settings.json", "<project>/.qwen/settings.json"),
    entry: COMMAND,
    // A value of 1000 or more is read as milliseconds.
    timeout: { key: "timeout", unit: "s", defaultSeconds: 600, seconds: 60 },
    runsEqualOnce: true,
    projectFolder: "$QWEN_PROJECT_DIR",
    mutes: [allDisabled("jsonc", ["~/.qwen/settings.json", "<project>/.qwen/settings.json"])],
  },

  grok: {
    spelling: "pascal",
    source: "https://docs.x.ai/build/features/hooks",
    files: [...installed("~/.grok/hooks/*.json", "<project>/.grok/hooks/*.json", GROUPS, "hooksh.json")],
    moved: [{ variable: "GROK_HOME", folder: "~/.grok" }],
    mcp: [
      ...mcpFiles("toml", "mcp_servers", "~/.grok/config.toml", "<project>/.grok/config.toml"),
      ...mcpFiles("json", "mcpServers", "<project>/.mcp.json"),
    ],
    entry: COMMAND,
    timeout: { key: "timeout", unit: "s", defaultSeconds: 5, seconds: 5 },
    projectFolder: "$GROK_WORKSPACE_ROOT",
    mutes: [],
    trust: { project: "Grok runs the hooks of a project only after /hooks-trust or with --trust" },
  },

  // Exactly these four keys: for one unknown key or event, Kimi ignores all hooks. `*` is not a valid matcher.
  kimi: {
    source: "https://moonshotai.github.io/kimi-code/",
    files: [
      { scope: "user", path: "~/.kimi-code/config.toml", ...TABLES, install: true },
      ...alsoRead(["~/.kimi/config.toml"], TABLES),
    ],
    moved: [{ variable: "KIMI_CODE_HOME", folder: "~/.kimi-code" }],
    mcp: mcpFiles("json", "mcpServers", "~/.kimi-code/mcp.json", "~/.kimi/mcp.json", "<project>/.kimi-code/mcp.json"),
    entry: { command: ["command"], event: "event", matcher: "matcher" },
    timeout: { key: "timeout", unit: "s", defaultSeconds: 30, seconds: 60 },
    voidedBy: { keys: ["event", "matcher", "command", "timeout"], events: true },
    runsEqualOnce: true,
    mutes: [],
  },

  // If an export is not a function or loading fails, opencode runs without the plugin.
  opencode: {
    source: "https://opencode.ai/docs/plugins",
    files: [...installed("~/.config/opencode/plugins/hooksh.js", "<project>/.opencode/plugins/hooksh.js", MODULE)],
    moved: [{ variable: "XDG_CONFIG_HOME", folder: "~/.config" }],
    mcp: mcpFiles(
      "json",
      "mcp",
      ...["opencode.json", "opencode.jsonc", "config.json"].map((name) => `~/.config/opencode/${name}`),
      ...["opencode.json", "opencode.jsonc", ".opencode/opencode.json", ".opencode/opencode.jsonc"].map(
        (name) => `<project>/${name}`,
      ),
    ),
    entry: { command: [] },
    timeout: { unit: "s", defaultSeconds: 60, seconds: 60 },
    mutes: [],
    notes: ["opencode --pure loads no plugins, so nothing guards it"],
  },

  // A plugin is a folder with plugin.json and hooks/hooks.json; a bare `*` as matcher skips the entry.
  goose: {
    source: "https://github.com/aaif-goose/goose/blob/main/documentation/docs/guides/context-engineering/hooks.md",
    files: [
      ...installed(
        "~/.agents/plugins/hooksh/hooks/hooks.json",
        "<project>/.agents/plugins/hooksh/hooks/hooks.json",
        GROUPS,
      ),
    ],
    mcp: mcpFiles("yaml", "extensions", "~/.config/goose/config.yaml"),
    entry: COMMAND,
    timeout: { key: "timeout", unit: "s", defaultSeconds: 30, seconds: 60 },
    companion: {
      path: "../plugin.json",
      content: { name: "hooksh", version: "1.0.0", description: "Runs the hooks of hooksh" },
    },
    failClosed: { key: "on_failure", value: "block", events: ["PreToolUse"] },
    mutes: [],
    notes: ["goose runs no hooks for sub-agents"],
  },

  crush: {
    source: "https://github.com/charmbracelet/crush/tree/main/docs/hooks",
    files: [
      ...installed("~/.config/crush/crush.json", "<project>/crush.json", FLAT),
      ...alsoRead(["<project>/.crush.json"], FLAT),
    ],
    moved: [{ variable: "XDG_CONFIG_HOME", folder: "~/.config" }],
    mcp: mcpFiles("json", "mcp", "~/.config/crush/crush.json", "<project>/crush.json", "<project>/.crush.json"),
    entry: { command: ["command"], matcher: "matcher" },
    timeout: { key: "timeout", unit: "s", defaultSeconds: 30, seconds: 60 },
    projectFolder: "$CRUSH_PROJECT_DIR",
    mutes: [],
    notes: ["Crush runs hooks only for the tool calls of its top-level agent"],
  },

  // Only the first file that exists counts: a file of the project hides that of the user.
  openhands: {
    source: "https://github.com/OpenHands/software-agent-sdk/blob/main/openhands-sdk/openhands/sdk/hooks/config.py",
    files: [...installed("~/.openhands/hooks.json", "<project>/.openhands/hooks.json", GROUPS)],
    mcp: mcpFiles("json", "mcpServers", "~/.openhands/mcp.json", "<project>/.openhands/mcp.json"),
    entry: COMMAND,
    timeout: { key: "timeout", unit: "s", defaultSeconds: 60, seconds: 60 },
    projectFolder: "$OPENHANDS_PROJECT_DIR",
    mutes: [],
    notes: ["OpenHands reads ~/.openhands/hooks.json only if the project has no .openhands/hooks.json"],
  },

  // Without strict, a failing hook lets the call run; every exit code except 0 is a failure.
  vibe: {
    source: "https://github.com/mistralai/mistral-vibe",
    files: [...installed("~/.vibe/hooks.toml", "<project>/.vibe/hooks.toml", TABLES)],
    moved: [{ variable: "VIBE_HOME", folder: "~/.vibe" }],
    mcp: mcpFiles("toml", "mcp_servers", "~/.vibe/config.toml", "<project>/.vibe/config.toml"),
    entry: { command: ["command"], event: "type", name: "name", matcher: "match" },
    timeout: { key: "timeout", unit: "s", defaultSeconds: 60, seconds: 60 },
    failClosed: { key: "strict", value: true, events: ["pre_tool", "post_tool"] },
    mutes: [],
    trust: { project: "Vibe runs the hooks of a project only in a trusted folder" },
  },
} as const satisfies Record<DialectName, HostFiles>;

export type HostId = DialectName;

/** True for a name in {@link HOST_FILES}. */
export function isHostId(name: string): name is HostId {
  return Object.hasOwn(HOST_FILES, name);
}

export function hostFiles(host: HostId): HostFiles {
  return HOST_FILES[host];
}
