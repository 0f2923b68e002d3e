import results from "../test/hosts/results.json";

/** The results of runs with real programs; `test/hosts/run.ts --write` stores them in `test/hosts/results.json`. */
export interface DrivenResults {
  /** The policies, in the order of the table. */
  cases: readonly { name: string; about: string }[];
  programs: readonly DrivenProgram[];
}

/** One program, its version, the day of the runs (`YYYY-MM-DD`), and the result for each policy by name. */
export interface DrivenProgram {
  host: string;
  package: string;
  version: string;
  date: string;
  results: Readonly<Record<string, { ok: boolean; text: string }>>;
}

/** The results as a Markdown table: a line for each policy, a column for each program. */
export function drivenTable({ cases, programs }: DrivenResults): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [
    line(["policy", ...programs.map(({ host }) => host)]),
    line(["---", ...programs.map(() => "---")]),
    ...cases.map(({ name }) => line([name, ...programs.map((program) => program.results[name]?.text ?? "")])),
  ].join("\n");
}

/** Returns what most programs did in a case, and the programs that did something else: `stopped; kimi: not possible`. */
function outcomes(name: string, programs: readonly DrivenProgram[]): string {
  const byText = Map.groupBy(programs, ({ results }) => results[name]?.text ?? "not tried");
  const [[most = "", of = []] = [], ...others] = [...byText].sort(([, a], [, b]) => b.length - a.length);
  if (of.length === 1) return [...byText].map(([text, list]) => `${hosts(list)}: ${text}`).join("; ");
  return [most, ...others.map(([text, list]) => `${hosts(list)}: ${text}`)].join("; ");
}

function hosts(programs: readonly DrivenProgram[]): string {
  return programs.map(({ host }) => host).join(", ");
}

/** Returns docs/agents/driven.md, without the first line. */
export function drivenPage({ cases, programs }: DrivenResults = results): string {
  const ended = cases.map((each) => ({ ...each, outcome: outcomes(each.name, programs) }));
  const [[usual = "", alike = []] = []] = [...Map.groupBy(ended, ({ outcome }) => outcome)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  return `# Agents driven for real

The released programs in this table ran headless against a scripted model server on loopback, each time with an empty home directory. The
model asked for one call that creates a file. \`hooksh install\` registered the policy. The file shows whether the call ran, and the model's
next request shows whether the program passed on the reason. [test/hosts](../../test/hosts/README.md) has the programs that repeat this.
Agents that are not in this table are tested only with documented and recorded payloads.

| agent | package | version | date |
| --- | --- | --- | --- |
${programs.map((each) => `| ${each.host} | \`${each.package}\` | ${each.version} | ${each.date} |`).join("\n")}

These cases ended alike: ${usual}. What the policy did:

${alike.map(({ name, about }) => `- **${name}**: ${about}`).join("\n")}

The other cases, and after the arrow what became of the call:

${ended
  .filter(({ outcome }) => outcome !== usual)
  .map(({ name, about, outcome }) => `- **${name}**: ${about} → ${outcome}`)
  .join("\n")}

- *stopped*: the call did not run, and the model read the reason.
- *stopped, run ended*: the call did not run. The program then ended the run, so the model did not read the reason.
- *blocked, no reason shown*: the prompt was refused, and the program does not print why.
- *no such tool*: the program has none, or no result of it can be replaced.
- *not possible*: hooks of this program cannot do that; \`hooksh install\` says so.
`;
}
