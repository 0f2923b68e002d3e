import { defineBuiltin } from "../src/protocol/builtin.ts";
import { classifyCommand } from "../src/shell/classify.ts";

/** Labels a shell command in its metadata. It never decides. */
export const run = defineBuiltin((input, _args, { log, memory }) => {
  const noticed = memory(() => ({ already: false }));
  if (!noticed.already)
    log("warn", "safer_shell: deprecated: it labels commands and no longer blocks them; use safety modes instead");
  noticed.already = true;
  if (input.hook_event_name !== "pre_tool_use" || input.tool_name !== "shell") return undefined;
  const command = input.tool_input?.["cmd"] ?? input.tool_input?.["command"];
  if (typeof command !== "string") return undefined;
  const { label, blastRadius, category, reason } = classifyCommand(command);
  const metadata: Record<string, string> = { safety_label: label, blast_radius: blastRadius };
  if (category !== undefined) metadata["category"] = category;
  if (reason !== undefined) metadata["reason"] = reason;
  return { hook_specific_output: { hook_event_name: input.hook_event_name, metadata } };
});
