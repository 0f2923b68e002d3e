import { HOLE } from "../../../src/shell/steps/invocation.ts";
import type { ProgramFacts } from "../../../src/shell/steps/program-facts.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { readProgram } from "../../../src/shell/steps/read-program.ts";

/** What the facts of a line say about the programs that it may run. */
export interface ShownPrograms {
  steps: readonly ProgramFacts[];
  /** True if some code that may run is not shown, or the line was not read to its end. */
  hides: boolean;
}

/** Reads the programs of a line. */
export function programsOf(line: string): ShownPrograms {
  const { invocations, complete } = readLine(line, { env: {}, posix: true });
  const steps = invocations.map((one) => readProgram(one));
  return { steps, hides: !complete || steps.some(({ opaque }) => opaque) };
}

/** True if a step may be the program: it is named, or an expansion may give its name. */
export function mayBe(program: string, { steps }: ShownPrograms): boolean {
  return steps.some((step) => step.program.some(({ text }) => fits(text, program)));
}

function fits(text: string, program: string): boolean {
  const [head = "", ...rest] = text.split(HOLE);
  const tail = rest.at(-1);
  if (tail === undefined) return text === program;
  return program.length >= head.length + tail.length && program.startsWith(head) && program.endsWith(tail);
}
