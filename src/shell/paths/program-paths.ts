import { readSedScript } from "../other-languages.ts";
import { joinPath } from "./working-directory.ts";

/** What a program does to a path, before its directory is known. */
export type Target =
  /** It creates, changes or removes the file itself. */
  | { kind: "path"; path: string }
  /** It does so with all that lies below. */
  | { kind: "tree"; path: string }
  /** It puts `from` there, with all that lies below. */
  | { kind: "copy"; path: string; from: string }
  /** It writes files below whose names the line does not show. */
  | { kind: "unpack"; path: string }
  /** It changes files below that pass the tests; with `deep`, also what lies below them. */
  | { kind: "found"; path: string; tests: FileTests; deep: boolean }
  /** It changes the files that a patch names. */
  | { kind: "patch"; path: string; files: readonly string[]; texts: readonly string[] }
  /** It changes files below that git tracks, or that it does not track. */
  | { kind: "tracked" | "untracked"; path: string }
  /** It may change every tracked file of the repository, unless `operand` names a file. */
  | { kind: "repository"; path: string; operand?: string };

/** The tests that `find` and the like apply to each file below a directory. */
export interface FileTests {
  all: readonly FileTest[];
  /** True if one of them suffices. */
  any: boolean;
  maxDepth?: number;
}

/** A test of one file. Paths are relative to the directory: `a/b`. */
export type FileTest =
  | { on: "name" | "path"; glob: string; not: boolean }
  | { on: "path"; expression: RegExp; not: boolean }
  | { on: "type"; type: string; not: boolean };

/** Represents files whose names the line does not show, only their directory: those that `find` or `xargs` passes to a program. */
export const FOUND = "{}";

/** A program that a line runs. */
export interface ProgramCall {
  name: string;
  /** The words behind it, as in {@link pathText}. */
  args: readonly string[];
  /** Files that it reads as standard input. */
  inputs: readonly string[];
  /** Texts that it reads as standard input. */
  given: readonly string[];
}

/** The paths that a program may change. An unknown program may change every file among its words. */
export function targetsOf(call: ProgramCall): readonly Target[] {
  return (ROWS.get(call.name) ?? everyWord)(call);
}

/** True for a program of which the table says what it changes. */
export function changesKnownPaths(name: string): boolean {
  const row = ROWS.get(name);
  return row !== undefined && row !== readsOnly;
}

type Row = (call: ProgramCall) => readonly Target[];

const path = (path: string): Target => ({ kind: "path", path });
const tree = (path: string): Target => ({ kind: "tree", path });

export interface Options {
  operands: readonly string[];
  /** The values of an option, by its name with dashes. */
  values: (...names: string[]) => string[];
  /** True if one of the options is there: `-r`, `--recursive`. */
  has: (...names: string[]) => boolean;
}

/** Separates options and operands. `valued`: the options that take the next word if nothing is attached. */
export function readOptions(args: readonly string[], valued = ""): Options {
  const takesValue = new Set(valued.split(" "));
  const operands: string[] = [];
  const options: [name: string, value: string][] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg.startsWith("--")) {
      const equals = arg.indexOf("=");
      if (equals > 0) options.push([arg.slice(0, equals), arg.slice(equals + 1)]);
      else options.push([arg, takesValue.has(arg) ? (args[++at] ?? "") : ""]);
    } else if (/^-./.test(arg)) {
      for (let letter = 1; letter < arg.length; letter++) {
        const name = `-${arg[letter]}`;
        const attached = arg.slice(letter + 1);
        if (takesValue.has(name)) {
          options.push([name, attached || (args[++at] ?? "")]);
          break;
        }
        options.push([name, attached]);
      }
    } else operands.push(arg);
  }
  return {
    operands,
    values: (...names) => options.flatMap(([name, value]) => (names.includes(name) && value !== "" ? [value] : [])),
    has: (...names) => options.some(([name]) => names.some((one) => name === one || isAbbreviation(name, one))),
  };
}

/** GNU programs take a long option by an unambiguous beginning. */
function isAbbreviation(given: string, name: string): boolean {
  return given.length > 4 && given.startsWith("--") && name.startsWith(given);
}

/** Options with which formatters and the like change the files that they are given. */
const CHANGES_FILES = /^--?(?:write|fix|w|i|in-?place|overwrite|apply|delete|remove)(?:[-=]|$)/;

function everyWord({ args }: ProgramCall): Target[] {
  const changes = args.some((arg) => CHANGES_FILES.test(arg));
  return args.flatMap((arg) => {
    // Most programs that are run on what others find only read it.
    if (arg === FOUND && !changes) return [];
    const equals = arg.indexOf("=");
    const values = equals >= 0 ? [arg.slice(equals + 1)] : [];
    const attached = /^-\w./.test(arg) ? [arg.slice(2)] : [];
    return [...(arg.startsWith("-") ? [] : [arg]), ...values, ...attached].map(path);
  });
}

function readsOnly(): Target[] {
  return [];
}

/** A program that reads its operands and writes the values of some options. */
function writesOptions(...names: string[]): Row {
  return ({ args }) =>
    readOptions(args, names.join(" "))
      .values(...names)
      .map(path);
}

/** A program that changes its operands; with one of the options, also what lies below. */
function changesOperands(...recursive: string[]): Row {
  return ({ args }) => {
    const { operands, has } = readOptions(args);
    return operands.map(has(...recursive) ? tree : path);
  };
}

function changesTrees({ args }: ProgramCall): Target[] {
  return readOptions(args).operands.map(tree);
}

/** A program that copies its operands to the last one, or to the directory of `-t`. */
function copies(valued: string, changesSources = false): Row {
  return ({ args }) => {
    const { operands, values, has } = readOptions(args, `-t --target-directory ${valued}`);
    const given = values("-t", "--target-directory");
    const [to] = given.length > 0 ? given : operands.slice(-1);
    const sources = given.length > 0 ? operands : operands.slice(0, -1);
    if (to === undefined) return [];
    return [
      path(to),
      ...sources.map((from): Target => ({ kind: "copy", path: to, from })),
      ...(changesSources ? sources.map(tree) : []),
      ...(has("--delete", "--del", "--delete-before", "--delete-after", "--delete-excluded") ? [tree(to)] : []),
    ];
  };
}

/** A link gives a file a second name, under which it can be changed; a lone operand is linked into the directory. */
function links({ args }: ProgramCall): Target[] {
  const { operands } = readOptions(args, "-t -S --target-directory --suffix");
  return [...operands.map(tree), ...copies("-S --suffix")({ name: "ln", args, inputs: [], given: [] })];
}

function dd({ args }: ProgramCall): Target[] {
  return args.flatMap((arg) => (arg.startsWith("of=") ? [path(arg.slice(3))] : []));
}

function sed({ args }: ProgramCall): Target[] {
  const { operands, has, values } = readOptions(args, "-e -f -l --expression --file");
  const scripts = values("-e", "--expression");
  const script = scripts.length > 0 ? scripts.join("\n") : (operands[0] ?? "");
  const written = readSedScript(script).writes
    ? [...script.matchAll(/[wW]\s+([^\n;}]+)/g)].map(([, file = ""]) => path(file.trim()))
    : [];
  return [...(has("-i", "--in-place") ? operands.map(path) : []), ...written];
}

/** An interpreter reads its script, and may write every other file among its words. */
function interprets(call: ProgramCall): Target[] {
  const { args } = call;
  const isInPlace = args.some((arg) => /^-\w*i(?:\.\w+)?$|^-i|^inplace$/.test(arg));
  const script = args.findIndex((arg) => !arg.startsWith("-"));
  const others = isInPlace ? args : args.filter((_arg, at) => at !== script);
  return everyWord({ ...call, args: others });
}

function tar({ args }: ProgramCall): Target[] {
  // The first word may be a cluster of letters without a dash.
  const [first = ""] = args;
  const all = /^[a-zA-Z]+$/.test(first) && /[xcturdA]/.test(first) ? [`-${first}`, ...args.slice(1)] : args;
  const valued =
    "-f -C -X -T -b -I --file --directory --exclude --files-from --strip-components --transform --use-compress-program";
  const { operands, values, has } = readOptions(all, valued);
  const [to = "."] = values("-C", "--directory");
  if (has("-x", "--extract", "--get")) {
    // The file of an old-style cluster is the first operand.
    const members = all !== args && values("-f").length === 0 ? operands.slice(1) : operands;
    return members.length > 0 ? members.map((member) => tree(joinPath(to, member))) : [{ kind: "unpack", path: to }];
  }
  return has("-t", "--list")
    ? []
    : [...values("-f", "--file").map(path), ...(has("--remove-files") ? operands.map(tree) : [])];
}

function unzip({ args }: ProgramCall): Target[] {
  const { operands, values, has } = readOptions(args, "-d -x");
  if (has("-l", "-t", "-Z", "-v", "-p", "-z")) return [];
  const [to = "."] = values("-d");
  const members = operands.slice(1);
  return members.length > 0 ? members.map((member) => tree(joinPath(to, member))) : [{ kind: "unpack", path: to }];
}

/** An archiver with a word for what it does: `7z x a.7z -oDIR`. */
function unpacksBy(verbs: RegExp): Row {
  return (call) => {
    const to = call.args.find((arg) => /^-o./.test(arg))?.slice(2) ?? ".";
    return verbs.test(call.args[0] ?? "") ? [{ kind: "unpack", path: to }] : everyWord(call);
  };
}

function curl({ args }: ProgramCall): Target[] {
  const { operands, values, has } = readOptions(
    args,
    "-o --output -d -H -X -u -F -T -A -b -e -m -x -w --data --header --request --url --output-dir --user --form --upload-file -c --cookie-jar -D --dump-header --trace --stderr",
  );
  const [directory = ""] = values("--output-dir");
  const named = has("-O", "--remote-name", "--remote-name-all")
    ? [...operands, ...values("--url")].map(remoteName)
    : [];
  return [...values("-o", "--output"), ...named]
    .map((file) => path(joinPath(directory, file)))
    .concat(values("-c", "--cookie-jar", "-D", "--dump-header", "--trace", "--stderr").map(path));
}

function wget({ args }: ProgramCall): Target[] {
  const { operands, values } = readOptions(
    args,
    "-O -o -a -P -i -e -U -t -T --output-document --output-file --directory-prefix --header --post-data --user-agent",
  );
  const [directory = ""] = values("-P", "--directory-prefix");
  const documents = values("-O", "--output-document");
  const files = documents.length > 0 ? documents : operands.map(remoteName);
  return [...files.map((file) => path(joinPath(directory, file))), ...values("-o", "-a", "--output-file").map(path)];
}

/** The name under which a download is stored. */
export function remoteName(url: string): string {
  return url.replace(/[?#].*$/s, "").replace(/^.*\//s, "");
}

function patch({ args, inputs, given }: ProgramCall): Target[] {
  const { operands, values, has } = readOptions(args, "-i -p -d -o -r -B -F --input --strip --directory --output");
  if (has("--dry-run")) return [];
  const [directory = "."] = values("-d", "--directory");
  const files = [...values("-i", "--input"), ...operands.slice(1), ...inputs];
  return [
    ...[...operands.slice(0, 1), ...values("-o", "--output")].map((file) => path(joinPath(directory, file))),
    { kind: "patch", path: directory, files, texts: given },
  ];
}

/** Options of `find` with a value that are no tests of the name. */
const FIND_TESTS = /^-(i?name|i?path|i?wholename|i?regex|type|maxdepth|i?lname)$/;

/** Reads the directories and the tests of a `find`. */
export function readFind(args: readonly string[]): { directories: readonly string[]; tests: FileTests } {
  const first = args.findIndex((arg, at) => /^[-(!]/.test(arg) && !/^-[HLPDO]/.test(args[at] ?? ""));
  const directories = args.slice(0, first < 0 ? undefined : first).filter((arg) => !arg.startsWith("-"));
  const all: FileTest[] = [];
  let any = false;
  let maxDepth: number | undefined;
  let not = false;
  for (let at = Math.max(first, 0); first >= 0 && at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "!" || arg === "-not") not = true;
    else if (arg === "-o" || arg === "-or" || arg === ",") any = true;
    else if (FIND_TESTS.test(arg)) {
      const value = args[++at] ?? "";
      const kind = arg.replace(/^-i?/, "");
      if (kind === "maxdepth" || arg === "-maxdepth") maxDepth = Number.parseInt(value, 10);
      else if (kind === "type") all.push({ on: "type", type: value, not });
      else if (kind === "name") all.push({ on: "name", glob: value, not });
      else if (kind === "path" || kind === "wholename") all.push({ on: "path", glob: value, not });
      else if (kind === "regex") all.push(...expressionTest(`^(?:${value.replace(/\\([(|)])/g, "$1")})$`, not));
      not = false;
    } else if (arg !== "(" && arg !== "\\(") not = false;
  }
  return {
    directories: directories.length > 0 ? directories : ["."],
    tests: { all, any, ...(maxDepth === undefined || Number.isNaN(maxDepth) ? {} : { maxDepth }) },
  };
}

/** A test by an expression; none if this language cannot read it. */
export function expressionTest(source: string, not: boolean): FileTest[] {
  try {
    return source.length < 256 ? [{ on: "path", expression: new RegExp(source, "i"), not }] : [];
  } catch {
    return [];
  }
}

function find({ args }: ProgramCall): Target[] {
  const { directories, tests } = readFind(args);
  const written = args.flatMap((arg, at) => (/^-f(?:print0?|printf|ls)$/.test(arg) ? [path(args[at + 1] ?? "")] : []));
  if (!args.includes("-delete")) return written;
  return [...written, ...directories.map((path): Target => ({ kind: "found", path, tests, deep: false }))];
}

const GIT_VALUED = "-C -c --git-dir --work-tree --namespace --exec-path --config-env";

/** Reads the words of git up to its subcommand. */
export function readGit(args: readonly string[]): { directory: string; verb: string; rest: readonly string[] } {
  const valued = new Set(GIT_VALUED.split(" "));
  let directory = "";
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "-C" || arg === "--work-tree") directory = joinPath(directory, args[at + 1] ?? "");
    else if (arg.startsWith("--work-tree=")) directory = joinPath(directory, arg.slice("--work-tree=".length));
    if (valued.has(arg)) at++;
    else if (!arg.startsWith("-")) return { directory, verb: arg, rest: args.slice(at + 1) };
  }
  return { directory, verb: "", rest: [] };
}

function git(call: ProgramCall): Target[] {
  const { directory, verb, rest } = readGit(call.args);
  const read = readOptions(
    rest,
    "-b -B -c -C --orphan -m -s -X -e --output --onto -S -o --source --pathspec-from-file",
  );
  const below = (path: string) => joinPath(directory, path);
  const tracked = (path: string): Target => ({ kind: "tracked", path: below(path) });
  const dashes = rest.indexOf("--");
  const behindDashes = dashes < 0 ? undefined : rest.slice(dashes + 1);
  const repository: Target = { kind: "repository", path: below(".") };
  const written = read.values("--output").map((file) => path(below(file)));
  const isNewBranch = read.has("-b", "-B", "-c", "-C", "--orphan", "--create", "--force-create");
  const row = (): readonly Target[] => {
    switch (verb) {
      case "clean":
        if (read.has("-n", "--dry-run")) return [];
        return (read.operands.length > 0 ? read.operands : ["."]).map((path) => ({
          kind: "untracked",
          path: below(path),
        }));
      case "checkout": {
        if (behindDashes) return behindDashes.map(tracked);
        if (isNewBranch) return read.operands.length > 0 ? [repository] : [];
        const [only, ...more] = read.operands;
        if (only === undefined) return [];
        return [
          ...read.operands.map(tracked),
          ...(more.length > 0 ? [] : [{ ...repository, operand: below(only) } as const]),
        ];
      }
      case "switch":
        return read.operands.length > 0 ? [repository] : [];
      case "restore":
        return read.has("--staged", "-S") && !read.has("--worktree", "-W") ? [] : read.operands.map(tracked);
      case "checkout-index":
        return read.has("-a", "--all") ? [repository] : read.operands.map(tracked);
      case "stash":
        if (/^(?:list|show|drop|clear|create|store)$/.test(read.operands[0] ?? "")) return [];
        return behindDashes ? behindDashes.map(tracked) : [repository];
      case "reset":
        return read.has("--hard", "--merge", "--keep") ? [repository] : [];
      case "read-tree":
        return read.has("-u", "-m", "--reset") ? [repository] : [];
      case "pull":
      case "merge":
      case "rebase":
      case "cherry-pick":
      case "revert":
      case "am":
      case "bisect":
      case "filter-branch":
      case "subtree":
        return [repository];
      case "rm":
        return read.has("--cached", "-n", "--dry-run") ? [] : read.operands.map((file) => tree(below(file)));
      case "mv":
        return copies("", true)({ ...call, args: rest }).map((target) => ({ ...target, path: below(target.path) }));
      case "apply":
        if (read.has("--check", "--stat", "--numstat", "--summary", "--cached")) return [];
        return [
          { kind: "patch", path: below("."), files: [...read.operands.map(below), ...call.inputs], texts: call.given },
        ];
      case "clone":
        return read.operands.slice(1).map((file) => tree(below(file)));
      case "init":
      case "worktree":
        return read.operands.map((file) => path(below(file)));
      case "archive":
      case "bundle":
      case "format-patch":
        return [...read.values("-o"), ...read.operands].map((file) => path(below(file)));
      default:
        return [];
    }
  };
  return [...row(), ...written];
}

const ROWS = new Map<string, Row>();
const add = (names: string, row: Row) => {
  for (const name of names.trim().split(/\s+/)) ROWS.set(name, row);
};

add(
  `: true false test [ [[ echo printf cd pushd popd pwd export declare local typeset readonly unset set shift read eval trap wait type which
  whereis man help history alias hash umask ulimit cat tac nl head tail wc cut paste join comm tr fold fmt column expand unexpand look pr rev od hexdump
  strings grep egrep fgrep zgrep rg ag ack ls ll dir exa eza lsd stat file du df basename dirname realpath readlink diff3 sdiff cmp colordiff delta
  jq gron bat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum base64 base32 date env printenv id source . sleep seq
  find-up fd fdfind nproc xargs zcat bzcat xzcat zstdcat zipinfo kill pkill killall shellcheck hexyl tokei cloc sqlite3 ps lsof less more`,
  readsOnly,
);
add("sort shuf", writesOptions("-o", "--output"));
add("tree", writesOptions("-o"));
add("diff", writesOptions("--output"));
add("yq", (call) => (readOptions(call.args).has("-i", "--inplace") ? everyWord(call) : []));
add("uniq xxd", ({ args }) => readOptions(args, "-f -s -w -l -c -g").operands.slice(1).map(path));
add("rm chmod chown chgrp setfacl chattr chcon shred srm", changesOperands("-r", "-R", "--recursive"));
add("rimraf del-cli trash trash-put gio mount umount bindfs fusermount", changesTrees);
add("cp ditto", copies("-S --suffix"));
add("install", copies("-S -m -o -g --suffix --mode --owner --group"));
add("rsync", copies("-e -f --rsh --filter --exclude --include --exclude-from --include-from --files-from"));
add("scp", copies("-i -o -F -P -l -c -J -S"));
add("mv", copies("-S --suffix", true));
add("ln", links);
add("dd", dd);
add("sed gsed", sed);
add("sh bash dash zsh ksh fish python python2 python3 perl ruby node nodejs bun deno php lua", interprets);
add("awk gawk mawk nawk", (call) => (call.args.includes("inplace") ? everyWord(call) : []));
add("tar gtar bsdtar", tar);
add("unzip bsdunzip", unzip);
add("7z 7za 7zr rar unrar", unpacksBy(/^[xe]$/));
add("jar ar", unpacksBy(/^-?\w*x/));
add("cpio pax", (call) =>
  /^-\w*[ir]|--extract/.test(call.args.join(" ")) ? [{ kind: "unpack", path: "." }] : everyWord(call),
);
add("curl", curl);
add("wget wget2", wget);
add("patch", patch);
add("find gfind", find);
add("git", git);
add("hooksh", (call) => (/^(?:init|import|export|pull)$/.test(call.args[0] ?? "") ? everyWord(call) : []));
