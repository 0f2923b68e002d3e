/**
 * What guards stop, and what they stop falsely: hooksh with its ready-made rules, and other guards that are installed.
 * Prints figures and asserts nothing. Run: `bun test/bench/guards/run.ts` after `npm run build`; `--misses=N` also
 * prints every call that guard number N (from 0) judges wrongly, `--list=NAME` judges one list, `--binary=FILE` measures another
 * build.
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { printTable } from "../measure.ts";
import { guards, type Judgement, SETS } from "./guards.ts";
import { type Call, type CallList, callLists } from "./lists.ts";
import { makeWorkplace } from "./workplace.ts";

const { values } = parseArgs({
  options: { misses: { type: "string" }, binary: { type: "string" }, list: { type: "string", multiple: true } },
});
const binary = values.binary ?? join(import.meta.dir, "../../../dist/hooksh");
const lists = callLists().filter(({ name }) => values.list?.includes(name) ?? true);
const all = lists.flatMap(({ calls }) => calls);

/** Splits the judgements of all calls by their lists. */
function byList(judged: readonly Judgement[]): [CallList, readonly Judgement[]][] {
  let at = 0;
  return lists.map((list) => [list, judged.slice(at, (at += list.calls.length))]);
}

const share = (part: number, whole: number) => (whole === 0 ? "-" : `${((100 * part) / whole).toFixed(1)} %`);
const count = (judged: readonly Judgement[], outcome: Judgement["outcome"]) =>
  judged.filter((one) => one.outcome === outcome).length;

function rowOf({ name, origin, wanted, calls }: CallList, judged: readonly Judgement[]): string[] {
  const numbers = [count(judged, "denied"), count(judged, "asked"), count(judged, "passed")];
  const denied = share(numbers[0] ?? 0, calls.length);
  const shares = wanted === "stop" ? [denied, "-"] : ["-", denied];
  return [name, origin, String(calls.length), ...numbers.map(String), ...shares];
}

/** How many calls of each list a set denies or asks about. */
function setRow(set: string, judged: readonly [CallList, readonly Judgement[]][]): string[] {
  const hits = (one: Judgement) => one.by.some((rule) => rule.includes(` ${set}/`));
  return [set, ...judged.map(([, each]) => String(each.filter(hits).length))];
}

function textOf({ tool, input }: Call): string {
  return tool === "shell" ? JSON.stringify(input["cmd"]) : `${tool} ${JSON.stringify(input)}`;
}

function printMisses({ name, wanted, calls }: CallList, judged: readonly Judgement[]): void {
  console.log();
  const isMiss = ({ outcome }: Judgement) => (outcome === "denied") === (wanted === "pass");
  calls.forEach((call, at) => {
    const one = judged[at];
    if (one && isMiss(one)) console.log(`${name}\t${one.outcome}\t${one.by.join(", ")}\t${textOf(call)}`);
  });
}

const workplace = makeWorkplace();
try {
  for (const [index, { name, unmeasured, judge }] of guards(binary).entries()) {
    if (unmeasured !== undefined) {
      console.log(`\n${name}: ${unmeasured}`);
      continue;
    }
    const judged = byList(await judge(all, workplace));
    const header = ["list", "whose", "calls", "denied", "asked", "passed", "stopped", "falsely stopped"];
    printTable(
      name,
      header,
      judged.map(([list, each]) => rowOf(list, each)),
    );
    if (values.misses === String(index)) for (const [list, each] of judged) printMisses(list, each);
    if (index > 0) continue;
    printTable(
      "calls that a set hits",
      ["set", ...lists.map((list) => list.name)],
      SETS.map((set) => setRow(set, judged)),
    );
  }
} finally {
  workplace.remove();
}
