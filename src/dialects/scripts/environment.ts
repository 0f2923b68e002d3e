import type { Payload } from "../../protocol/rewrite.ts";
import type { Composed } from "./script.ts";

const PROJECT: Readonly<Record<string, readonly string[]>> = {
  claude: ["CLAUDE_PROJECT_DIR"],
  gemini: ["GEMINI_PROJECT_DIR", "GEMINI_CWD", "CLAUDE_PROJECT_DIR"],
  qwen: ["QWEN_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  droid: ["FACTORY_PROJECT_DIR"],
  cursor: ["CURSOR_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
  grok: ["GROK_WORKSPACE_ROOT", "CLAUDE_PROJECT_DIR"],
  openhands: ["OPENHANDS_PROJECT_DIR"],
  crush: ["CRUSH_PROJECT_DIR"],
};

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

/** The variables that describe one call, by dialect. */
const PER_CALL: Readonly<Record<string, (composed: Composed, input: Payload) => Payload>> = {
  gemini: (_composed, { session_id }) => ({ GEMINI_SESSION_ID: session_id }),
  crush: ({ event, tool }, { session_id, cwd }) => ({
    CRUSH: "1",
    CRUSH_EVENT: event,
    CRUSH_TOOL_NAME: tool?.name,
    CRUSH_SESSION_ID: session_id,
    CRUSH_CWD: cwd,
    CRUSH_TOOL_INPUT_COMMAND: tool?.hostInput["command"],
    CRUSH_TOOL_INPUT_FILE_PATH: tool?.hostInput["file_path"],
  }),
  openhands: ({ event, tool }, { session_id }) => ({
    OPENHANDS_SESSION_ID: session_id,
    OPENHANDS_EVENT_TYPE: event,
    OPENHANDS_TOOL_NAME: tool?.name,
  }),
};

/** The environment that a host adds for its scripts. */
export interface ScriptVariables {
  /** For variables that are not set yet. */
  lacking: Readonly<Record<string, string>>;
  /** Set for each call, over values from an outer call; undefined removes a variable. */
  perCall: Readonly<Record<string, string | undefined>>;
}

/** Returns the variables that a host sets for its scripts. `input`: what hooks of hooksh would read. */
export function scriptVariables(dialect: string, composed: Composed, input: Payload): ScriptVariables {
  const cwd = text(input["cwd"]) ?? "";
  const perCall = PER_CALL[dialect]?.(composed, input) ?? {};
  return {
    lacking: Object.fromEntries((PROJECT[dialect] ?? []).map((name) => [name, cwd])),
    perCall: Object.fromEntries(Object.entries(perCall).map(([name, value]) => [name, text(value)])),
  };
}
