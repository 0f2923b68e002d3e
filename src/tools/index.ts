import { api } from "./api.ts";
import { backgroundJobs } from "./background-jobs.ts";
import { fetch } from "./fetch.ts";
import { filesystem } from "./filesystem.ts";
import { mcp } from "./mcp.ts";
import { memory } from "./memory.ts";
import { openapi } from "./openapi.ts";
import { script } from "./script.ts";
import { shell } from "./shell.ts";
import { think } from "./think.ts";
import { todo } from "./todo.ts";
import type { ToolsetRow } from "./tool.ts";
import { userPrompt } from "./user-prompt.ts";

/** Every toolset type of the agent file. Source: config-and-cli 4.9, 5. */
export const TOOLSETS = {
  shell,
  background_jobs: backgroundJobs,
  script,
  filesystem,
  think,
  todo,
  memory,
  fetch,
  user_prompt: userPrompt,
  api,
  openapi,
  mcp,
} as const satisfies Record<string, ToolsetRow>;

/** The name of a toolset type that can be made. */
export type ToolsetType = keyof typeof TOOLSETS;
