import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { HostTool, McpNames, OtherTools } from "./dialect.ts";
import { codeTools, notebookTool } from "./tool-kinds.ts";

export const CLAUDE_TOOLS: readonly HostTool[] = [
  {
    is: "shell",
    names: ["Bash", "PowerShell"],
    fields: [
      ["command", "cmd"],
      ["timeout", "timeout", "ms"],
    ],
  },
  {
    is: "read_file",
    names: ["Read"],
    fields: [
      ["file_path", "path"],
      ["offset", "line"],
    ],
  },
  { is: "write_file", names: ["Write"], fields: [["file_path", "path"]] },
  { is: "edit_file", names: ["Edit"], fields: [["file_path", "path"]], edit: ["old_string", "new_string"] },
  {
    is: "edit_file",
    names: ["MultiEdit"],
    fields: [["file_path", "path"]],
    edit: ["old_string", "new_string", "edits"],
  },
  notebookTool("NotebookEdit"),
  { is: "search_files_content", names: ["Grep"] },
  { is: "list_directory", names: ["LS"] },
  { is: "fetch", names: ["WebFetch"] },
  { is: "transfer_task", names: ["Agent", "Task", "Workflow", "SendMessage", "RemoteTrigger", "TeamCreate"] },
  {
    is: "shell",
    names: ["Monitor"],
    fields: [
      ["command", "cmd"],
      ["timeout_ms", "timeout", "ms"],
    ],
  },
  codeTools("node", ["REPL", "JavaScript"], "code"),
];

/** The tools of Claude Code that do nothing that a tool of hooksh does. */
export const CLAUDE_OTHERS: OtherTools = {
  "runs-commands": "BashOutput KillBash KillShell TaskStop",
  "writes-files": "EnterWorktree ExitWorktree",
  "reads-files": "Glob LSP",
  network:
    "Artifact ClaudeDesign DesignSync Projects PushNotification SendFeedback SendUserFile ShareOnboardingGuide WebSearch",
  other:
    "AskUserQuestion Brief CronCreate CronDelete CronList DeferredToolPlaceholder EndConversation EnterPlanMode " +
    "ExitPlanMode ListAgents ListMcpResourcesTool OfferChromeSetup ProposeGoal ReadMcpResourceDirTool " +
    "ReadMcpResourceTool ReadNotifications ReportFindings ScheduleWakeup SendUserMessage SetGoal " +
    "ShowOnboardingRolePicker Skill SlashCommand StructuredOutput SubagentHandback TaskCreate TaskGet TaskList " +
    "TaskOutput TaskUpdate TodoWrite ToolSearch WaitForMcpServers propose_skills",
};

/** `mcp__<server>__<tool>` */
export const DOUBLE_UNDERSCORES: McpNames = { prefix: "mcp__", separator: "__" };

/** Claude Code names the server of an MCP tool in the payload too. */
export function serverInPayload(
  name: string,
  { mcp_server: given }: Payload,
): { name: string; tool: string } | undefined {
  if (!isObject(given) || typeof given["name"] !== "string") return undefined;
  const server = given["name"].replace(/[^\w-]/g, "_");
  const prefix = `mcp__${server}__`;
  const isTool = server !== "" && name.startsWith(prefix) && name.length > prefix.length;
  return isTool ? { name: server, tool: name.slice(prefix.length) } : undefined;
}
