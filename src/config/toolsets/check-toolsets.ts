import { rowOf } from "../../tools/index.ts";
import type { EntryNames, EntryReport } from "../../tools/toolset-row.ts";
import { checkModelName, type ModelNames } from "../models/check-models.ts";
import type { Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { McpConfig, ToolsetConfig } from "./toolset-schema.ts";

/** The names that a toolset entry may refer to. */
export interface ToolsetNames extends ModelNames, EntryNames {}

/** Reports problems of a toolset entry that its schema cannot detect. */
export async function checkToolset(
  entry: ToolsetConfig,
  path: Path,
  names: ToolsetNames,
  report: ProblemReport,
): Promise<void> {
  const model = entry["model"];
  if (typeof model === "string") checkModelName(model, [...path, "model"], names, report);
  await rowOf(entry).check?.(entry, reportBelow(path, report), names);
}

/** {@link checkToolset} for an entry of `mcps`. */
export async function checkServer(
  entry: McpConfig,
  path: Path,
  names: ToolsetNames,
  report: ProblemReport,
): Promise<void> {
  await rowOf({ type: "mcp" }).check?.({ ...entry, type: "mcp" }, reportBelow(path, report), names);
}

function reportBelow(base: Path, report: ProblemReport): EntryReport {
  return {
    problem: (path, message, at) => report.problem([...base, ...path], message, at),
    defined: (path, kind, wanted, names) => report.requireDefined([...base, ...path], kind, wanted, names),
  };
}
