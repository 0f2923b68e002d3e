import { readPlainCommand } from "./plain-command.ts";

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
    "git show ...",
    "git branch",
    "git remote",
    "git remote -v",
    "git rev-parse ...",
    "git config --list",
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

/** Files that mostly hold secrets: `.env`, private keys, passwords. */
const SECRET_FILE =
  /(?:^|[/:])(?:\.env(?!\.(?:example|sample|template|dist)$)(?:\.[\w.-]+)?|[._]netrc|\.pgpass|\.git-credentials|\.htpasswd|\.aws\/credentials|id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?)$|^\/etc\/g?shadow-?$|^\/proc\/.+\/environ$|\.(?:pem|pfx|p12|ppk|kdbx)$/i;

/** Programs that print a file or variable named in their arguments, and the words with which they print a secret. */
const REVEALING = new Map(
  Object.entries<RegExp>({
    cat: SECRET_FILE,
    head: SECRET_FILE,
    tail: SECRET_FILE,
    grep: SECRET_FILE,
    rg: SECRET_FILE,
    sort: SECRET_FILE,
    uniq: SECRET_FILE,
    git: SECRET_FILE,
    type: SECRET_FILE, // cmd.exe prints a file with it
    echo: /%\w+%/, // a variable of cmd.exe
  }),
);

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
  const revealing = REVEALING.get(program);
  if (revealing && words.some((word) => revealing.test(word))) return undefined;
  return byProgram.get(program)?.find((entry) => matches(entry.words, words));
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
