import { UNKNOWN } from "../../paths/path-text.ts";
import { joinPath } from "../../paths/working-directory.ts";
import type { StepWord } from "../invocation.ts";
import { readGit } from "../programs/git-words.ts";
import { type Call, CURRENT, hereAs, lastPart, type Row, wordOf } from "./call.ts";
import { namedRefs } from "./git-refs.ts";
import { connectToGit } from "./git-remotes.ts";
import { writePatched } from "./patches.ts";

/** The words of a git command: those before `--`, and the paths behind it. */
interface GitWords {
  before: readonly StepWord[];
  behind: readonly StepWord[] | undefined;
}

function splitAtDashes(call: Call): GitWords {
  const at = call.texts.indexOf("--");
  if (at < 0) return { before: call.operands, behind: undefined };
  const behind = call.invocation.words.slice(at + 1);
  const paths = new Set(behind);
  return { before: call.operands.filter((word) => !paths.has(word)), behind };
}

/** Git writes what it tracks below a directory. */
function writeTracked(call: Call, words: readonly StepWord[]): void {
  for (const word of words) {
    const isEverything = /^(?::\/|:\(top\)|\.?\/*)$/.test(word.text);
    call.write(
      [isEverything ? { ...word, text: word.text.startsWith(":") ? "." : word.text } : word],
      isEverything ? "below" : "tree",
      { kind: "tracked" },
    );
  }
}

/** Reads paths, and words that may be a path or a revision: those of `git diff a b`. */
function readShown(call: Call, { before, behind }: GitWords): void {
  for (const word of before) {
    const [, inRevision] = /^[^:]+:(?:\.\/)?(.+)$/s.exec(word.text) ?? [];
    if (inRevision !== undefined) call.read([wordOf(inRevision, word)]);
    else if (behind === undefined && /^\.{0,2}\/|^~\/|^\.[^.]|\.\w+$/.test(word.text) && !/\.\./.test(word.text))
      call.read([word]);
  }
  call.read(behind ?? []);
}

/** `git show REV:PATH`. */
function readsContent(call: Call): void {
  if (call.has("--no-index")) return call.read(call.operands);
  readShown(call, splitAtDashes(call));
}

/** `git blame PATH`. */
function readsLast(call: Call): void {
  const { before, behind } = splitAtDashes(call);
  call.read(behind ?? before.slice(-1));
}

function gitGrep(call: Call): void {
  const { before, behind } = splitAtDashes(call);
  const operands = call.has("-e", "-f") ? before : before.slice(1);
  call.read(call.values("-f"));
  call.read([...operands, ...(behind ?? [])], "tree");
}

function clean(call: Call): void {
  if (call.has("-n", "--dry-run")) return;
  call.write(call.operands.length > 0 ? call.operands : [wordOf(".")], "below", { kind: "untracked" });
}

/** Perhaps changes every file that git tracks. */
function mayRewrite(call: Call, operand?: string): void {
  const among = { kind: "work-tree", unless: operand === undefined ? [] : [call.join(operand)] } as const;
  call.mayAlsoWrite([wordOf(".")], "below", among);
}

function checkout(call: Call): void {
  const { before, behind } = splitAtDashes(call);
  if (behind) return writeTracked(call, behind);
  const [first, ...paths] = before;
  if (!first) return;
  const isBranch = call.has("-b", "-B", "--orphan", "--detach", "-d");
  if (isBranch || paths.length === 0) mayRewrite(call, isBranch ? undefined : first.text);
  if (isBranch) return;
  // The first one may be a branch or a path.
  if (/^(?:\.|~\/|\/|:)/.test(first.text)) writeTracked(call, [first]);
  else if (!/^(?:HEAD|-|@)/.test(first.text))
    writeTracked(call, [{ ...first, count: first.count === "operands" ? "operands" : "any" }]);
  writeTracked(call, paths);
}

function restore(call: Call): void {
  const indexOnly = call.has("--staged", "-S") && !call.has("--worktree", "-W");
  if (!indexOnly) writeTracked(call, call.operands);
}

function gitRm(call: Call): void {
  if (call.has("--cached", "-n", "--dry-run")) return;
  call.write(call.operands, call.has("-r") ? "tree" : "itself");
}

function gitMv(call: Call): void {
  if (call.has("-n", "--dry-run")) return;
  const sources = call.operands.slice(0, -1);
  call.write(sources, "tree");
  const to = call.operands.at(-1);
  const names = sources.map(({ text }) => lastPart(text));
  if (to) call.writeInto(to, names, "tree", { kind: "copied", from: sources.map(({ text }) => call.join(text)) });
}

function apply(call: Call): void {
  call.read(call.operands);
  if (call.has("--check", "--stat", "--numstat", "--summary", "--cached")) return;
  const [directory] = call.values("--directory");
  const outer = call.base;
  if (directory) call.base = call.join(directory.text);
  const strip = Number.parseInt(call.values("-p")[0]?.text ?? "", 10);
  writePatched(
    call,
    strip >= 0 ? strip : 1,
    call.operands.map((word) => ({ ...word, text: joinPath(outer, word.text) })),
  );
  call.base = outer;
}

function clone(call: Call): void {
  const [url, directory] = call.operands;
  const last = url && lastPart(url.text).replace(/\.git$/, "");
  const name = last?.slice(last.lastIndexOf(":") + 1);
  if (url && /^(?:\.{0,2}\/|~|\.\.?$)/.test(url.text)) call.read([url]);
  if (directory) call.write([directory], "tree");
  else if (url && name) call.write([wordOf(hereAs(name), url)], "tree");
}

function worktree(call: Call): void {
  const [path, to] = call.operands;
  if (!path) return;
  if (call.verb === "worktree add") call.write([path], "tree");
  else if (call.verb === "worktree remove") call.write([path], "tree");
  else if (call.verb === "worktree move") call.write([path, ...(to ? [to] : [])], "tree");
}

const VERBS: Readonly<Record<string, Row>> = {
  add: (call) => call.read(call.values("--pathspec-from-file")),
  am: (call) => {
    call.read(call.operands);
    call.write([wordOf(".")], "below", { kind: "work-tree", unless: [] });
  },
  annotate: readsLast,
  apply,
  bisect: (call) => mayRewrite(call),
  blame: readsLast,
  bundle: (call) =>
    call.verb === "bundle create" ? call.write(call.operands.slice(0, 1)) : call.read(call.operands.slice(0, 1)),
  "cat-file": readsContent,
  checkout,
  "checkout-index": (call) => {
    if (call.has("-a", "--all")) mayRewrite(call);
    else call.mayAlsoWrite(call.operands, "tree", { kind: "tracked" });
  },
  "cherry-pick": (call) => mayRewrite(call),
  clean,
  clone,
  commit: (call) => call.read(call.values("-F", "--file", "-t", "--template")),
  config: (call) => {
    const isRead = call.has("-l", "--list", "--get", "--get-all", "--get-regexp") || call.operands.length < 2;
    const files = call.values("-f", "--file");
    if (isRead && !call.has("--unset", "--unset-all", "-e", "--edit")) call.read(files);
    else call.write(files);
  },
  diff: readsContent,
  difftool: readsContent,
  "filter-branch": (call) => mayRewrite(call),
  "format-patch": (call) => call.write(call.values("-o", "--output-directory"), "below"),
  grep: gitGrep,
  "hash-object": (call) => call.read(call.operands),
  init: (call) => call.write(call.operands.slice(0, 1)),
  log: (call) => {
    if (call.has("-p", "-u", "--patch")) readsContent(call);
  },
  merge: (call) => mayRewrite(call),
  mv: gitMv,
  pull: (call) => mayRewrite(call),
  "read-tree": (call) => {
    if (call.has("-u", "-m", "--reset")) mayRewrite(call);
  },
  rebase: (call) => mayRewrite(call),
  reset: (call) => {
    if (call.has("--hard", "--merge", "--keep")) mayRewrite(call);
  },
  restore,
  revert: (call) => mayRewrite(call),
  rm: gitRm,
  show: readsContent,
  stash: (call) => {
    const { behind } = splitAtDashes(call);
    if (behind && /^stash(?: push)?$/.test(call.verb)) writeTracked(call, behind);
    else if (!/^stash (?:list|show|drop|clear|create|store)$/.test(call.verb)) mayRewrite(call);
  },
  subtree: (call) => mayRewrite(call),
  switch: (call) => {
    if (call.operands.length > 0) mayRewrite(call);
  },
  "update-index": () => {},
  worktree,
};

/** Paths, refs and remotes of git. */
function git(call: Call): void {
  const { verb } = call;
  const [first = ""] = verb.split(" ");
  const { directory } = readGit(call.texts);
  if (directory !== "") call.list([wordOf(directory)]);
  call.base = directory;
  if (verb.includes(UNKNOWN)) call.refsOpen = true;
  if (first === "") return;
  call.write(call.values("--output"));
  if (Object.hasOwn(VERBS, first)) VERBS[first]?.(call);
  connectToGit(call, first);
  namedRefs(call, first);
  if (/^(?:merge|rebase|commit|reset)$/.test(first)) call.ref(CURRENT);
}

/** `svn checkout URL`, `hg push URL`: their commands name URLs as git's do. */
function otherControl(call: Call): void {
  connectToGit(
    call,
    /^(?:checkout|co|export|update|clone|pull|incoming|outgoing|push|commit|ci|import|list|ls|info|cat)$/.exec(
      call.verb || (call.operands[0]?.text ?? ""),
    )?.[0] ?? "",
  );
}

/** The rows of version control. */
export const VERSION_CONTROL: readonly (readonly [names: string, row: Row])[] = [
  ["git", git],
  ["hg svn jj bzr", otherControl],
];
