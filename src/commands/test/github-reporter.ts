import { relative, resolve } from "node:path";
import type { Env } from "../../lib/env.ts";
import { escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { failureLines } from "../render/tests-text.ts";
import { failureReports } from "./report.ts";
import { type FilePlace, placeOf, type Reporter, splitProblem } from "./reporter.ts";

/**
 * Prints an annotation for each expectation that does not hold and each problem of a file, if this is a GitHub Actions
 * workflow. Paths are relative to the root of the repository. The format:
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 */
export function githubReporter(env: Env, write: (line: string) => Promise<void>): Reporter {
  if (env["GITHUB_ACTIONS"] !== "true") return {};
  const root = env["GITHUB_WORKSPACE"] || resolve(".");
  const annotate = async (place: FilePlace, title: string, message: string) => {
    const { line, column } = place;
    const properties = { file: relative(root, resolve(place.file)), line, col: column, title };
    const shown = Object.entries(properties).map(([key, value]) => `${key}=${escapeProperty(String(value))}`);
    await write(`::error ${shown.join(",")}::${escapeData(escapeControlsInLines(message))}`);
  };
  return {
    result: async (result) => {
      if (result.error !== undefined) await annotate(await placeOf(result), result.test.name, result.error);
      for (const [index, failure] of result.failures.entries()) {
        const report = failureReports(result)[index];
        if (report) await annotate(await placeOf(result, failure), result.test.name, failureLines(report).join("\n"));
      }
    },
    broken: async (name, problems) => {
      for (const problem of problems) {
        const { message, ...place } = splitProblem(problem, name);
        await annotate(place, "hooksh test", message);
      }
    },
  };
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(escapeControlsInLines(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
