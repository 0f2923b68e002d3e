import { HOLE, type Invocation } from "../../../src/shell/steps/invocation.ts";
import { parseWords } from "../../../src/shell/steps/parse-words.ts";
import type { HostTouch, PathTouch, Values } from "../../../src/shell/steps/program-facts.ts";
import { programTargets } from "../../../src/shell/steps/program-targets.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";

/** What the last command of a line touches, as short texts; empty lists are left out. */
export interface ShownTargets {
  reads?: string[];
  writes?: string[];
  lists?: string[];
  hosts?: string[];
  sends?: string[];
  refs?: string[];
  target?: string[];
  current?: string;
}

const ENDS = { itself: "", tree: "/**", below: "/..", contents: "/*" } as const;

/**
 * Reads a line and shows what its last command touches, or that at an index. `?x`: possible; `x/**`: with all below; `x/..`: something below; `x/*`: everything
 * below; `~x`: only if it is secret or guarded; `x>a`: `a` inside if it is a directory; `$`: an expansion.
 */
export function shownTargets(line: string, at = -1): ShownTargets {
  const invocation = readLine(line, { env: {}, posix: true }).invocations.at(at) as Invocation;
  const found = programTargets(invocation, parseWords(invocation.programs[0] ?? "", invocation.words));
  const shown: ShownTargets = {
    reads: found.reads.map(path),
    writes: found.writes.map(path),
    lists: found.lists.map(path),
    hosts: found.hosts.map(host),
    sends: found.sends.map(host),
    refs: values(found.refs),
    target: values(found.target),
    ...(found.currentTargetOf ? { current: found.currentTargetOf } : {}),
  };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value.length > 0));
}

const plain = (text: string) => text.replaceAll(HOLE, "$");

function path({ path, sure, extent, into, guess }: PathTouch): string {
  return plain(`${sure ? "" : "?"}${guess ? "~" : ""}${path}${ENDS[extent]}${into ? `>${into.join()}` : ""}`);
}

function host({ host, port, sure }: HostTouch): string {
  return plain(`${sure ? "" : "?"}${host}${port === undefined ? "" : `:${port}`}`);
}

function values({ values, open }: Values): string[] {
  return [...values.map(({ text, sure }) => plain(`${sure ? "" : "?"}${text}`)), ...(open ? ["..."] : [])];
}
