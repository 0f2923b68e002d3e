import { readFind } from "../found-files.ts";
import type { StepWord } from "../invocation.ts";
import { type Call, type Row, wordOf } from "./call.ts";

const HERE = wordOf(".");

const orHere = (words: readonly StepWord[]) => (words.length > 0 ? words : [HERE]);

function cd(call: Call): void {
  const [to] = call.operands.filter(({ text }) => !/^[+-]\d*$/.test(text));
  if (to) call.list([to]);
  else if (call.operands.length === 0 && /^(?:cd|chdir)$/.test(call.name)) call.list([wordOf("~")]);
}

function lists(call: Call): void {
  call.list(orHere(call.operands));
}

/** Tests and prints what is known of files, without what is in them. */
function looksAt(call: Call): void {
  call.list(call.operands);
}

function tree(call: Call): void {
  const at = call.texts.indexOf("-o");
  const output = at < 0 ? undefined : call.invocation.words[at + 1];
  call.list(orHere(call.operands.filter((word) => word !== output)));
  if (output) call.write([output]);
}

/** Options of `find` that pick no files, so that it still finds all of them. */
const NO_TEST =
  /^-(?:delete|depth|d|print0?|printf|ls|fls|fprint0?|fprintf|exec|execdir|ok|okdir|maxdepth|mindepth|type|xtype|xdev|mount|x|follow|noleaf|daystart|warn|nowarn|ignore_readdir_race|regextype|files0-from|o|or|a|and|H|L|P|D|E|X|O\d|true)$/;

/** The words of `find` that begin its tests and actions. */
function splitFind(call: Call): { roots: readonly StepWord[]; tests: readonly string[] } {
  const { words } = call.invocation;
  let at = 0;
  while (at < words.length && /^-(?:[HLPEXdsx]|O\d|D)$/.test(call.texts[at] ?? ""))
    at += call.texts[at] === "-D" ? 2 : 1;
  const first = words.findIndex(({ text }, index) => index >= at && /^[-(!]/.test(text));
  const end = first < 0 ? words.length : first;
  return { roots: words.slice(at, end), tests: call.texts.slice(end) };
}

/** True if it picks some files only. */
function isPicky(tests: readonly string[]): boolean {
  let inCommand = false;
  return tests.some((text) => {
    if (inCommand) {
      inCommand = text !== ";" && text !== "+" && text !== "\\;";
      return false;
    }
    inCommand = /^-(?:exec|execdir|ok|okdir)$/.test(text);
    return /^-[a-zA-Z]/.test(text) && !NO_TEST.test(text);
  });
}

/** Programs that change every file they are run on. */
const CHANGERS = /(?:^|\/)(?:rm|rmdir|unlink|shred|srm|mv|chmod|chown|chgrp|truncate|touch)$/;

/**
 * Everything below its directories, or with a test something. The directories themselves count only if it prints names: what
 * it deletes lies below them.
 */
function find(call: Call): void {
  const { roots, tests } = splitFind(call);
  const directories = orHere(roots);
  const { words } = call.invocation;
  words.forEach(({ text }, at) => {
    if (/^-f(?:print0?|printf|ls)$/.test(text)) call.write(words.slice(at + 1, at + 2));
  });
  const runs = tests.flatMap((text, at) => (/^-(?:exec|execdir|ok|okdir)$/.test(text) ? [tests[at + 1] ?? ""] : []));
  const extent = isPicky(tests) ? "below" : "contents";
  const picked = readFind(call.texts);
  const among = { kind: "found", deep: false, ...picked } as const;
  if (tests.includes("-delete")) call.write(directories, extent, among);
  else if (runs.length === 0) call.list(directories);
  else if (runs.some((name) => CHANGERS.test(name))) call.write(directories, extent, { ...among, deep: true });
  else call.list(directories, extent);
}

/** `fd PATTERN DIR`. */
function fd(call: Call): void {
  const base = call.values("-C", "--base-directory", "--search-path");
  const directories = [...base, ...call.operands.slice(1)];
  const runs = call.has("-x", "--exec", "-X", "--exec-batch");
  call.list(orHere(directories), runs ? "below" : "itself");
}

/** `make -C DIR -f FILE`. */
function make(call: Call): void {
  const [directory] = call.values("-C", "--directory");
  if (directory) call.list([directory]);
  if (directory) call.base = call.join(directory.text);
  call.read(call.values("-f", "--file", "--makefile"));
}

/** The rows of programs that enter and list directories. */
export const LISTINGS: readonly (readonly [names: string, row: Row])[] = [
  ["cd chdir pushd set-location sl", cd],
  ["ls dir vdir ll la exa eza lsd du get-childitem gci ncdu dust", lists],
  ["stat file readlink realpath namei lsattr getfacl", looksAt],
  ["tree", tree],
  ["find gfind", find],
  ["fd fdfind", fd],
  ["make gmake", make],
];
