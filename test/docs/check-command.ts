import { expect } from "bun:test";
import { normalOutput, withElisions } from "./normal-output.ts";
import type { PageCommand } from "./page.ts";
import type { SectionRun } from "./run-page.ts";

/**
 * Fails unless a command of a page ended and printed what the page shows. A command without an output on the page must
 * also succeed; in a console it must print nothing.
 */
export function checkCommand(command: PageCommand, { runs, rest, places }: SectionRun): void {
  const run = runs.get(command);
  if (run === undefined) throw new Error(`did not end: ${command.text}\n${rest}`);
  const printed = normalOutput(run.printed.replace(/\n$/, ""), places);
  if (command.shown === undefined || command.shown.length === 0)
    expect({ command: command.text, code: run.code, printed }).toMatchObject({ code: 0 });
  if (command.shown === undefined) return;
  const shown = withElisions(normalOutput(command.shown.join("\n"), places), printed);
  expect(`$ ${command.text}\n${printed}`).toBe(`$ ${command.text}\n${shown}`);
}
