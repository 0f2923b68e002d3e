import type { DialectName } from "../../src/dialects/names.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";

/** What a host does with the bytes it got before a call or a prompt goes ahead. */
export type Reading = "denied" | "asked" | "allowed" | "nothing" | "invalid";

/** The bytes that a host got. */
export interface Bytes {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** One host: how it reads an answer, and a payload of each event that it lets a hook refuse. */
export interface HostSample {
  read: (bytes: Bytes, event: string) => Reading;
  guarded: Readonly<Record<string, Payload>>;
  /** It takes rewritten input only together with an allow. */
  rewriteNeedsAllow?: true;
}

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

function json({ stdout }: Bytes): Json | undefined {
  if (stdout === "") return {};
  try {
    return object(JSON.parse(stdout));
  } catch {
    return undefined;
  }
}

const WORDS: Readonly<Record<string, Reading>> = { deny: "denied", block: "denied", ask: "asked", allow: "allowed" };
const word = (value: unknown): Reading =>
  value === undefined ? "nothing" : typeof value === "string" ? (WORDS[value] ?? "invalid") : "invalid";

/** A host that reads JSON at exit code 0, and takes other bytes as no answer. */
const reader =
  (meaning: (said: Json, event: string) => Reading): HostSample["read"] =>
  (bytes, event) => {
    const said = json(bytes);
    return said === undefined || bytes.exitCode !== 0 ? "invalid" : meaning(said, event);
  };

const decision = reader((said) => word(said["decision"]));
const cancel = reader(({ cancel: cancels }) => (cancels === true ? "denied" : "nothing"));
const exitCode: HostSample["read"] = ({ exitCode: code, stderr, stdout }) => {
  if (code !== 2) return code === 0 ? "nothing" : "invalid";
  return stderr.trim() !== "" && stdout === "" ? "denied" : "invalid";
};
const decisionAndExitCode: HostSample["read"] = (bytes) => {
  const said = word(json(bytes)?.["decision"]);
  if (said !== "denied") return bytes.exitCode === 0 ? said : "invalid";
  return bytes.exitCode === 2 && bytes.stderr.trim() !== "" ? "denied" : "invalid";
};

/** Claude Code ignores a decision whose `hookEventName` is not the event's. */
function nested(said: Json, event: string): Reading {
  const specific = object(said["hookSpecificOutput"]);
  if (event === "UserPromptSubmit") return word(said["decision"]);
  if (Object.keys(specific).length > 0 && specific["hookEventName"] !== event) return "invalid";
  if (event === "PermissionRequest") return word(object(specific["decision"])["behavior"]);
  return word(specific["permissionDecision"]);
}

const CODEX_FIELDS = ["hookEventName", "permissionDecision", "permissionDecisionReason", "updatedInput"];

/** Codex lets the call run for an unknown field, a denial without a reason, an ask, and an allow without a rewrite. */
function codex(said: Json, event: string): Reading {
  const specific = object(said["hookSpecificOutput"]);
  const reading = nested(said, event);
  const unknown = Object.keys(said).filter(
    (key) => !["hookSpecificOutput", "systemMessage", "decision", "reason"].includes(key),
  );
  if (unknown.length > 0) return "invalid";
  if (event !== "PreToolUse") return reading;
  if (Object.keys(specific).some((key) => ![...CODEX_FIELDS, "additionalContext"].includes(key))) return "invalid";
  if (reading === "denied" && !/\S/.test(String(specific["permissionDecisionReason"]))) return "invalid";
  if (reading === "allowed" && specific["updatedInput"] === undefined) return "invalid";
  return reading === "asked" ? "invalid" : reading;
}

const copilot = reader((said, event) => {
  if (/^permissionRequest$/i.test(event)) return word(said["behavior"]);
  return word(/prompt/i.test(event) ? said["decision"] : said["permissionDecision"]);
});

/** Newer versions read the nested form, older ones the flat one: both have to say the same. */
const copilotPascal: HostSample["read"] = (bytes, event) => {
  const flat = copilot(bytes, event);
  if (event !== "PreToolUse") return flat;
  return reader(nested)(bytes, event) === flat ? flat : "invalid";
};

const kimi = reader((said) =>
  word(object(said["hookSpecificOutput"])["permissionDecision"]) === "denied" ? "denied" : "nothing",
);
const vscode = reader((said, event) =>
  event === "UserPromptSubmit" ? (said["continue"] === false ? "denied" : "nothing") : nested(said, event),
);
const cursor = reader((said, event) => {
  if (event === "beforeSubmitPrompt") return said["continue"] === false ? "denied" : "nothing";
  return word(said["permission"]);
});

const call = { tool_name: "Bash", tool_input: { command: "ls" } };
const trio = { session_id: "s", cwd: "/w" };
const claude = { ...trio, transcript_path: "/t/s.jsonl", permission_mode: "default" };
const timed = { ...claude, timestamp: "2026-09-01T10:00:00.000Z" };
const named = (hook_event_name: string, payload: Payload) => ({ [hook_event_name]: { ...payload, hook_event_name } });
const shell = { tool_name: "run_shell_command", tool_input: { command: "ls" } };
const copilotCamel = { sessionId: "s", timestamp: 1777710000000, cwd: "/w", toolName: "bash" };
const copilotTimed = { ...trio, timestamp: "2026-07-08T10:51:48.535Z" };
const grokCall = { sessionId: "s", cwd: "/w", workspaceRoot: "/w", toolName: "write", toolInput: { file_path: "a" } };
const windsurf = (agent_action_name: string, tool_info: Payload) => ({
  [agent_action_name]: { agent_action_name, trajectory_id: "t", tool_info },
});

/** Every host by the name of its dialect. */
export const HOST_SAMPLES: Readonly<Record<DialectName, HostSample>> = {
  claude: {
    read: reader(nested),
    guarded: {
      ...named("PreToolUse", { ...claude, ...call }),
      ...named("PermissionRequest", { ...claude, ...call }),
      ...named("UserPromptSubmit", { ...claude, prompt: "hi" }),
    },
  },
  codex: {
    read: reader(codex),
    rewriteNeedsAllow: true,
    guarded: {
      ...named("PreToolUse", { ...claude, turn_id: "t", ...call }),
      ...named("PermissionRequest", { ...claude, turn_id: "t", ...call }),
      ...named("UserPromptSubmit", { ...claude, turn_id: "t", prompt: "hi" }),
    },
  },
  gemini: {
    read: decision,
    rewriteNeedsAllow: true,
    guarded: { ...named("BeforeTool", { ...timed, ...shell }), ...named("BeforeAgent", { ...timed, prompt: "hi" }) },
  },
  copilot: {
    read: copilot,
    guarded: {
      preToolUse: { ...copilotCamel, toolArgs: '{"command":"ls"}' },
      permissionRequest: { ...copilotCamel, hookName: "permissionRequest", toolInput: { command: "ls" } },
      userPromptSubmitted: { ...copilotCamel, prompt: "hi" },
    },
  },
  "copilot-pascal": {
    read: copilotPascal,
    guarded: {
      ...named("PreToolUse", {
        ...copilotTimed,
        tool_name: "Edit",
        tool_input: { path: "a", old_str: "a", new_str: "b" },
      }),
      PermissionRequest: { ...copilotCamel, hookName: "permissionRequest", toolInput: { command: "ls" } },
      ...named("UserPromptSubmit", { ...copilotTimed, prompt: "hi" }),
    },
  },
  vscode: {
    read: vscode,
    rewriteNeedsAllow: true,
    guarded: {
      ...named("PreToolUse", { ...timed, tool_name: "editFiles", tool_input: { files: ["a.ts"] } }),
      ...named("UserPromptSubmit", { ...timed, prompt: "hi" }),
    },
  },
  droid: {
    read: reader(nested),
    guarded: {
      ...named("PreToolUse", {
        ...claude,
        permission_mode: "auto-high",
        tool_name: "Execute",
        tool_input: { command: "ls" },
      }),
      ...named("UserPromptSubmit", { ...claude, permission_mode: "off", prompt: "hi" }),
    },
  },
  qwen: {
    read: reader(nested),
    guarded: {
      ...named("PreToolUse", { ...timed, ...shell, tool_call_id: "c" }),
      ...named("PermissionRequest", { ...timed, ...shell }),
      ...named("UserPromptSubmit", { ...timed, prompt: "hi", submitted_prompt: "hi" }),
    },
  },
  grok: { read: decisionAndExitCode, guarded: { pre_tool_use: grokCall, PreToolUse: grokCall } },
  kimi: {
    read: kimi,
    guarded: {
      ...named("PreToolUse", { ...trio, ...call, tool_call_id: "c" }),
      ...named("UserPromptSubmit", { ...trio, prompt: [{ type: "text", text: "hi" }] }),
    },
  },
  agy: {
    read: (bytes, event) => {
      const said = json(bytes);
      const asks = said?.["decision"] === "force_ask" || said?.["decision"] === "ask";
      return asks ? "asked" : decision(bytes, event);
    },
    rewriteNeedsAllow: true,
    guarded: {
      PreToolUse: { conversationId: "k", stepIdx: 3, toolCall: { name: "run_command", args: { CommandLine: "ls" } } },
    },
  },
  cursor: {
    read: cursor,
    rewriteNeedsAllow: true,
    guarded: {
      ...named("preToolUse", { conversation_id: "u", tool_name: "Write", tool_input: { file_path: "a", content: "" } }),
      ...named("beforeShellExecution", { conversation_id: "u", command: "ls", cwd: "/w" }),
      ...named("beforeMCPExecution", {
        conversation_id: "u",
        mcp_server_name: "m",
        tool_name: "MCP:add",
        tool_input: '{"a":1}',
      }),
      ...named("beforeReadFile", { conversation_id: "u", file_path: "a" }),
      ...named("beforeSubmitPrompt", { conversation_id: "u", prompt: "hi" }),
    },
  },
  windsurf: {
    read: exitCode,
    guarded: {
      ...windsurf("pre_run_command", { command_line: "ls", cwd: "/w" }),
      ...windsurf("pre_write_code", { file_path: "a", edits: [{ old_string: "a", new_string: "b" }] }),
      ...windsurf("pre_read_code", { file_path: "a" }),
      ...windsurf("pre_mcp_tool_use", { mcp_server_name: "m", mcp_tool_name: "t", mcp_tool_arguments: { a: 1 } }),
      ...windsurf("pre_user_prompt", { user_prompt: "hi" }),
    },
  },
  q: {
    read: exitCode,
    guarded: named("preToolUse", { cwd: "/w", tool_name: "execute_bash", tool_input: { command: "ls" } }),
  },
  kiro: {
    read: exitCode,
    guarded: {
      ...named("preToolUse", { ...trio, tool_name: "fs_write", tool_input: { command: "create", path: "a" } }),
      ...named("userPromptSubmit", { ...trio, prompt: "hi" }),
    },
  },
  cline: {
    read: cancel,
    guarded: {
      PreToolUse: {
        clineVersion: "4",
        hookName: "PreToolUse",
        taskId: "l",
        preToolUse: { toolName: "execute_command", parameters: { command: "ls" } },
      },
      UserPromptSubmit: {
        clineVersion: "4",
        hookName: "UserPromptSubmit",
        taskId: "l",
        userPromptSubmit: { prompt: "hi", attachments: [] },
      },
    },
  },
  "cline-sdk": {
    read: cancel,
    guarded: {
      tool_call: {
        hookName: "tool_call",
        taskId: "s",
        tool_call: { id: "c", name: "run_commands", input: { commands: ["ls"] } },
      },
    },
  },
  goose: {
    read: decision,
    guarded: {
      PreToolUse: { event: "PreToolUse", session_id: "s", matcher_context: "shell", ...call, tool_name: "shell" },
    },
  },
  crush: { read: decision, guarded: { PreToolUse: { event: "PreToolUse", ...trio, ...call, tool_name: "bash" } } },
  openhands: {
    read: decisionAndExitCode,
    guarded: {
      PreToolUse: { event_type: "PreToolUse", working_dir: "/w", session_id: "s", ...call, tool_name: "terminal" },
      UserPromptSubmit: {
        event_type: "UserPromptSubmit",
        message: "hi",
        session_id: "s",
        working_dir: "/w",
        metadata: {},
      },
    },
  },
  vibe: { read: decision, guarded: named("pre_tool", { ...trio, ...call, tool_name: "bash" }) },
  opencode: {
    read: reader((said) => {
      const specific = object(said["hook_specific_output"]);
      return said["decision"] === undefined ? word(specific["permission_decision"]) : word(said["decision"]);
    }),
    guarded: {
      ...named("tool.execute.before", { ...trio, ...call, tool_name: "bash" }),
      ...named("permission.ask", { ...trio, ...call, tool_name: "bash" }),
      ...named("chat.message", { ...trio, prompt: "hi" }),
    },
  },
};
