import { joinPath } from "../../paths/working-directory.ts";
import type { StepWord } from "../invocation.ts";
import { readRemotePath } from "./addresses.ts";
import { type Call, lastPart, type Row, UNKNOWN_ADDRESS, wordOf } from "./call.ts";

/** Where a copying program puts its sources. */
interface Destination {
  word: StepWord;
  /** True if it is a directory for sure. */
  isDirectory: boolean;
}

/** Splits operands into sources and a destination: the last one, or the directory of `-t`. */
function splitCopy(call: Call): { sources: readonly StepWord[]; to: Destination | undefined } {
  const [given] = call.values("-t", "--target-directory");
  if (given) return { sources: call.operands, to: { word: given, isDirectory: true } };
  const sources = call.operands.slice(0, -1);
  const word = call.operands.at(-1);
  if (!word || sources.length === 0) return { sources: call.operands, to: undefined };
  // Words that may be none, or options, make no directory of it.
  const certain = sources.filter(({ count }) => count !== "any");
  const isDirectory = certain.length > 1 || isDirectoryName(word.text);
  return { sources, to: { word, isDirectory: isDirectory && !call.has("-T", "--no-target-directory") } };
}

/** True for a path that can only be a directory: `a/`, `.`, `..`. */
function isDirectoryName(path: string): boolean {
  return /(?:^|\/)\.{0,2}\/?$/.test(path);
}

/** The last part of a path; undefined if it names the contents of a directory: `a/.`. */
function lastName(path: string): string | undefined {
  const name = lastPart(path);
  return name === "" || name === "." || name === ".." ? undefined : name;
}

/** Puts sources into the destination. `contents`: a source that ends with a slash stands for what is in it. */
function put(call: Call, sources: readonly StepWord[], to: Destination, deep: boolean, contents = false): void {
  const extent = deep ? "tree" : "itself";
  const names = sources.map(({ text }) => (contents && text.endsWith("/") ? undefined : lastName(text)));
  const copied = ({ text }: StepWord) => ({ kind: "copied", from: [call.join(text)] }) as const;
  const [first] = sources;
  if (!to.isDirectory) {
    const inside = call.has("-T", "--no-target-directory") ? [] : names.filter((name) => name !== undefined);
    const isContent = inside.length === 0 && names.includes(undefined) && deep;
    call.writeInto(to.word, inside, isContent ? "below" : extent, first && copied(first));
    return;
  }
  sources.forEach((source, at) => {
    const name = names[at];
    if (name === undefined) return call.write([to.word], "below", copied(source));
    const { text } = to.word;
    const path = text.endsWith("/") ? `${text}${name}` : joinPath(text, name);
    // Several words, or words that `find` passes, keep their names inside.
    call.write(
      [source.found?.isBelow ? to.word : wordOf(path, { ...to.word, glob: to.word.glob || source.glob })],
      source.found?.isBelow ? "below" : extent,
      copied(source),
    );
  });
}

const DEEP = ["-r", "-R", "--recursive", "-a", "--archive"];

function cp(call: Call): void {
  const deep = call.has(...DEEP) || call.name === "ditto";
  const { sources, to } = splitCopy(call);
  call.read(sources, deep ? "tree" : "itself");
  if (to) put(call, sources, to, deep);
}

/** What is moved goes with all that lies below. */
function mv(call: Call): void {
  const { sources, to } = splitCopy(call);
  call.read(sources, "tree");
  call.write(sources, "tree");
  if (to) put(call, sources, to, true);
}

function install(call: Call): void {
  if (call.has("-d", "--directory")) return call.write(call.operands);
  const { sources, to } = splitCopy(call);
  call.read(sources);
  if (to) put(call, sources, to, false);
}

/** A lone operand is linked into the directory in force. */
function ln(call: Call): void {
  const { sources, to } = splitCopy(call);
  call.read(sources);
  // What is written under the second name changes the file.
  call.mayAlsoWrite(sources, "tree");
  put(call, sources, to ?? { word: wordOf("."), isDirectory: true }, false);
}

/** Copies from and to other machines: `host:path`. Local operands are files. */
function copiesRemotely(options: { deep: (call: Call) => boolean; contents: boolean }): Row {
  return (call) => {
    const { contents } = options;
    const deep = options.deep(call);
    const { sources, to } = splitCopy(call);
    const port = Number.parseInt(call.values(call.name === "scp" ? "-P" : "--port")[0]?.text ?? "", 10);
    const connection = port > 0 ? { port } : {};
    const local = sources.filter((source) => !connectTo(call, source, connection));
    call.read(local, deep ? "tree" : "itself");
    call.read(call.values("--exclude-from", "--include-from", "--files-from"));
    if (call.has("--remove-source-files")) call.write(local, "tree");
    call.write(call.values("--log-file"));
    if (!to || call.has("-n", "--dry-run")) {
      if (to) connectTo(call, to.word, connection);
      return;
    }
    const uploads = local.length > 0 || sources.length === 0;
    if (connectTo(call, to.word, { ...connection, sends: uploads })) return putOnHost(call, to.word);
    const names = sources.map((source) => wordOf(readRemotePath(source.text)?.path || source.text, source));
    put(call, names, to, deep, contents);
    const deletes = call.texts.some((text) => /^--del(?:ete(?:-\w+)*)?$/.test(text));
    if (deletes) call.write([to.word], "tree");
    // Where it goes may be another machine.
    if (to.word.text.startsWith("\0")) call.connect(UNKNOWN_ADDRESS, { sends: uploads, sure: false });
  };
}

/** Where systems keep what is their own; elsewhere on another machine only that machine knows what a path means. */
const OF_THE_SYSTEM = /^\/(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc|dev|opt|var\/lib)(?:\/|$)/;

function putOnHost(call: Call, word: StepWord): void {
  const path = readRemotePath(word.text)?.path ?? "";
  if (OF_THE_SYSTEM.test(path)) call.writeElsewhere(wordOf(path, word));
}

/** Connects to the host of `host:path`; false for a local path. */
function connectTo(call: Call, { text, count }: StepWord, connection: { sends?: boolean; port?: number }): boolean {
  const address = readRemotePath(text);
  if (address) call.connect(address, { ...connection, sure: count !== "any" });
  return address !== undefined;
}

/** Copies between this machine and a container: `name:path` is in the container. */
export function copiesToContainer(call: Call): void {
  const [from, to] = call.operands;
  const isInside = (word: StepWord | undefined) =>
    word !== undefined && /^[^/.][^/]*:|^[^/:]+\/[^/:]+:/.test(word.text);
  if (from && !isInside(from)) call.read([from], "tree");
  if (from && to && !isInside(to)) {
    const name = wordOf(from.text.replace(/^[^:]*:/s, ""), from);
    put(call, [name], { word: to, isDirectory: isDirectoryName(to.text) }, true);
  }
}

/** The rows of programs that copy, move and link. */
export const COPIES: readonly (readonly [names: string, row: Row])[] = [
  ["cp gcp ditto copy xcopy robocopy copy-item", cp],
  ["mv gmv move move-item rename-item ren", mv],
  ["install ginstall", install],
  ["ln gln", ln],
  ["scp", copiesRemotely({ deep: (call) => call.has("-r"), contents: false })],
  ["rsync", copiesRemotely({ deep: () => true, contents: true })],
];
