import { create as createFilesystem, FILE_INSTRUCTIONS } from "./filesystem.ts";
import type { Toolset, ToolsetContext } from "./tool.ts";
import { isToolOf } from "./tool-names.ts";

/** `file`: the tools of `filesystem` for single files, with the same access rules and commands after edits. */
export async function create(
  options: Parameters<typeof createFilesystem>[0],
  context: ToolsetContext,
): Promise<Toolset> {
  const { tools } = await createFilesystem(options, context);
  return { tools: tools.filter(({ name }) => isToolOf("file", name)), instructions: FILE_INSTRUCTIONS };
}
