import type { Paint } from "../cli/paint.ts";
import { printError, printStyled } from "../cli/print.ts";
import type { Reporter } from "./reporter.ts";
import { renderCase, renderTotals } from "./tests-text.ts";

/** Prints a line for each test, details of those that fail, and the totals. */
export function textReporter(paint: Paint): Reporter {
  return {
    file: (name) => printStyled(paint("bold", name)),
    result: async (result) => printStyled(await renderCase(result, paint)),
    broken: async (_name, problems) => problems.forEach(printError),
    end: async (summary) => {
      const { passed, failed, skipped, broken } = summary;
      if (passed + failed + skipped + broken > 0) await printStyled(`\n${renderTotals(summary)}`);
    },
  };
}
