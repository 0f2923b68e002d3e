import { isAbsolute, join, resolve } from "node:path";
import { ConfigError, errorText } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/inside.ts";
import { type Path, readTextInside } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import type { AgentConfig } from "./agent-schema.ts";

/**
 * Where instruction files are: in a folder of this machine, or fetched before, by the path as it is written. Neither
 * for a configuration that stands alone.
 */
export interface InstructionFiles {
  folder: string | undefined;
  fetched?: ReadonlyMap<string, string> | undefined;
}

/** True for a relative path that stays in its folder. */
export function staysInside(file: string): boolean {
  return !isAbsolute(file) && isInside(resolve("/folder", file.replaceAll("\\", "/")), resolve("/folder"));
}

/**
 * An agent's instruction with its files put in, joined by a blank line. A file stays inside the folder of the
 * configuration, symbolic links included.
 *
 * Source: config-and-cli 2.1 step 7, 4.2.
 */
export function readInstruction(
  agent: AgentConfig,
  path: Path,
  where: InstructionFiles,
  report: ProblemReport,
): string {
  const files = [agent.instruction_file ?? []].flat().filter((file) => file !== "");
  if (files.length === 0 || agent.instruction) return agent.instruction ?? "";
  const at = [...path, "instruction_file"];
  const { folder, fetched } = where;
  if (folder === undefined && !fetched) {
    report.problem(at, "is only valid in a local file, or one on GitHub", "key");
    return "";
  }
  return files
    .map((file, index) => {
      const place = typeof agent.instruction_file === "string" ? at : [...at, index];
      if (!staysInside(file)) {
        report.problem(place, "expected a path inside the folder of this file");
        return "";
      }
      return folder === undefined ? (fetched?.get(file) ?? "").trimEnd() : readOne(file, folder, place, report);
    })
    .join("\n\n");
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
