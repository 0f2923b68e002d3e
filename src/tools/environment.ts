import { basename } from "node:path";
import type { Env } from "../lib/env.ts";
import { shellCommand } from "../lib/process/system-shell.ts";
import { checkedTool } from "./checked-tool.ts";
import type { Tool, Toolset, ToolsetContext } from "./tool.ts";

/** `environment`: tells the model which system and shell it works with, and nothing else about the machine. */
export function create(_options: object, { env }: Pick<ToolsetContext, "env">): Toolset {
  return { tools: [environmentTool(env)] };
}

/** Operating systems by their names in Node.js. */
const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: "macOS", win32: "Windows" };

function environmentTool(env: Env): Tool {
  const shell = basename(shellCommand("", env)[0] ?? "sh").toLowerCase();
  return checkedTool({
    name: "get_environment_info",
    title: "Get Environment Info",
    description: "Returns the operating system and the shell that command lines run in, as JSON.",
    category: "environment",
    readOnly: true,
    parameters: {},
    run: () => ({ text: JSON.stringify({ os: SYSTEMS[process.platform] ?? "Linux", shell }) }),
  });
}
