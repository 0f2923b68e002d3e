import { join } from "node:path";
import type { Attack } from "../../../src/testing/attacks/attack.ts";
import { ATTACKS } from "../../../src/testing/attacks/run-attacks.ts";
import { DESTRUCTIVE, EVERYDAY, HIDDEN, MENTIONS, PRINTS_SECRET, READS, readLines } from "../../shell/corpus.ts";

/** A call that guards judge. */
export type Call = Pick<Attack, "tool" | "input">;

/** Calls of one origin that guards should all stop, or all let pass. */
export interface CallList {
  name: string;
  /** `ours`: the rules were written with these calls in sight; `theirs`: with none of them. */
  origin: "ours" | "theirs";
  wanted: "stop" | "pass";
  calls: readonly Call[];
}

const shell = (cmd: string): Call => ({ tool: "shell", input: { cmd } });
const flat = (lines: Readonly<Record<string, readonly string[]>>) => Object.values(lines).flat().map(shell);
const theirs = (name: string) => readLines(join(import.meta.dir, "lists", `${name}.txt`));

/** The lines of the reports whose heading begins with a word. */
function reported(word: string): readonly Call[] {
  return Object.entries(theirs("reports"))
    .filter(([heading]) => heading.startsWith(`${word} `))
    .flatMap(([, lines]) => lines.map(shell));
}

/** Every list, those to stop first. */
export function callLists(): readonly CallList[] {
  return [
    { name: "attacks", origin: "ours", wanted: "stop", calls: Object.values(ATTACKS).flat() },
    { name: "destructive", origin: "ours", wanted: "stop", calls: flat(DESTRUCTIVE) },
    { name: "hidden", origin: "ours", wanted: "stop", calls: HIDDEN.map(shell) },
    { name: "prints-secret", origin: "ours", wanted: "stop", calls: flat(PRINTS_SECRET) },
    { name: "dcg-blocked", origin: "theirs", wanted: "stop", calls: flat(theirs("dcg-blocked")) },
    { name: "reports-stop", origin: "theirs", wanted: "stop", calls: reported("stop") },
    { name: "everyday", origin: "ours", wanted: "pass", calls: flat(EVERYDAY) },
    { name: "mentions", origin: "ours", wanted: "pass", calls: MENTIONS.map(shell) },
    { name: "reads", origin: "ours", wanted: "pass", calls: READS.map(shell) },
    { name: "dcg-allowed", origin: "theirs", wanted: "pass", calls: flat(theirs("dcg-allowed")) },
    { name: "reports-pass", origin: "theirs", wanted: "pass", calls: reported("pass") },
  ];
}
