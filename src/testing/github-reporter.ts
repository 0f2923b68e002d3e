import { annotation, isInGitHubWorkflow } from "../cli/workflow-commands.ts";
import type { Env } from "../lib/env.ts";
import { failureReports } from "./report.ts";
import { type FilePlace, placeOf, type Reporter, splitProblem } from "./reporter.ts";
import { failureLines } from "./tests-text.ts";

/**
 * Prints an annotation for each expectation that does not hold and each problem of a file, if this is a GitHub Actions
 * workflow.
 */
export function githubReporter(env: Env, write: (line: string) => Promise<void>): Reporter {
  if (!isInGitHubWorkflow(env)) return {};
  const annotate = async (place: FilePlace, title: string, message: string) =>
    write(annotation("error", { title, message, place, env }));
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
