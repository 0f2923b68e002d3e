import type { StepWord } from "../invocation.ts";
import { type Call, type Row, wordOf } from "./call.ts";

const HERE = wordOf(".");

/** Unpacks into a directory: the members that are named, else files whose names the line does not show. */
function unpack(call: Call, directory: StepWord | undefined, members: readonly StepWord[]): void {
  const outer = call.base;
  if (members.length === 0) return call.write([directory ?? HERE], "below");
  if (directory) call.base = call.join(directory.text);
  call.write(members, "tree");
  call.base = outer;
}

/** Packs its operands; each `-C` changes the directory for those behind it. */
function pack(call: Call): void {
  const outer = call.base;
  const operands = new Set(call.operands);
  let next = 0;
  const directories = call.values("-C", "--directory").map(({ text }) => text);
  for (const word of call.invocation.words) {
    const [, directory] = /^(?:--directory=|-C(?=.))?(.*)$/s.exec(word.text) ?? [];
    if (directory !== undefined && directories[next] === directory && !operands.has(word)) {
      next++;
      call.base = call.join(directory);
    } else if (operands.has(word)) {
      call.read([word], "tree");
      if (call.has("--remove-files")) call.write([word], "tree");
    }
  }
  call.base = outer;
}

function tar(call: Call): void {
  const files = call.values("-f", "--file").filter(({ text }) => !/^[^/]+:/.test(text));
  const [directory] = call.values("-C", "--directory");
  const lists = call.values("-T", "--files-from");
  call.read(lists);
  if (call.has("-x", "--extract", "--get")) {
    call.read(files);
    if (!call.has("-O", "--to-stdout", "--to-command")) unpack(call, directory, call.operands);
  } else if (call.has("-t", "--list", "-d", "--diff", "--compare")) call.read(files);
  else if (
    call.has("-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--concatenate", "--delete")
  ) {
    call.write(files);
    if (!call.has("--delete")) pack(call);
  }
}

function unzip(call: Call): void {
  const [archive, ...members] = call.operands;
  if (archive) call.read([archive]);
  if (call.has("-l", "-t", "-Z", "-v", "-p", "-z")) return;
  unpack(call, call.values("-d")[0], members);
}

function zip(call: Call): void {
  const [archive, ...members] = call.operands;
  if (archive) call.write([archive]);
  if (call.has("-d", "--delete")) return;
  call.read(members, call.has("-r", "--recurse-paths", "-R") ? "tree" : "itself");
  if (call.has("-m", "--move")) call.write(members, "tree");
}

/** An archiver with a word for what it does: `7z a x.7z FILES`, `7z x x.7z -oDIR`. */
function sevenZip(call: Call): void {
  const verb = call.verb || (call.operands[0]?.text ?? "");
  const [archive, ...members] = call.verb ? call.operands : call.operands.slice(1);
  const [to] = call.invocation.words.filter(({ text }) => /^-o./.test(text));
  if (!archive) return;
  if (/^[xe]$/.test(verb)) {
    call.read([archive]);
    unpack(call, to && wordOf(to.text.slice(2), to), members);
  } else if (/^[audm]$/.test(verb)) {
    call.write([archive]);
    if (verb !== "d") call.read(members, "tree");
    if (call.texts.includes("-sdel") || verb === "m") call.write(members, "tree");
  } else call.read([archive]);
}

/** `ar r x.a FILES`, `jar cf x.jar FILES`, `jar xf x.jar`. */
function bundles(call: Call): void {
  const [letters = "", ...rest] = call.texts;
  const files = call.invocation.words.slice(1).filter(({ text }) => !text.startsWith("-"));
  if (/x/.test(letters)) {
    call.read(files.slice(0, 1));
    unpack(call, undefined, files.slice(1));
  } else if (/[cruq]/.test(letters) && rest.length > 0) {
    call.write(files.slice(0, 1));
    call.read(files.slice(1), "tree");
  } else call.read(files.slice(0, 1));
}

/** Reads names from its input; what they are, the line does not show. */
function cpio(call: Call): void {
  const [letters = ""] = call.texts;
  const file = call.values("-F", "--file", "-O", "-I");
  if (/^-\w*i|^--extract/.test(letters)) {
    call.read(file);
    call.write([HERE], "below");
  } else call.write(file);
  if (/^-\w*p/.test(letters)) call.write(call.operands.slice(-1), "below");
}

/** The rows of archivers. */
export const ARCHIVERS: readonly (readonly [names: string, row: Row])[] = [
  ["tar gtar bsdtar", tar],
  ["unzip bsdunzip", unzip],
  ["zip", zip],
  ["7z 7za 7zr 7zz rar unrar", sevenZip],
  ["ar jar", bundles],
  ["cpio pax", cpio],
];
