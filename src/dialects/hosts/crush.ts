import { answer, defined } from "../answer-forms.ts";
import { SNAKE_KEYS } from "../claude-events.ts";
import type { Dialect, Say } from "../dialect.ts";

/** A rewrite is merged into the input and needs no allow, which would skip the user's prompt. */
const beforeTool: Say = ({ block, allow, rewrite, context }) => {
  if (block !== undefined) return answer({ decision: "deny", reason: block });
  return answer(
    allow === undefined ? {} : { decision: "allow" },
    defined({ reason: allow || undefined, updated_input: rewrite?.changes, context }),
  );
};

const PATH = ["file_path", "path"] as const;

/** Charm Crush: https://github.com/charmbracelet/crush/tree/main/docs/hooks. */
export const dialect: Dialect = {
  name: "crush",
  keys: { ...SNAKE_KEYS, event: ["event"] },
  sends: "",
  eventsInAnyCase: true,
  silence: "",
  timeoutSeconds: 30,
  mcpNames: [{ prefix: "mcp_", separator: "_" }],
  tools: [
    {
      is: "shell",
      names: ["bash"],
      fields: [
        ["command", "cmd"],
        ["working_dir", "cwd"],
      ],
    },
    { is: "read_file", names: ["view"], fields: [PATH] },
    { is: "write_file", names: ["write"], fields: [PATH] },
    { is: "edit_file", names: ["edit"], fields: [PATH], edit: ["old_string", "new_string"] },
    { is: "edit_file", names: ["multiedit"], fields: [PATH], edit: ["old_string", "new_string", "edits"] },
    { is: "search_files_content", names: ["grep"] },
    { is: "list_directory", names: ["ls"] },
    { is: "fetch", names: ["fetch"] },
    { is: "transfer_task", names: ["agent"] },
    { is: "fetch", also: ["transfer_task"], names: ["agentic_fetch"] },
    { is: "fetch", also: ["write_file"], names: ["download"], fields: [PATH] },
  ],
  others: {
    "runs-commands": "job_kill job_output",
    "reads-files": "diagnostics glob lsp_diagnostics lsp_references references",
    network: "sourcegraph web_search",
    other: "crush_info crush_logs list_mcp_resources lsp_restart read_mcp_resource todos",
  },
  events: {
    PreToolUse: { is: ["pre_tool_use"], takes: ["block", "allow", "rewrite", "context"], say: beforeTool },
  },
};
