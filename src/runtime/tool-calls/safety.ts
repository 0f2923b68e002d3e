import { processEnv } from "../../lib/env.ts";
import { omitEmpty } from "../../lib/json.ts";
import { classifyCommand } from "../../shell/classify.ts";
import { absolutePath, pathWithin, realPath } from "../../tools/filesystem/paths.ts";
import type { Tool } from "../../tools/tool.ts";
import { isShellTool } from "../permissions/permissions.ts";

/** How dangerous a call looks, with details for the question to the user. */
export interface SafetyLabel {
  label: "safe" | "destructive" | "unknown";
  /** What is known about the command line. */
  details: { blast_radius?: string; category?: string; reason?: string };
}

/** Returns the label of a call: from the command line of a shell tool, from the hints of any other. */
export function labelOf(tool: Tool, input: Readonly<Record<string, unknown>>): SafetyLabel {
  const command = input["cmd"];
  if (isShellTool(tool)) return labelOfCommand(typeof command === "string" ? command : "");
  if (tool.destructive) return { label: "destructive", details: {} };
  return { label: tool.readOnly ? "safe" : "unknown", details: {} };
}

function labelOfCommand(command: string): SafetyLabel {
  const { label, blastRadius, category, reason } = classifyCommand(command);
  return { label, details: omitEmpty({ blast_radius: blastRadius, category, reason }) };
}

/** The verdict of a safety mode on a call that no rule decided. */
export type ModeVerdict =
  | { kind: "allow"; source: "yolo" | "mode_balanced" | "mode_restricted" | "mode_accept_edits" }
  | { kind: "deny"; source: "mode_restricted" }
  | { kind: "open" };

/**
 * Returns the verdict of a mode. An unknown mode counts as `strict`; without a mode every call is open. Asks for the
 * label only if the mode depends on it.
 */
export function judgeByMode(
  mode: string | undefined,
  label: () => SafetyLabel["label"],
  isProjectEdit: () => boolean = () => false,
): ModeVerdict {
  if (mode === "accept-edits" && isProjectEdit()) return { kind: "allow", source: "mode_accept_edits" };
  if (mode === "autonomous") return { kind: "allow", source: "yolo" };
  if (mode !== "balanced" && mode !== "restricted") return { kind: "open" };
  const isSafe = label() === "safe";
  if (mode === "balanced") return isSafe ? { kind: "allow", source: "mode_balanced" } : { kind: "open" };
  return isSafe ? { kind: "allow", source: "mode_restricted" } : { kind: "deny", source: "mode_restricted" };
}

/** The tools whose calls `accept-edits` lets run. */
const EDITS: readonly string[] = ["edit_file", "write_file", "create_directory"];

/**
 * True if a call only writes files inside a session's directory, symbolic links resolved. False for names that begin with
 * a dot, such as `.git` and `.envrc`, and for the agent file: programs run what these say.
 */
export function isProjectEdit(
  { name, category }: Pick<Tool, "name" | "category">,
  input: Readonly<Record<string, unknown>>,
  { workingDir, agentFile }: { workingDir: string; agentFile?: string },
): boolean {
  if (category !== "filesystem" || !EDITS.includes(name)) return false;
  const paths = Array.isArray(input["paths"]) ? input["paths"] : [input["path"]];
  try {
    const place = (path: string) => realPath(absolutePath(path, workingDir, processEnv()));
    const root = realPath(workingDir);
    const kept = agentFile === undefined ? undefined : place(agentFile);
    return paths.every((path: unknown) => {
      const real = typeof path === "string" ? place(path) : undefined;
      const within = real === undefined || real === kept ? undefined : pathWithin(root, real);
      return within !== undefined && !within.split("/").some((part) => part.startsWith("."));
    });
  } catch {
    return false; // a path that cannot be resolved is no place in the project
  }
}

/** True if the mode lets a tool that declares itself read-only run without asking, as no mode does. */
export function trustsReadOnly(mode: string | undefined): boolean {
  return mode === undefined || mode === "plan" || mode === "accept-edits";
}

/** True if the team's ask rules apply: a mode that the user chose in order to be asked less overrides them. */
export function teamAskRulesApply(mode: string | undefined): boolean {
  return mode !== "balanced" && mode !== "restricted" && mode !== "autonomous";
}
