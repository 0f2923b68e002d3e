import { argumentKind, runOption } from "../argument-kind.ts";
import { readSedScript } from "../other-languages.ts";
import type { Invocation, StepWord } from "./invocation.ts";

/** What a program starts beside {@link carriedBy}: code that its words hold, and whether there is code that they do not show. */
export interface HiddenStarts {
  code: string[];
  hides: boolean;
}

/** Options of any program whose values are commands: `tar --to-command='...'`, `rsync --rsh=...`. */
const ANY_OPTION =
  /^--?(?:script-shell|rsh|rsync-path|to-command|use-compress-program|checkpoint-action=exec|ssh-command|toolexec|unzip-command|askpass|tls-command|proxy-command|eval)(?:=|$)/;
/** Options of some programs, given as in their manuals. */
const OWN_OPTIONS: Readonly<Record<string, RegExp>> = {
  tar: /^(?:-\w*I|-F|--info-script|--new-volume-script)$/,
  rsync: /^-\w*e$/,
  zip: /^-TT$/,
  scp: /^-S$/,
  sftp: /^-S$/,
  gdb: /^-(?:ex|eval-command)$/,
  expect: /^-c$/,
  hash: /^-p$/,
  mapfile: /^-C$/,
  readarray: /^-C$/,
  compgen: /^-[CFW]$/,
  complete: /^-[CF]$/,
  jobs: /^-x$/,
  emulate: /^-c$/,
  zmv: /^-p$/,
  split: /^--filter(?:=|$)/,
  gsplit: /^--filter(?:=|$)/,
};
/** Programs of which a word or a line of input that begins so is a command. */
const ESCAPES =
  /^(?:sqlite3?|duckdb|psql|mysql|mariadb|ed|ex|vi|vim(?:\.\w+)?|nvim|view|dc|gdb|gnuplot|mailx?|sftp|ftp|lftp|less|more|man)$/;
const ESCAPED = /(?:^|\n)[ \t]*(?:\+?:?!|\.(?:shell|system)[ \t]+|\\!|shell[ \t]+|system[ \t]+)([^\n]+)/g;
/** Programs that {@link carriedBy} and the table of programs read by themselves. */
const READ_ELSEWHERE =
  /^(?:git|docker|podman|nerdctl|finch|docker-compose|podman-compose|kubectl|oc|k|kubecolor|k3s|microk8s|ssh|mosh|su|runuser|watch|parallel|script|flock|scp|sftp|make|gmake|crontab|at|batch|nix|nix-shell)$/;

/** Programs whose option `--eval` takes code of their own language. */
const EVALUATES_OTHER = /^(?:mongo(?:sh)?|emacs(?:client)?|node|bun|deno|julia)$/;

/** Programs that run their words in ways of their own. */
const RUNS_WORDS = new Set(["task", "zargs", "concurrently", "just", "entr"]);

/** Of programs with a subcommand that may run something, those words with which it does. */
const RUNS_BY_VERB: Readonly<Record<string, RegExp>> = {
  aws: /\b(?:execute-command|start-session)\b/,
  az: /\b(?:run-command|ssh)\b/,
  gcloud: /\b(?:ssh|start-iap-tunnel)\b/,
  npm: /^(?:explore|create|init|innit|set-script)\b/,
};

/** Returns what a program starts by its options, its words and its input. */
export function hiddenStarts(name: string, { words, given, spelled, fedBy }: Invocation): HiddenStarts {
  const texts = words.map(({ text }) => text);
  const kind = argumentKind(name, [spelled, ...texts], 0);
  const code = [...inOptions(name, words), ...escaped(name, [...texts, ...given]), ...inTexts(name, texts)];
  if (/^g?sed$/.test(name)) code.push(...[...texts, ...given].flatMap((text) => readSedScript(text).code));
  if (name === "make" || name === "gmake") return { code, hides: false };
  const isShell = kind === "shell" && !READ_ELSEWHERE.test(name);
  if (isShell) code.push(...texts.filter((text) => /\s/.test(text)));
  const operands = texts.filter((text) => !text.startsWith("-"));
  const isCarried =
    kind === "carried" &&
    !ESCAPES.test(name) &&
    !/^(?:tar|rsync|zip|pwsh|powershell|mongosh?|clickhouse)$/.test(name) &&
    (RUNS_BY_VERB[name]?.test(operands.join(" ")) ?? true);
  const takesInput = ESCAPES.test(name) && fedBy.length > 0 && given.length === 0;
  return { code, hides: (isShell && operands.length > 1) || isCarried || takesInput || RUNS_WORDS.has(name) };
}

function inOptions(name: string, words: readonly StepWord[]): string[] {
  const own = Object.hasOwn(OWN_OPTIONS, name) ? OWN_OPTIONS[name] : undefined;
  const run = runOption(name);
  return words.flatMap(({ text }, at) => {
    const option = text.slice(0, 256);
    const isOwn = own?.test(option) ?? false;
    if (EVALUATES_OTHER.test(name) && /^--?eval/.test(option)) return [];
    if (!isOwn && !ANY_OPTION.test(option) && !run?.test(option)) return [];
    const equals = text.indexOf("=", text.startsWith("--checkpoint-action=") ? 20 : 0);
    const behind = words[at + 1]?.text;
    const rest = words.slice(at + 1).map((word) => word.text);
    // cmake -E passes all its words on.
    if (text === "-E" && name === "cmake") return [rest.join(" "), rest.slice(rest[0] === "chdir" ? 2 : 1).join(" ")];
    const values =
      equals > 0
        ? [text.slice(equals + 1)]
        : [...(/^-\w./.test(text) && !isOwn ? [text.slice(2)] : []), ...(behind === undefined ? [] : [behind])];
    return values
      .filter((value) => value !== "" && !value.startsWith("-"))
      .map((value) => value.replace(/^[|!]/, "").replace(/,(?=\S)/g, /\s/.test(value) ? "," : " "));
  });
}

const EMACS = /\((?:async-)?shell-command(?:-to-string)?\s+"((?:[^"\\]|\\[^])*)"/g;
/** Commands that addresses, settings and scripts of some programs name. */
const IN_TEXTS: Readonly<Record<string, RegExp>> = {
  socat: /(?:^|!!)(?:exec|system|shell):([^,]+)/gi,
  hg: /^(?:--config=)?(?:alias\.\w+=!|hooks\.[\w.-]+=|[\w.-]+\.(?:cmd|command|executable|program|editor)=)(.+)$/gis,
  svn: /:tunnels:\w+=(.+)$/gs,
  ssh: /^\s*(?:-o\s*)?(?:Proxy|Local|KnownHosts)Command[ =]+(.+)$/gis,
  scp: /^\s*(?:-o\s*)?ProxyCommand[ =]+(.+)$/gis,
  sftp: /^\s*(?:-o\s*)?ProxyCommand[ =]+(.+)$/gis,
  expect: /\b(?:spawn|exec|system)\s+([^;\n]+)/g,
  emacs: EMACS,
  emacsclient: EMACS,
  git: /^(?:-x|--extcmd=)(.+)$/gs,
  wget: /\buse_askpass=(.+)$/gs,
  fd: /^--exec(?:-batch)?=(.+)$/gs,
  fdfind: /^--exec(?:-batch)?=(.+)$/gs,
};

function inTexts(name: string, texts: readonly string[]): string[] {
  const pattern = Object.hasOwn(IN_TEXTS, name) ? IN_TEXTS[name] : undefined;
  if (!pattern) return [];
  if (name === "git" && !texts.includes("difftool")) return [];
  const all = texts.flatMap((text) => [...text.slice(0, 65_536).matchAll(pattern)].map(([, code = ""]) => code));
  return name === "git" ? [...all, ...texts.filter((_text, at) => texts[at - 1] === "-x")] : all;
}

/** Commands that an editor or a database client runs: `:!rm x`, `.shell rm x`. */
function escaped(name: string, texts: readonly string[]): string[] {
  return ESCAPES.test(name)
    ? texts.flatMap((text) => [...text.slice(0, 65_536).matchAll(ESCAPED)].map(([, code = ""]) => code))
    : [];
}
