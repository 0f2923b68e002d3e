import type { Notice } from "./check-schema.ts";
import type { Path, Problem } from "./document.ts";

/** Collects what checks find. */
export class ProblemReport {
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];

  /** Something the user must mend. */
  problem(path: Path, message: string, at: "key" | "value" = "value"): void {
    this.problems.push({ path, message, at });
  }

  /** Something the user should know. */
  notice(kind: Notice["kind"], path: Path, message: string): void {
    this.notices.push({ path, message, kind });
  }

  /** A problem unless the name is defined; says which are. */
  requireDefined(path: Path, kind: string, wanted: string, names: Iterable<string>): void {
    const known = [...names];
    if (known.includes(wanted)) return;
    const list = known.length > 0 ? `defined are ${known.join(", ")}` : "none is defined";
    this.problem(path, `no ${kind} ${JSON.stringify(wanted)}; ${list}`);
  }
}
