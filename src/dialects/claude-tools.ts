import { isObject } from "../lib/json.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { HostTool, OtherTools } from "./dialect.ts";
import { codeTools, notebookTool } from "./tool-kinds.ts";

/** The tools of Claude Code, whose names and fields other agents copied. */
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
  codeTools(["REPL", "JavaScript"], "code"),
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

/** Splits `mcp__<server>__<tool>`. Claude Code names the server in the payload too, so that its name may hold `__`. */
export function doubleUnderscoreServer(
  name: string,
  { mcp_server: given }: Payload = {},
): { name: string; tool: string } | undefined {
  if (!name.startsWith("mcp__")) return undefined;
  const known = isObject(given) && typeof given["name"] === "string" ? given["name"].replace(/[^\w-]/g, "_") : "";
  const prefix = `mcp__${known}__`;
  if (known !== "" && name.startsWith(prefix) && name.length > prefix.length)
    return { name: known, tool: name.slice(prefix.length) };
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server !== undefined && tool !== undefined ? { name: server, tool } : undefined;
}
