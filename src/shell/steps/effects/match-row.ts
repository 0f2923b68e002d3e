import type { Rule, Step } from "../../rules/rules.ts";
import { HOLE } from "../invocation.ts";
import type { CommandView } from "./command-view.ts";
import { MARKS } from "./marks.ts";

/** How far a row holds: not, if an expansion decides so, for certain. */
export type Grade = 0 | 1 | 2;

/** Says how far a row holds for a command. `asked`: an option that the row needs must be there, because the rest is unknown. */
export function matchRow(rule: Rule, view: CommandView, { asked, own }: { asked: boolean; own: boolean }): Grade {
  let grade = follows(rule.path, view);
  if (grade === 0) return 0;
  const isVerbOpen = rule.path.length > 0 && view.parsed.verb?.includes(HOLE) === true;
  const mustFind = asked || (isVerbOpen && !view.parsed.loose);
  if (mustFind && !rule.needs.some((group) => group.every(isOption) && group.some((term) => holds(term, view))))
    return 0;
  if (rule.excludes.some((term) => holds(term, view))) return 0;
  for (const group of rule.needs) {
    if (group.some((term) => holds(term, view))) continue;
    if (!view.parsed.open || !group.some((term) => isOption(term) || term === "@names")) return 0;
    grade = 1;
  }
  return rule.needsMore ? least(grade, own ? hasOperand(rule, view) : hasMore(view)) : grade;
}

function least(a: Grade, b: Grade): Grade {
  return a < b ? a : b;
}

function isOption(term: string): boolean {
  return term.startsWith("-");
}

function holds(term: string, view: CommandView): boolean {
  if (term.startsWith("@")) {
    const mark = Object.hasOwn(MARKS, term) ? MARKS[term] : undefined;
    return mark ? mark(view) : view.noted.has(term);
  }
  if (term.startsWith("+")) return view.noted.has(term.slice(1));
  const equals = term.indexOf("=");
  if (equals === term.length - 1) return view.noted.has(term);
  if (equals > 0) return view.valuesOf(term.slice(0, equals)).includes(term.slice(equals + 1));
  return term.startsWith("-") ? view.has(term) : view.noted.has(term);
}

/** True if a word follows, or the command is given something. */
function hasMore({ words, invocation: { given, fedBy } }: CommandView): Grade {
  return words.length > 0 || given.length > 0 || fedBy.length > 0 ? 2 : 0;
}

/** True if an operand follows the words of the row. */
function hasOperand({ path }: Rule, view: CommandView): Grade {
  const spread = view.parsed.operands.filter(({ count }) => count === "any").length;
  const fixed = view.path.length - spread;
  if (fixed > path.filter((step) => step !== undefined).length) return 2;
  return view.parsed.open || spread > 0 ? 1 : 0;
}

/** Says how far the verb and the operands begin with the words of a row. */
function follows(steps: readonly Step[], view: CommandView, step = 0, at = 0): Grade {
  if (step === steps.length) return 2;
  const { path, parsed } = view;
  const levels = parsed.verb === undefined ? 0 : parsed.verb.split(" ").length;
  if (parsed.loose && at === levels - 1) return 1;
  const expected = steps[step];
  if (expected === undefined) {
    let best: Grade = 0;
    for (let skipped = at; skipped < Math.min(path.length, MAX_SKIPPED) && best < 2; skipped++) {
      const grade = follows(steps, view, step + 1, skipped);
      if (grade > best) best = grade;
    }
    return best;
  }
  const word = path[at];
  const fit = word === undefined ? 0 : fits(expected, word, at < levels);
  return fit === 0 ? 0 : least(fit, follows(steps, view, step + 1, at + 1));
}

/** Words that `...` may skip, as for labels. */
const MAX_SKIPPED = 6;

/** Says how far a word is one of several texts, where a star matches any ending. */
function fits(texts: readonly string[], word: string, inVerb: boolean): Grade {
  if (texts.some((text) => (text.endsWith("*") ? word.startsWith(text.slice(0, -1)) : word === text))) return 2;
  if (!inVerb || !word.includes(HOLE)) return 0;
  const [head = "", ...rest] = word.split(HOLE);
  const tail = rest.at(-1) ?? "";
  return texts.some((text) => text.endsWith("*") || (text.startsWith(head) && text.endsWith(tail))) ? 1 : 0;
}
