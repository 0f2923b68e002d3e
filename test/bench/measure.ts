/** Figures of repeated runs, in milliseconds. */
export interface Figures {
  /** The smallest: other programs on the machine hardly change it. */
  least: number;
  median: number;
  p90: number;
}

/** A program to time: what to run, and what to give it on standard input. */
export interface Program {
  name: string;
  command: string[];
  input?: string;
  env?: Record<string, string>;
  /** The exit code it must end with; anything else stops the benchmark. */
  exitCode?: number;
}

/** The smallest, the median and the 90th percentile of some figures. */
export function figuresOf(values: readonly number[]): Figures {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { least: at(0), median: at(0.5), p90: at(0.9) };
}

/** Of a program. Other programs on the machine change the processor time less than the time it takes. */
export interface ProgramFigures extends Figures {
  /** The median until its standard output ended, in milliseconds. */
  answered: number;
  /** The median of the processor time of all its threads, in milliseconds. */
  processor: number;
  /** The smallest processor time. */
  leastProcessor: number;
  /** Its largest resident memory. */
  megabytes: number;
}

/** Times programs in turn, round after round, so that all of them see the same load. */
export async function timePrograms(programs: readonly Program[], rounds: number): Promise<Map<string, ProgramFigures>> {
  const times = new Map<string, number[]>(programs.map(({ name }) => [name, []]));
  const processor = new Map<string, number[]>(programs.map(({ name }) => [name, []]));
  const answers = new Map<string, number[]>(programs.map(({ name }) => [name, []]));
  const memory = new Map<string, number>();
  for (let round = -3; round < rounds; round++) {
    for (const program of programs) {
      const started = Bun.nanoseconds();
      const child = Bun.spawn(program.command, {
        stdin: program.input === undefined ? "ignore" : Buffer.from(program.input),
        stdout: "pipe",
        stderr: "pipe",
        env: { ...process.env, ...program.env },
      });
      const answer = child.stdout.text().then(() => (Bun.nanoseconds() - started) / 1e6);
      const [code, answered, errors] = await Promise.all([child.exited, answer, child.stderr.text()]);
      const elapsed = (Bun.nanoseconds() - started) / 1e6;
      if (code !== (program.exitCode ?? 0)) throw new Error(`${program.name} ended with ${code}: ${errors}`);
      if (round < 0) continue;
      times.get(program.name)?.push(elapsed);
      answers.get(program.name)?.push(answered);
      const usage = child.resourceUsage();
      processor.get(program.name)?.push(Number(usage?.cpuTime.total ?? 0) / 1e3);
      memory.set(program.name, Math.max(memory.get(program.name) ?? 0, (usage?.maxRSS ?? 0) / 1e6));
    }
  }
  return new Map(
    [...times].map(([name, values]) => {
      const { median, least } = figuresOf(processor.get(name) ?? []);
      return [
        name,
        {
          ...figuresOf(values),
          answered: figuresOf(answers.get(name) ?? []).median,
          processor: median,
          leastProcessor: least,
          megabytes: memory.get(name) ?? 0,
        },
      ];
    }),
  );
}

/** Prints a table; the first column is text, the others are aligned to the right. */
export function printTable(title: string, header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ");
  console.log(`\n${title}\n${line(header)}\n${widths.map((width) => "-".repeat(width)).join("  ")}`);
  for (const row of rows) console.log(line(row));
}

/** A figure with as many decimals as it deserves. */
export function shown(value: number): string {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
