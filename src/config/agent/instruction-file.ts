import { isAbsolute, join, resolve } from "node:path";
import { ConfigError, errorText } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/paths.ts";
import { type Path, readTextInside } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { AgentConfig } from "./agent-schema.ts";

/**
 * Where instruction files come from: a local folder, or texts fetched before, by the path in the agent file. Both are
 * undefined for an agent file that has no folder.
 */
export interface InstructionFiles {
  folder: string | undefined;
  fetched?: ReadonlyMap<string, string> | undefined;
}

/** True if a path is relative and stays in its folder. */
export function staysInside(file: string): boolean {
  return !isAbsolute(file) && isInside(resolve("/folder", file.replaceAll("\\", "/")), resolve("/folder"));
}

/**
 * Returns an agent's instruction, or its instruction files; the parts of either are joined by a blank line. Reports a file outside the folder of
 * the agent file, also if a symbolic link leads there.
 */
export function readInstruction(
  agent: AgentConfig,
  path: Path,
  where: InstructionFiles,
  report: ProblemReport,
): string {
  const files = [agent.instruction_file ?? []].flat().filter((file) => file !== "");
  const own = inlineInstruction(agent);
  if (files.length === 0 || own !== "") return own;
  const at = [...path, "instruction_file"];
  const { folder, fetched } = where;
  if (folder === undefined && !fetched) {
    report.problem(
      at,
      "is only supported in a local agent file or one on GitHub; write the text under instruction",
      "key",
    );
    return "";
  }
  return files
    .map((file, index) => {
      const place = typeof agent.instruction_file === "string" ? at : [...at, index];
      if (!staysInside(file)) {
        report.problem(place, "expected a relative path inside the folder of the agent file");
        return "";
      }
      return folder === undefined ? (fetched?.get(file) ?? "").trimEnd() : readOne(file, folder, place, report);
    })
    .join("\n\n");
}

/** Returns the text under `instruction`; an empty string if the key is missing. */
export function inlineInstruction({ instruction = "" }: Pick<AgentConfig, "instruction">): string {
  return [instruction].flat().join("\n\n");
}

function readOne(file: string, folder: string, path: Path, report: ProblemReport): string {
  try {
    return readTextInside(folder, join(folder, file), file).trimEnd();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    report.problem(path, errorText(error));
    return "";
  }
}
