import { canonicalJson, isObject } from "../../lib/json.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { Dialect, HostTool, Say } from "../dialect.ts";
import {
  answer,
  blockAndContextAnswer,
  nestedToolAnswer,
  noticeField,
  observed,
  SNAKE_KEYS,
  specific,
  unmatched,
} from "../shapes.ts";

const PATH = [["filePath", "path"]] as const;

const TOOLS: readonly HostTool[] = [
  { is: "shell", names: ["run_in_terminal", "runTerminalCommand"], fields: [["command", "cmd"]] },
  { is: "read_file", names: ["read_file"], fields: PATH },
  { is: "write_file", names: ["create_file", "createFile"], fields: PATH },
  {
    is: "edit_file",
    names: ["replace_string_in_file", "insert_edit_into_file"],
    fields: PATH,
    edit: ["oldString", "newString"],
  },
  { is: "edit_file", names: ["editFiles", "multi_replace_string_in_file"], read: readFiles, write: writeFiles },
  { is: "search_files_content", names: ["grep_search"] },
  { is: "list_directory", names: ["list_dir"] },
  { is: "fetch", names: ["fetch"] },
  { is: "transfer_task", names: ["runSubagent"] },
];

/** The first of the files that a call edits is its path; all of them are its paths. */
function readFiles(input: Payload): Payload {
  const paths = [...new Set([input["filePath"], ...listed(input["files"]), ...listed(input["replacements"])])];
  const named = paths.filter((path) => typeof path === "string");
  return named.length > 0 ? { ...input, path: named[0], paths: named } : input;
}

/** A list of paths, or of edits with a path each. */
function listed(items: unknown): unknown[] {
  return Array.isArray(items) ? items.map((item: unknown) => (isObject(item) ? item["filePath"] : item)) : [];
}

/** The paths are for hooks to read; the host cannot take changed ones. */
function writeFiles({ path, paths, ...rest }: Payload, original: Payload): Payload | undefined {
  const before = readFiles(original);
  return canonicalJson([path, paths]) === canonicalJson([before["path"], before["paths"]]) ? rest : undefined;
}

/** Visual Studio Code takes a rewrite only together with an allow. */
const beforeTool: Say = (verdict, call) =>
  nestedToolAnswer(
    verdict.rewrite && verdict.ask === undefined ? { ...verdict, allow: verdict.allow ?? "" } : verdict,
    call,
  );

const promptAnswer: Say = (verdict, call) =>
  verdict.block === undefined
    ? blockAndContextAnswer(verdict, call)
    : answer({ continue: false, stopReason: verdict.block }, noticeField(verdict));

const stopAnswer: Say = (verdict, { event }) =>
  answer(
    verdict.block === undefined ? {} : specific(event, { decision: "block", reason: verdict.block }),
    noticeField(verdict),
  );

const stopFields = { stop_hook_active: "stop_hook_active" };

/** Visual Studio Code: https://code.visualstudio.com/docs/copilot/customization/hooks. Its keys are spelled in two ways. */
export const dialect: Dialect = {
  name: "vscode",
  keys: {
    ...SNAKE_KEYS,
    event: ["hookEventName", "hook_event_name"],
    session: ["sessionId", "session_id"],
  },
  silence: "",
  countsContinuations: true,
  timeoutSeconds: 30,
  tools: TOOLS,
  events: {
    SessionStart: {
      is: ["session_start"],
      takes: ["context", "notice"],
      say: blockAndContextAnswer,
      fields: { source: "source" },
    },
    UserPromptSubmit: {
      is: ["user_prompt_submit"],
      takes: ["block", "context", "notice"],
      say: promptAnswer,
      fields: { prompt: "prompt" },
    },
    PreToolUse: {
      is: ["pre_tool_use"],
      takes: ["block", "ask", "allow", "rewrite", "context", "notice"],
      say: beforeTool,
      rewriteGrants: "usual",
    },
    PostToolUse: {
      is: ["post_tool_use"],
      takes: ["block", "context", "notice"],
      say: blockAndContextAnswer,
      fields: { tool_response: "tool_response" },
    },
    Stop: { is: ["stop"], takes: ["block", "notice"], say: stopAnswer, fields: stopFields },
    SubagentStop: {
      is: ["subagent_stop"],
      takes: ["block", "notice"],
      say: blockAndContextAnswer,
      fields: { ...stopFields, agent_name: "agent_type" },
    },
    PreCompact: { is: ["pre_compact"], ...observed, fields: { source: "trigger" } },
    SubagentStart: unmatched,
  },
};
