import { once } from "../../lib/once.ts";
import { UNKNOWN } from "../paths/path-text.ts";
import { ruleName } from "../rules/rules.ts";
import type { Invocation, StepRedirect } from "./invocation.ts";
import { parseWords } from "./parse-words.ts";
import type { Option, ParsedWords, ProgramTargets } from "./program-facts.ts";
import { programNamed } from "./programs/program-name.ts";
import { ARCHIVERS } from "./targets/archives.ts";
import { Call, type Row } from "./targets/call.ts";
import { CONNECTIONS, connectToDevice } from "./targets/connections.ts";
import { COPIES } from "./targets/copies.ts";
import { DATABASES } from "./targets/databases.ts";
import { connectToProxies, DOWNLOADS } from "./targets/downloads.ts";
import { VERSION_CONTROL } from "./targets/git.ts";
import { INTERPRETERS } from "./targets/interpreters.ts";
import { LISTINGS } from "./targets/listings.ts";
import { PACKAGES } from "./targets/packages.ts";
import { applyPatch, patch } from "./targets/patches.ts";
import { READERS } from "./targets/readers.ts";
import { SERVICES } from "./targets/services.ts";
import { WRITERS, WRITES_NOTHING } from "./targets/writers.ts";

export { CURRENT } from "./targets/call.ts";

/** Every program of which it is known what it touches. A program may have several rows. */
const table = once(() => {
  const rows = new Map<string, Row[]>();
  const all = [
    ...READERS,
    ...WRITERS,
    ...COPIES,
    ...ARCHIVERS,
    ...DOWNLOADS,
    ...CONNECTIONS,
    ...VERSION_CONTROL,
    ...LISTINGS,
    ...INTERPRETERS,
    ...DATABASES,
    ...SERVICES,
    ...PACKAGES,
    [WRITES_NOTHING, () => {}] as const,
    ["patch gpatch", patch] as const,
    ["apply_patch applypatch", applyPatch] as const,
  ];
  for (const [names, row] of all) {
    for (const name of names.split(/\s+/)) {
      const known = rows.get(name);
      if (known) known.push(row);
      else rows.set(name, [row]);
    }
  }
  return rows;
});

/**
 * The files, hosts, refs and targets that a command touches. An unknown program touches only what it is redirected to.
 * `isOpaque`: it runs code that the line does not show.
 */
export function programTargets(invocation: Invocation, parsed: ParsedWords, isOpaque = false): ProgramTargets {
  const { programs } = invocation;
  const calls = programs.map((program) => {
    const { name } = programNamed(program);
    const own = programs.length === 1 ? parsed : parseWords(program, invocation.words);
    const call = new Call(name, invocation, own, programs.length === 1 && !name.includes(UNKNOWN));
    if (name.includes(UNKNOWN)) touchPossibly(call);
    else {
      const rows = table().get(name) ?? table().get(ruleName(name));
      const helps = asksForHelp(own);
      if (!helps) for (const row of rows ?? []) row(call);
      if (rows === undefined || (isOpaque && !helps)) mayWriteWords(call, rows !== undefined);
    }
    connectToProxies(call);
    if (own.options.some(isDryRun)) call.sends.length = 0;
    return call;
  });
  // The shell opens what a redirection names, in its own directory.
  const redirected = new Call("", invocation, { verb: undefined, options: [], operands: [], open: false }, true);
  for (const redirect of invocation.redirects) followRedirect(redirected, redirect);
  calls.push(redirected);
  const currentTargetOf = calls.find((call) => call.currentTargetOf !== undefined)?.currentTargetOf;
  return {
    reads: calls.flatMap(({ reads }) => reads),
    writes: calls.flatMap(({ writes }) => writes),
    lists: calls.flatMap(({ lists }) => lists),
    mayWrite: calls.flatMap(({ mayWrite }) => mayWrite),
    hosts: calls.flatMap(({ hosts }) => hosts),
    sends: calls.flatMap(({ sends }) => sends),
    refs: { values: calls.flatMap(({ refs }) => refs), open: calls.some(({ refsOpen }) => refsOpen) },
    target: { values: calls.flatMap(({ target }) => target), open: false },
    ...(currentTargetOf === undefined ? {} : { currentTargetOf }),
  };
}

function followRedirect(call: Call, { operator, target, writes }: StepRedirect): void {
  if (operator === "<<" || operator === "<<<") return;
  if (connectToDevice(call, target.text, writes)) return;
  const count = call.writes.length;
  if (writes) call.write([target]);
  for (const touch of call.writes.slice(count)) touch.operator = operator;
  if (operator.includes("<")) call.read([target]);
}

/** A program asked for its help or version touches nothing. */
function asksForHelp({ options }: ParsedWords): boolean {
  return options.some(({ name, value }) => value === undefined && /^--?(?:help|version)$/.test(name));
}

/** With it a program sends nothing: `git push -n`, `aws s3 cp --dryrun`. */
function isDryRun({ name, value }: Option): boolean {
  return /^--?dry-?run$/.test(name) && !/^(?:none|false|no)$/.test(value?.text ?? "");
}

/** Options with which formatters and the like change the files that they are given. */
const CHANGES_FILES = /^--?(?:write|fix|w|i|in-?place|overwrite|apply|delete|remove)(?:[-=]|$)/;

/** A program that no table knows may write every file among its words; one that runs hidden code, those it does not read. */
function mayWriteWords(call: Call, isKnown: boolean): void {
  const read = new Set(isKnown ? call.reads.map(({ path }) => path) : []);
  const changes = call.texts.some((text) => CHANGES_FILES.test(text));
  for (const word of call.invocation.words) {
    const { text, found } = word;
    // Most programs that are run on what others find only read it.
    if ((found && !changes) || read.has(text) || (isKnown && /[\s();]/.test(text))) continue;
    const equals = text.indexOf("=");
    const values = [
      ...(text.startsWith("-") ? [] : [text]),
      ...(equals >= 0 ? [text.slice(equals + 1)] : []),
      ...(/^-\w./.test(text) ? [text.slice(2)] : []),
    ];
    call.mayAlsoWrite(values.map((value) => ({ ...word, text: value })));
  }
}

/** Options with which programs remove or change what they are given. */
const CHANGES = /^--(?:recursive|force|in-place|delete|write)$/;

/** A program that expands and may be one of the table may read its operands, and change them if an option says so. */
function touchPossibly(call: Call): void {
  call.mayAlsoWrite(call.invocation.words, "tree");
  const parts = call.name.split(UNKNOWN);
  const first = parts.at(0) ?? "";
  const last = parts.at(-1) ?? "";
  const fits = (name: string) =>
    name.length >= first.length + last.length && name.startsWith(first) && name.endsWith(last);
  if (![...table().keys()].some(fits)) return;
  const operands = call.invocation.words.filter(({ text }) => !text.startsWith("-"));
  call.read(operands);
  if (call.texts.some((text) => CHANGES.test(text) || (/^-[a-zA-Z]+$/.test(text) && /[rRfi]/.test(text))))
    call.write(operands, "tree");
}
