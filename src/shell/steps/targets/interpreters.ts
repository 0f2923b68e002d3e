import { FETCHING_CALLS, findCalls, printsToFile, readSedScript, SENDING_CALLS } from "../../other-languages.ts";
import { DELETES_TREES, literalsIn, pathsOf, WRITE_CALLS } from "../../paths/source-paths.ts";
import type { PathTouch } from "../program-facts.ts";
import { readUrl } from "./addresses.ts";
import { type Call, type Row, wordOf } from "./call.ts";

/** Characters of code that are searched for paths. */
const MAX_SOURCE = 65_536;

/** Begins a text that is a path wherever it stands. */
const CLEAR_PATH = /^(?:\/|~\/|\.{1,2}\/)/;

/** Calls that remove the whole machine's files. */
const REMOVES_ROOT =
  /(?:rmtree|rm_rf|rm_r|rmSync|removeSync|RemoveAll|rimraf|remove_tree|rmdir\w{0,16})\s{0,8}\(?\s{0,8}["'`]\/+["'`]/;

/** What code in another language names: read, and written too if it has a call that writes or deletes. */
function touchLiterals(call: Call, source: string, writes: boolean): void {
  const texts = pathsOf(literalsIn(source.slice(0, MAX_SOURCE)));
  for (const text of new Set(texts)) {
    // Expressions, addresses and separators are no paths.
    if (/[\\<>|()]|:\/\//.test(text)) continue;
    const extent = DELETES_TREES.test(source) ? "tree" : "itself";
    if (!(/\w/.test(text) || (/^\/+$/.test(text) && REMOVES_ROOT.test(source)))) {
      if (writes && text !== "") call.mayAlsoWrite([{ ...wordOf(text), glob: true }], extent);
      continue;
    }
    const isClear = CLEAR_PATH.test(text) && !/\s/.test(text);
    const touch: PathTouch = {
      path: call.join(text),
      glob: /[*?]/.test(text),
      sure: call.sure,
      extent: "itself",
      ...(isClear ? {} : { guess: true as const }),
    };
    call.reads.push(touch);
    if (writes) call.writes.push({ ...touch, extent });
  }
}

/** Calls that write to the terminal, and those that change a text unless the code works with paths. */
const HARMLESS = /\b(?:stdout|stderr)\.write\b/g;
const TEXT_CALLS = /\.replace\(/g;

function touchCode(call: Call, source: string): void {
  const quiet = source.replace(HARMLESS, "");
  const told = /\bos\b|\bPath\b|shutil/.test(quiet) ? quiet : quiet.replace(TEXT_CALLS, "(");
  touchLiterals(call, source, WRITE_CALLS.test(told) || findCalls(source).length > 0);
  connectLiterals(call, source);
}

/** Code that asks other machines connects to the addresses that it names. */
function connectLiterals(call: Call, source: string): void {
  const sends = SENDING_CALLS.test(source);
  if (!sends && !FETCHING_CALLS.test(source)) return;
  for (const text of literalsIn(source.slice(0, MAX_SOURCE))) call.connect(readUrl(text), { sends });
}

/** How an interpreter takes code. */
interface Interpreter {
  /** Options whose value is code. */
  options: readonly string[];
  /** A group of options whose last one takes code as the next word: `-lane CODE`. */
  group: RegExp;
  /** True if the operands behind code are files that it reads with `-n` and `-p`. */
  filters?: boolean;
}

/** Runs code of an option, a file, or its standard input. */
function interprets({ options, group, filters = false }: Interpreter): Row {
  return (call) => {
    const { words, given } = call.invocation;
    const [first] = call.operands;
    const isCode = first !== undefined && group.test(call.texts[words.indexOf(first) - 1] ?? "");
    const codes = [...call.values(...options), ...(isCode ? [first] : [])];
    for (const { text } of codes) touchCode(call, text);
    const operands = isCode ? call.operands.slice(1) : call.operands;
    if (codes.length > 0) {
      if (!filters || !call.texts.some((text) => /^-[a-zA-Z0-9]*[npi]/.test(text))) return;
      call.read(operands);
      if (call.has("-i") || call.texts.some((text) => /^-[a-hj-zA-HJ-Z0]*i[a-z.]*$/.test(text))) call.write(operands);
      return;
    }
    if (call.has("-m")) return;
    if (first && first.text !== "-") call.read([first]);
    else for (const source of given) touchCode(call, source);
  };
}

/** A shell reads its script; what the script does is not shown. */
function shell(call: Call): void {
  if (call.has("-c") || call.texts.some((text) => /^-[a-z]+$/.test(text) && text.includes("c"))) return;
  call.read([...call.operands.slice(0, 1), ...call.values("--rcfile", "--init-file")]);
}

/** Reads a script, then files. */
function awk(call: Call): void {
  const scripts = call.values("-f", "--file");
  call.read(scripts);
  const given = scripts.length > 0 || call.has("-e", "--source");
  const program = given ? call.values("-e", "--source") : call.operands.slice(0, 1);
  const files = (given ? call.operands : call.operands.slice(1)).filter(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  call.read(files);
  if (call.values("-i", "--include").some(({ text }) => text === "inplace")) call.write(files);
  for (const { text } of program) touchLiterals(call, text, printsToFile(text));
}

/** Begins as a script of sed does, and hardly as the name of a file. */
const SED_SCRIPT = /^(?:[\d$/\\{]|[sy]\W|[a-zA-Z=]$|[acirw]\\)/;

function sed(call: Call): void {
  const scripts = [...call.values("-e", "--expression"), ...call.values("-f", "--file")];
  const isInPlace = call.has("-i", "--in-place") || call.texts.some((text) => /^-[nEersuz]*i/.test(text));
  const [first, second] = call.operands;
  // Some take the ending of the old file as a word of its own, often an empty one; to others that is an empty script.
  const hasEnding = isInPlace && first?.text === "" && second !== undefined && SED_SCRIPT.test(second.text);
  const operands = hasEnding ? call.operands.slice(1) : call.operands;
  const files = scripts.length > 0 ? operands : operands.slice(1);
  call.read([...files, ...call.values("-f", "--file")]);
  if (isInPlace) call.write(files);
  const script =
    call
      .values("-e", "--expression")
      .map(({ text }) => text)
      .join("\n") ||
    (call.operands[0]?.text ?? "");
  const source = script.slice(0, MAX_SOURCE);
  if (readSedScript(source).writes)
    for (const [, file = ""] of source.matchAll(/[wW]\s+([^\n;}]+)/g)) call.write([wordOf(file.trim())]);
  for (const [, file = ""] of source.matchAll(/(?:^|[;{}\n\d$/])[^\S\n]{0,64}[rR]\s+([^\n;}]+)/g))
    call.read([wordOf(file.trim())]);
}

/** `deno run FILE`, `bun FILE`, `deno eval CODE`. */
function runner(call: Call): void {
  const words = [
    ...call.verb
      .split(" ")
      .filter(Boolean)
      .map((text) => wordOf(text)),
    ...call.operands,
  ];
  const [first, second] = words;
  for (const { text } of call.values("-e", "--eval", "-p", "--print")) touchCode(call, text);
  if (first?.text === "eval" && second) touchCode(call, second.text);
  else if (/^(?:run|test|check|compile|bundle|cache|x)$/.test(first?.text ?? "")) {
    if (second && /[./]/.test(second.text) && !/:\/\//.test(second.text)) call.read([second]);
  } else if (first && /\.[cm]?[jt]sx?$/.test(first.text)) call.read([first]);
}

/** The rows of interpreters: they read scripts, and code in the line names paths. */
export const INTERPRETERS: readonly (readonly [names: string, row: Row])[] = [
  ["python python2 python3 pypy ipython", interprets({ options: ["-c"], group: /^-[bBdEhiIOPqsSuvx]*c$/ })],
  ["node nodejs tsx ts-node", interprets({ options: ["--eval", "--print"], group: /^-[pe]{1,2}$/ })],
  ["perl ruby", interprets({ options: ["-e", "-E"], group: /^-[a-zA-Z0-9.]*[eE]$/, filters: true })],
  ["php", interprets({ options: ["-r"], group: /^(?:-[rBRE]|--run)$/ })],
  [
    "lua luajit osascript rscript r julia elixir groovy scala swift guile racket clojure ghci runghc erl raku nim tclsh expect",
    interprets({ options: ["-e"], group: /^(?:-e|--eval|-c)$/ }),
  ],
  ["deno bun", runner],
  ["sh bash dash zsh ksh fish ash mksh tcsh csh", shell],
  ["awk gawk mawk nawk", awk],
  ["sed gsed", sed],
];
