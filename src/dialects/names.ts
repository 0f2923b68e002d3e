import type { Dialect } from "./dialect.ts";

/** What hooksh knows about a dialect without loading its codec. */
export interface DialectRow {
  /** The product whose hooks speak it. */
  product: string;
  /** Variables that the product sets for its hooks, as `NAME` or `NAME=value`. All variables of one list name the product. */
  variables?: readonly (readonly string[])[];
  /** The product also runs the hooks in Claude Code's settings of a project. */
  readsClaude?: true;
  load: () => Promise<{ dialect: Dialect }>;
}

/**
 * Every dialect of another agent's hooks, by the name that `--dialect` takes. A dialect's codec is loaded when it is
 * used. The pages about them: docs/agents.
 */
export const DIALECTS = {
  claude: { product: "Claude Code", variables: [["CLAUDE_PROJECT_DIR"]], load: () => import("./hosts/claude.ts") },
  codex: {
    product: "OpenAI Codex",
    variables: [["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"]],
    load: () => import("./hosts/codex.ts"),
  },
  gemini: { product: "Gemini CLI", variables: [["GEMINI_SESSION_ID"]], load: () => import("./hosts/gemini.ts") },
  copilot: { product: "GitHub Copilot CLI", readsClaude: true, load: () => import("./hosts/copilot.ts") },
  "copilot-pascal": {
    product: "GitHub Copilot CLI, with events under Pascal names",
    readsClaude: true,
    load: () => import("./hosts/copilot-pascal.ts"),
  },
  vscode: { product: "Visual Studio Code", readsClaude: true, load: () => import("./hosts/vscode.ts") },
  droid: {
    product: "Factory Droid",
    variables: [["FACTORY_PROJECT_DIR"], ["DROID_PROJECT_DIR"]],
    load: () => import("./hosts/droid.ts"),
  },
  qwen: { product: "Qwen Code", variables: [["QWEN_PROJECT_DIR"]], load: () => import("./hosts/qwen.ts") },
  grok: {
    product: "Grok Build",
    readsClaude: true,
    variables: [["GROK_WORKSPACE_ROOT"]],
    load: () => import("./hosts/grok.ts"),
  },
  kimi: { product: "Kimi Code", load: () => import("./hosts/kimi.ts") },
  cursor: {
    product: "Cursor",
    readsClaude: true,
    variables: [["CURSOR_VERSION"]],
    load: () => import("./hosts/cursor.ts"),
  },
  agy: {
    product: "Google Antigravity",
    variables: [["ANTIGRAVITY_CONVERSATION_ID"]],
    load: () => import("./hosts/agy.ts"),
  },
  windsurf: { product: "Windsurf Cascade", load: () => import("./hosts/windsurf.ts") },
  q: { product: "Amazon Q Developer CLI and Kiro CLI 2", load: () => import("./hosts/q.ts") },
  kiro: { product: "Kiro IDE and Kiro CLI 3", load: () => import("./hosts/kiro.ts") },
  cline: { product: "Cline for VS Code", load: () => import("./hosts/cline.ts") },
  "cline-sdk": { product: "Cline CLI and SDK", load: () => import("./hosts/cline-sdk.ts") },
  goose: { product: "goose", load: () => import("./hosts/goose.ts") },
  crush: { product: "Charm Crush", variables: [["CRUSH=1", "CRUSH_EVENT"]], load: () => import("./hosts/crush.ts") },
  openhands: {
    product: "OpenHands",
    variables: [["OPENHANDS_EVENT_TYPE"]],
    load: () => import("./hosts/openhands.ts"),
  },
  vibe: { product: "Mistral Vibe", load: () => import("./hosts/vibe.ts") },
  opencode: { product: "opencode", load: () => import("./hosts/opencode.ts") },
} as const satisfies Record<string, DialectRow>;

export type DialectName = keyof typeof DIALECTS;

/** True for a name that `--dialect` takes. */
export function isDialectName(name: string): name is DialectName {
  return Object.hasOwn(DIALECTS, name);
}

/** Returns the row of a dialect, without loading its codec. */
export function dialectRow(name: DialectName): DialectRow {
  return DIALECTS[name];
}
