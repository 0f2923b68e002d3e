import type { Help } from "../../lib/errors.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Notice } from "./check-schema.ts";
import type { Path, Problem } from "./document.ts";

/** Collects the problems and notices that checks find. */
export class ProblemReport {
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];

  /** Adds a problem, which the user must fix. */
  problem(path: Path, message: string, at: "key" | "value" = "value"): void {
    this.problems.push({ path, message, at });
  }

  /** Adds a notice, which does not prevent loading. */
  notice(kind: Notice["kind"], path: Path, message: string, help?: Help): void {
    this.notices.push({ path, message, kind, help });
  }

  /** Adds a problem if a name is not defined. The message has `advice`, else the closest name, else all of them. */
  requireDefined(path: Path, kind: string, name: string, names: Iterable<string>, advice?: string): void {
    const known = [...names];
    if (known.includes(name)) return;
    const close = name.length > 2 ? nearest(name, known) : undefined;
    const list = known.length > 0 ? `defined are ${known.join(", ")}` : "none is defined";
    const cure = advice ?? (close === undefined ? list : `did you mean ${JSON.stringify(close)}?`);
    this.problem(path, `no ${kind} ${JSON.stringify(name)}; ${cure}`);
  }
}
