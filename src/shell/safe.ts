import { parseGlob } from "../lib/files/glob.ts";
import { once } from "../lib/once.ts";
import { CREDENTIALS, credentials } from "./paths/credentials.ts";
import { PathSet } from "./paths/path-pattern.ts";
import { type PlainWord, readPlainCommand } from "./plain-command.ts";
import { ANY_NAME } from "./word.ts";

/** `<x>` is a word that is not an option, `-<flags>` one that is, `...` any number of words. */
const SAFE_PATTERNS = {
  "fs-read": [
    "ls",
    "ls -<flags>",
    "ls <path>",
    "ls -<flags> <path>",
    "cat <file>",
    "head <file>",
    "head -n <n> <file>",
    "tail <file>",
    "tail -n <n> <file>",
    "pwd",
    "stat <file>",
    "file <file>",
    "wc <file>",
    "wc -l <file>",
    "df",
    "df -h",
    "du -sh <path>",
    "tree",
    "tree <path>",
  ],
  "text-read": ["grep ...", "rg ...", "sort <file>", "uniq <file>"],
  // Not env and printenv: they read secrets.
  "proc-read": [
    "ps",
    "ps aux",
    "ps -<flags>",
    "top -n 1",
    "whoami",
    "hostname",
    "uname",
    "uname -<flags>",
    "date",
    "which <cmd>",
    "type <cmd>",
  ],
  "git-read": [
    "git status ...",
    "git diff ...",
    "git log ...",
    "git branch",
    "git remote",
    "git remote -v",
    "git grep ...",
    "git rev-parse ...",
    "git config --get <key>",
    "git blame <file>",
  ],
  "dk-read": [
    "docker ps ...",
    "docker images ...",
    "docker inspect ...",
    "docker logs ...",
    "docker stats --no-stream",
    "docker top <ctr>",
    "docker version",
    "docker info",
    "docker system df",
  ],
  "k8s-read": [
    "kubectl get ...",
    "kubectl describe ...",
    "kubectl logs ...",
    "kubectl top ...",
    "kubectl version",
    "kubectl config view",
  ],
  io: ["echo ...", "printf ...", "basename <path>", "dirname <path>"],
} as const;

const NEVER = /(?!)/;

/**
 * Programs that can be made to write a file, start another program or send credentials to another host, and the words
 * that do so. `sort` and the like have such words only where something expands.
 */
const DENIED_WORDS = new Map(
  Object.entries<RegExp>({
    rg: /^--(?:pre|hostname-bin|search-zip)|^-(?!-)\w*z/, // -z starts gzip and others
    git: /^--(?:ou|ext|show-sig)/,
    // It reads _ in an option's name as -, and sends a request to a URL after -f. Secrets are printed in base64.
    kubectl:
      /^--(?:kubeconfig|profile|cache[-_]dir|log[-_]|server|insecure|raw)|^-[ARfhpw]*s|:\/\/|^(?:.*,)?secrets?(?:[.,/].*)?$/i,
    ps: /^-\w*E/, // the environment, on macOS
    printf: /^-v|\[/, // a variable's index is evaluated, and can be a command
    sort: NEVER, // -o
    uniq: NEVER, // its second operand
    tree: NEVER, // -o
    file: NEVER, // -C
  }),
);

/**
 * Programs that print the files that their arguments name, and the words with which they print more. A word of theirs
 * that expands could name any file.
 */
const REVEALING = new Map<string, (words: readonly string[]) => boolean>(
  Object.entries({
    cat: () => false,
    head: () => false,
    tail: () => false,
    sort: () => false,
    uniq: () => false,
    grep: searchesFolder,
    rg: searchesHidden,
    git: printsHistory,
    type: ([, name = ""]: readonly string[]) => !/^[\w-]+$/.test(name), // cmd.exe prints a file with it
  }),
);

/** Files in which a home directory may be hidden, and git's configuration, in which addresses hold passwords. */
const TELLING =
  /^\/+proc\/.+\/(?:root|cwd|fd|environ)|(?:^|\/)\.git(?:config$|\/config)|\/git\/(?:config|credentials)$/i;

/** The words of a command without the expression that `grep` and its kin search for, such as `process.env`. */
function namedFiles(words: readonly string[]): readonly string[] {
  const behind = /^(?:grep|rg)$/.test(words[0] ?? "") ? 1 : words[0] === "git" && words[1] === "grep" ? 2 : 0;
  if (behind === 0 || words.some((word) => /^-(?!-)\w*[ef]|^--(?:reg|fi)/.test(word))) return words;
  const searched = words.findIndex((word, at) => at >= behind && (!word.startsWith("-") || words[at - 1] === "--"));
  return words.filter((_word, at) => at !== searched);
}

/** More files than a person or an agent names are not looked at one by one. */
const MAX_FILES = 512;

function nameSecrets(files: readonly string[]): boolean {
  return files.length > MAX_FILES || files.some(namesSecret);
}

/** True if a word names a file with credentials: as it is, or behind `--option=`, `-f`, `REV:` and the like. */
function namesSecret(word: string): boolean {
  const behind = [...word.matchAll(/[=:,)@]/g)].slice(0, 8).map(({ index }) => word.slice(index + 1));
  return [word, ...(/^-\w/.test(word) ? [word.slice(2)] : []), ...behind].some(
    // A home directory may be anywhere.
    (path) => TELLING.test(path) || credentials().names(path) || credentials().names(path.replace(/^\/+/, "")),
  );
}

/** True if `rg` reads files that it leaves out by itself: hidden and ignored ones. */
function searchesHidden(words: readonly string[]): boolean {
  return (
    words.some((word) => /^--(?:hidden|unr|no-ig)|^-(?!-)\w*[.u]/.test(word)) ||
    valuesOf(words, /^(?:-(?!-)\w*g(.+)?|--i?glob(?:=(.*))?)$/s).some((glob) => !glob.startsWith("!") && namesOf(glob))
  );
}

/** The values of an option: attached, or the next word. */
function valuesOf(words: readonly string[], option: RegExp): string[] {
  return words.flatMap((word, at) => {
    const found = option.exec(word);
    return found ? [found.slice(1).find((value) => value !== undefined) ?? words[at + 1] ?? ""] : [];
  });
}

/** Options of `git log` with which it prints no contents of files. */
const LOG_OPTION =
  /^-(?:\d+|n\d*|[sigEFP]|[SG].*)$|^--(?:oneline|(?:short|num|dir)?stat|name-only|name-status|summary|graph|all|decorate|pretty|format|abbrev|abbrev-commit|author|committer|since|until|after|before|grep|max-count|skip|merges|first-parent|reverse|date|follow|branches|tags|remotes|left-right|cherry|cherry-pick|diff-filter|topo-order|date-order|invert-grep|all-match|ancestry-path|simplify-by-decoration|color|full-history|not|source|use-mailmap|relative-date|no-(?:merges|patch|color|decorate|pager|renames|ext-diff|notes))(?:=|$)|^--$/;

function printsHistory([, verb, ...words]: readonly string[]): boolean {
  if (verb === "log") return words.some((word) => word.startsWith("-") && !LOG_OPTION.test(word));
  if (verb === "grep") return words.some((word) => /^-(?!-)\w*O|^--(?:op|no-i|unt|no-ex)/.test(word));
  if (verb === "status") return words.some((word) => /^-(?!-)\w*v|^--verb/.test(word));
  // A key of the configuration can hold a password, an address one too.
  if (verb === "config")
    return !/^(?:user|core|init|pull|push|merge|rebase|branch|commit|color|diff|log|tag)\.[\w.-]+$/.test(
      words[1] ?? "",
    );
  // Outside a repository, and with this option, it compares any two files.
  return verb === "diff" && words.some((word) => /^--no-ind|^[/~]|^\.\.(?:\/|$)/.test(word));
}

/** True if `grep` reads a folder, in which it may find files with credentials. */
function searchesFolder(words: readonly string[]): boolean {
  const reads = words.some(
    (word, at) =>
      /^-(?!-)\w*[rR]|^--(?:rec|deref)|^--dir\w*=rec|^-\w*drec/.test(word) ||
      (/^-\w*d$|^--dir\w*$/.test(word) && /^rec/.test(words[at + 1] ?? "")),
  );
  const included = valuesOf(words, /^--incl\w*(?:=(.*))?$/s);
  return reads && (included.length === 0 || included.some(namesOf));
}

/** The files with credentials, without those such as `.env.ts`, which are code where a pattern of names is given. */
const namedCredentials = once(
  () =>
    new PathSet(
      CREDENTIALS.map(({ covers, not }) => ({ covers: covers.filter((one) => one !== ".env.*"), ...(not && { not }) })),
      { homes: [], ignoreCase: true },
    ),
);

/** Whether a pattern of file names matches files with credentials. */
function namesOf(pattern: string): boolean {
  // An expansion of the shell is a dollar sign, and a second one at the end means further words.
  return (
    namedCredentials().names(
      parseGlob(pattern.replace(/(?<=\$.*)\$$/, "").replaceAll("$", "*")).map((piece) =>
        piece.kind === "char" ? piece.char : ANY_NAME,
      ),
    ) !== undefined
  );
}

/** Variables whose values are not secrets. Any other may hold one, whatever its name. */
const HARMLESS_VARIABLE =
  /^(?:HOME|PWD|OLDPWD|USER|LOGNAME|UID|EUID|PPID|SHELL|SHLVL|PATH|LANG|LANGUAGE|LC_[A-Z]+|TERM|TZ|TMPDIR|HOSTNAME|HOSTTYPE|OSTYPE|RANDOM|SECONDS|LINENO|\d+|[-?#@*!$])$/;

const byProgram = new Map<string, { words: string[]; pattern: string; category: string }[]>();
for (const [category, patterns] of Object.entries(SAFE_PATTERNS)) {
  for (const pattern of patterns) {
    const words = pattern.split(" ");
    const program = words[0] ?? "";
    byProgram.set(program, [...(byProgram.get(program) ?? []), { words, pattern, category }]);
  }
}

/** Returns the read-only pattern that a whole command line matches, if it holds only this one command. */
export function findSafe(command: string): { pattern: string; category: string } | undefined {
  const { words: plain, variables } = readPlainCommand(command) ?? { words: [], variables: [] };
  if ([...variables].some((name) => !HARMLESS_VARIABLE.test(name))) return undefined;
  const words = plain.map((word) => word.text);
  const program = words[0] ?? "";
  const denied = DENIED_WORDS.get(program);
  // What expands could become a denied word, even if only because a file has that name.
  if (denied && plain.some(({ text, expands }) => expands || denied.test(text))) return undefined;
  if (program === "echo" && words.some((word) => /%\w+%/.test(word))) return undefined; // a variable of cmd.exe
  const revealsMore = REVEALING.get(program);
  if (revealsMore && (plain.some(mayNameAnything) || nameSecrets(namedFiles(words)) || revealsMore(words)))
    return undefined;
  return byProgram.get(program)?.find((entry) => matches(entry.words, words));
}

/** True for a word that expands, and for `~user/...`. A pattern after `--include=` can only become such an option. */
function mayNameAnything({ text, expands }: PlainWord): boolean {
  return (expands && !/^--include=[^$]*\$[^$]*\$?$/.test(text)) || /(?:^|[=:])~[^/]/.test(text);
}

function matches(pattern: readonly string[], words: readonly string[]): boolean {
  const open = pattern.at(-1) === "...";
  const fixed = open ? pattern.slice(0, -1) : pattern;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((expected, at) => {
    const word = words[at] ?? "";
    if (expected === "-<flags>") return word.startsWith("-");
    return expected.startsWith("<") ? !word.startsWith("-") : word === expected;
  });
}
