import { omitEmpty } from "../../lib/omit-empty.ts";
import { classifyCommand } from "../../shell/classify.ts";
import type { Tool } from "../../tools/tool.ts";
import { isShellTool } from "./permissions.ts";

/** How dangerous a call looks, with what is shown beside the question to the user. */
export interface SafetyLabel {
  label: "safe" | "destructive" | "unknown";
  /** What the command line says about itself, as far as it is known. */
  details: { blast_radius?: string; category?: string; reason?: string };
}

/** The label of a call: by its command line for a shell tool, by its hints for every other. */
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

/** What a mode says about a call that no rule decided. */
export type ModeVerdict =
  | { kind: "allow"; source: "yolo" | "mode_balanced" | "mode_restricted" }
  | { kind: "deny"; source: "mode_restricted" }
  | { kind: "open" };

/**
 * The verdict of a mode. A mode nobody knows is read as `strict`; with no mode chosen everything is open.
 *
 * Source: runtime 8.3.
 */
export function judgeByMode(mode: string | undefined, label: SafetyLabel["label"]): ModeVerdict {
  if (mode === "autonomous") return { kind: "allow", source: "yolo" };
  if (mode === "balanced" && label === "safe") return { kind: "allow", source: "mode_balanced" };
  if (mode !== "restricted") return { kind: "open" };
  return label === "safe" ? { kind: "allow", source: "mode_restricted" } : { kind: "deny", source: "mode_restricted" };
}

/**
 * True when an ask rule of the team counts: a mode the user chose to be asked less outranks it.
 *
 * Source: runtime 8.4.
 */
export function teamAskRulesApply(mode: string | undefined): boolean {
  return mode !== "balanced" && mode !== "restricted" && mode !== "autonomous";
}
