import { tempDir } from "./temp-dir.ts";

/** The events of the hooks beside the guard. */
export const EVENTS = ["session_start", "user_prompt_submit", "post_tool_use", "stop", "session_end", "pre_compact"];

/** A policy with a guard, and hooks on most events. */
export const POLICY = JSON.stringify({
  pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "true" }] }],
  ...Object.fromEntries(
    EVENTS.map((event) => [
      event,
      [
        event.includes("tool")
          ? { hooks: [{ type: "command", command: "true" }] }
          : { type: "command", command: "true" },
      ],
    ]),
  ),
});

/** A project with a policy and an empty home directory below it. */
export function project(files: Record<string, string> = {}): string {
  return tempDir({ "hooks.yaml": POLICY, ".home/.keep": "", ...files });
}
