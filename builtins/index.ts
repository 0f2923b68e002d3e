/**
 * The hooks that hooksh ships: a file for each, named as in configuration, and their table. They see the protocol,
 * never the engine.
 *
 * @packageDocumentation
 */
import type { BuiltinRow } from "../src/protocol/builtin.ts";
import { redactionArgsProblem } from "../src/redaction/args.ts";
import { promptFileArgsProblem } from "./prompt-files/nested-files.ts";

/** By the name that configuration uses. Each file is loaded when it is first used. */
export const BUILTINS = {
  add_date: {
    summary: "Tells the model today's date.",
    events: ["turn_start"],
    thread: "inline",
    load: () => import("./add_date.ts"),
  },
  add_environment_info: {
    summary: "Tells the model its directory, operating system and processor.",
    events: ["session_start"],
    thread: "inline",
    load: () => import("./add_environment_info.ts"),
  },
  add_prompt_files: {
    summary: "Gives the model the contents of files at or above its directory, and in the home directory.",
    events: ["turn_start"],
    args: "file names; --depth=N also lists the paths of files with these names up to N directories below",
    argsProblem: promptFileArgsProblem,
    thread: "inline",
    load: () => import("./add_prompt_files.ts"),
  },
  add_git_status: {
    summary: "Shows the model the branch and the changed files.",
    events: ["turn_start"],
    thread: "inline",
    load: () => import("./add_git_status.ts"),
  },
  add_git_diff: {
    summary: "Shows the model the working-tree diff.",
    events: ["turn_start"],
    args: "full for the diff itself; by default, its statistics",
    thread: "inline",
    load: () => import("./add_git_diff.ts"),
  },
  add_directory_listing: {
    summary: "Shows the model the first 100 names of its directory.",
    events: ["session_start"],
    thread: "worker",
    load: () => import("./add_directory_listing.ts"),
  },
  add_user_info: {
    summary: "Tells the model the names of the user and the machine.",
    events: ["session_start"],
    thread: "inline",
    load: () => import("./add_user_info.ts"),
  },
  add_recent_commits: {
    summary: "Shows the model the last commits.",
    events: ["session_start"],
    args: "the number of commits, 10 by default",
    thread: "inline",
    load: () => import("./add_recent_commits.ts"),
  },
  max_iterations: {
    summary: "Ends the run before it makes more model calls than the given number.",
    events: ["before_llm_call"],
    args: "the number of model calls that are allowed",
    thread: "inline",
    load: () => import("./max_iterations.ts"),
  },
  unload: {
    summary: "Asks local model servers to free the models of the agent that is being left.",
    events: ["on_agent_switch"],
    thread: "inline",
    load: () => import("./unload.ts"),
  },
  unknown_tools: {
    summary:
      "Decides on calls of other agents' tools that hooksh does not know. The key `unknown_tools` configures it.",
    events: ["pre_tool_use"],
    args: "ask or deny",
    argsProblem: ([decision, ...more]) =>
      (decision === "ask" || decision === "deny") && more.length === 0 ? undefined : "takes one argument: ask or deny",
    thread: "inline",
    load: () => import("./unknown_tools.ts"),
  },
  http_post: {
    summary: "Posts a fixed body to a public URL. As a guard, blocks unless the answer has a status of 2xx.",
    events: "any",
    args: "url, body",
    thread: "inline",
    load: () => import("./http_post.ts"),
  },
  add_context: {
    summary: "Gives the model text rendered from templates over the hook's input.",
    events: [
      "session_start",
      "user_prompt_submit",
      "user_steering_messages_submit",
      "user_followup_submit",
      "turn_start",
      "post_tool_use",
      "stop",
      "pre_compact",
    ],
    args: "templates",
    thread: "worker",
    load: () => import("./add_context.ts"),
  },
  limit_large_tool_results: {
    summary: "Stores a large tool response in a file and gives the model an excerpt.",
    events: ["tool_response_transform", "session_end"],
    rewrites: true,
    always: ["tool_response_transform", "session_end"],
    redaction: "follows",
    thread: "inline",
    load: () => import("./limit_large_tool_results.ts"),
  },
  elide_repeated_tool_results: {
    summary: "Replaces the response of a read-only tool call that has already returned the same text in this session.",
    events: ["tool_response_transform", "session_start", "after_compaction", "session_end"],
    rewrites: true,
    forgetsOn: ["session_start", "after_compaction", "session_end"],
    redaction: "follows",
    thread: "inline",
    load: () => import("./elide_repeated_tool_results.ts"),
  },
  redact_secrets: {
    summary: "Replaces secrets in tool arguments, messages, tool responses and answers.",
    events: ["pre_tool_use", "before_llm_call", "tool_response_transform", "tool_input_transform", "response_guard"],
    args: "generic=off, generic=on or generic=strict; label",
    argsProblem: redactionArgsProblem,
    rewrites: true,
    redaction: "does",
    perMessage: true,
    thread: "worker",
    inlineBelow: 256 * 1024,
    load: () => import("./redact_secrets.ts"),
  },
  transform_json: {
    summary: "Keeps the named top-level fields of a tool response that is one JSON object.",
    events: ["tool_response_transform"],
    args: "names of fields",
    rewrites: true,
    idleReason: (event, args) =>
      event !== "tool_response_transform"
        ? "runs on tool_response_transform only"
        : args.length === 0
          ? "needs the names of the fields to keep in args"
          : undefined,
    thread: "worker",
    inlineBelow: 256 * 1024,
    load: () => import("./transform_json.ts"),
  },
  snapshot: {
    summary: "Records the files of a git worktree, so that hooksh undo can restore them.",
    events: ["session_start", "turn_start", "turn_end", "pre_tool_use", "post_tool_use", "session_end"],
    args: "writes records only turns in which a tool may write, and none for the rest of the run once one takes longer than 5 s",
    thread: "inline",
    load: () => import("./snapshot.ts"),
  },
  github_comment: {
    summary:
      "Keeps one comment on an issue or pull request up to date with the session's outcome, cost and denied calls.",
    events: ["stop", "session_end", "on_error", "notification", "on_tool_approval_decision", "after_llm_call"],
    args: "owner/repo#number; by default, the issue or pull request that the GitHub workflow runs for",
    thread: "inline",
    load: () => import("./github_comment.ts"),
  },
  guards_stay: {
    summary:
      "Denies tool calls that change guards: hooks, settings of agents, hooksh's own files, and the hooks in force.",
    events: ["pre_tool_use"],
    args: "further files and folders that stay: absolute paths or patterns",
    thread: "worker",
    inlineBelow: 16 * 1024,
    load: () => import("./guards_stay.ts"),
  },
  safer_shell: {
    summary: "Labels a shell command as safe, destructive or unknown; it never decides.",
    events: ["pre_tool_use"],
    thread: "worker",
    inlineBelow: 16 * 1024,
    load: () => import("./safer_shell.ts"),
  },
} as const satisfies Record<string, BuiltinRow>;
