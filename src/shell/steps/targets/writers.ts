import { type Call, type Row, wordOf } from "./call.ts";

/** Removes or changes its operands; with one of the options, also what lies below. */
function changes(...recursive: string[]): Row {
  return (call) => call.write(call.operands, call.has(...recursive) ? "tree" : "itself");
}

function changesTrees(call: Call): void {
  call.write(call.operands, "tree");
}

/** Takes a mode or an owner before the files. */
function changesMode(call: Call): void {
  const reference = call.values("--reference");
  const isOption = call.texts.some((text) => /^-[rwxXst]+(?:,.*)?$/.test(text) && /^-R*[rwxXst]/.test(text));
  const hasMode = reference.length === 0 && !(call.name === "chmod" && isOption);
  const files = call.operands.slice(hasMode ? 1 : 0).filter(({ text }) => !/^-[rwxXst]+$/.test(text));
  call.write(files, call.has("-R", "-r", "--recursive") ? "tree" : "itself");
}

/** Options of access lists take a value, or the first operand is one. */
function changesAccess(call: Call): void {
  const given = call.has(
    "-m",
    "--modify",
    "-x",
    "--remove",
    "-b",
    "--remove-all",
    "-k",
    "--remove-default",
    "--set",
    "-M",
    "-X",
  );
  const files = call.name === "setfacl" ? (given ? call.operands : []) : call.operands;
  const names = call.name === "icacls" || call.name === "takeown" ? files.slice(0, 1) : files;
  call.write(names, call.has("-R", "--recursive", "/t", "/T") ? "tree" : "itself");
}

/** `takeown /f FILE`, `attrib +r FILE`. */
function takeown(call: Call): void {
  const at = call.texts.findIndex((text) => /^\/f$/i.test(text));
  const files =
    at < 0
      ? call.invocation.words.filter(({ text }) => !/^[/+-]/.test(text))
      : call.invocation.words.slice(at + 1, at + 2);
  call.write(files, call.texts.some((text) => /^\/[rs]$/i.test(text)) ? "tree" : "itself");
}

function dd(call: Call): void {
  for (const word of call.invocation.words) {
    const [, key, value = ""] = /^(if|of)=(.*)$/s.exec(word.text) ?? [];
    if (key === "if") call.read([wordOf(value, word)]);
    if (key === "of") call.write([wordOf(value, word)]);
  }
}

function mktemp(call: Call): void {
  if (call.has("-u", "--dry-run")) return;
  for (const word of call.operands) call.write([{ ...wordOf(word.text.replace(/X{3,}/, "*"), word), glob: true }]);
}

/** `Remove-Item -Recurse -Path X`, `Set-Content X`. */
function cmdlet(call: Call): void {
  const named = call.behind(/^-(?:path|literalpath|filepath)$/i);
  const words =
    named.length > 0 ? named : call.invocation.words.filter(({ text }) => !/^-|^\/[a-z]$/i.test(text)).slice(0, 1);
  call.write(words, call.texts.some((text) => /^(?:-rec\w*|-r|\/s)$/i.test(text)) ? "tree" : "itself");
}

function rd(call: Call): void {
  const files = call.invocation.words.filter(({ text }) => !/^[-/][a-z]$/i.test(text));
  call.write(files, call.texts.some((text) => /^\/s$/i.test(text)) ? "tree" : "itself");
}

function killsContent(call: Call): void {
  call.write(call.operands);
  call.read(call.values("-r", "--reference"));
}

/** Formats files in place if it is told to; else it prints them. Below a directory it changes only how files look. */
function formats(...inPlace: string[]): Row {
  return (call) => {
    call.read(call.operands);
    if (call.has(...inPlace)) call.write(call.operands);
  };
}

/** Makes a pair of keys, or prints something about one. */
function keygen(call: Call): void {
  const files = call.behind(/^-\w*f$/);
  if (call.texts.some((text) => /^-[A-Za-z]*[BFYely]/.test(text))) return call.read(files);
  call.write(files.flatMap((file) => [file, wordOf(`${file.text}.pub`, file)]));
}

/** The rows of programs that create, change and remove files. */
export const WRITERS: readonly (readonly [names: string, row: Row])[] = [
  ["rm grm shred srm", changes("-r", "-R", "--recursive")],
  ["rmdir unlink tee gtee sponge mkdir gmkdir mkfifo mknod fallocate", changes()],
  ["touch gtouch truncate", killsContent],
  ["rimraf del-cli trash trash-put", changesTrees],
  [
    "gio",
    (call) => (call.verb === "trash" ? call.write(call.operands, "tree") : call.mayAlsoWrite(call.operands, "tree")),
  ],
  ["mount umount bindfs fusermount", (call) => call.mayAlsoWrite(call.operands, "tree")],
  [
    "hooksh",
    (call) => {
      if (/^(?:init|import|export|pull)$/.test(call.texts[0] ?? "")) call.mayAlsoWrite(call.invocation.words);
    },
  ],
  ["chmod gchmod chown gchown chgrp chattr chflags", changesMode],
  ["setfacl chcon restorecon setcap icacls", changesAccess],
  ["takeown attrib", takeown],
  ["dd gdd", dd],
  ["mktemp", mktemp],
  ["del erase rd", rd],
  ["remove-item ri set-content sc add-content ac clear-content clc out-file new-item ni tee-object", cmdlet],
  ["prettier", formats("-w", "--write")],
  ["gofmt goimports shfmt", formats("-w", "--write")],
  ["clang-format", formats("-i")],
  ["gcc g++ cc c++ clang clang++", (call) => call.write(call.values("-o"))],
  ["ssh-keygen", keygen],
];

/** Programs that no other table has, and that change no file that their words name. */
export const WRITES_NOTHING =
  ": true false test [ [[ echo printf popd pwd export declare local typeset readonly unset set shift read trap wait which whereis man help " +
  "history alias hash umask ulimit df basename dirname date printenv id sleep seq find-up nproc xargs kill pkill killall shellcheck tokei " +
  "cloc ps lsof ssh mosh";
