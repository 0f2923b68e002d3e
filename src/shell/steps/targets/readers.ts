import type { StepWord } from "../invocation.ts";
import { syntaxOf } from "../programs/find-syntax.ts";
import { type Call, type Row, wordOf } from "./call.ts";
import { opensslClient } from "./connections.ts";

/** Reads its operands. A number behind a short option that no table knows is its value; pagers take commands such as `+F`. */
function reads(call: Call): void {
  const isKnown = syntaxOf(call.name) !== undefined;
  const behind = isKnown ? [] : call.behind(/^-[a-zA-Z]$/);
  const values = new Set(behind.filter(({ text }) => /^\d+[kKmM]?$/.test(text)));
  call.read(call.operands.filter((word) => !word.text.startsWith("+") && !values.has(word)));
}

/** Takes a pattern, a script or a filter first, unless one of the options has it; reads the others and the files of `-f`. */
function readsBehindScript(script: readonly string[], files: readonly string[], more: readonly string[] = []): Row {
  return (call) => {
    call.read(call.values(...files, ...more));
    call.read(call.has(...script, ...files) ? call.operands : call.operands.slice(1));
  };
}

/** Searches files, and directories with all below if it is told to or does so by itself. */
function searches(recursive: boolean): Row {
  return (call) => {
    const patternFiles = ["-f", "--file"];
    call.read(call.values(...patternFiles, "--exclude-from", "--files0-from"));
    const namesOnly = call.has("--files");
    const hasPattern = call.has("-e", "--regexp", ...patternFiles) || namesOnly;
    const operands = hasPattern ? call.operands : call.operands.slice(1);
    const isDeep =
      recursive ||
      call.has("-r", "-R", "--recursive", "--dereference-recursive") ||
      call.values("-d", "--directories").some(({ text }) => text === "recurse");
    const found = operands.length > 0 || !isDeep || (recursive && call.isFed) ? operands : [wordOf(".")];
    if (namesOnly) call.list(found);
    else call.read(found, isDeep ? "tree" : "itself");
  };
}

function sort(call: Call): void {
  call.read([...call.operands, ...call.values("--files0-from")]);
  call.write(call.values("-o", "--output"));
}

/** Reads the first operand and writes the second. */
function convertsTo(call: Call): void {
  call.read([...call.operands.slice(0, 1), ...call.values("-i", "--input")]);
  call.write([...call.operands.slice(1, 2), ...call.values("-o", "--output")]);
}

function diff(call: Call): void {
  const isDeep = call.has("-r", "--recursive");
  call.read(call.operands, isDeep ? "tree" : "itself");
  call.read(call.values("--from-file", "--to-file"));
  call.write(call.values("--output"));
}

/** Filters of data: `jq FILTER FILE`. Options with two values name a variable first. */
function jq(call: Call): void {
  const { invocation, texts } = call;
  const pairs = texts.flatMap((text, at) => (/^--(?:slurpfile|rawfile|argfile)$/.test(text) ? [at] : []));
  const named = pairs.flatMap((at) => invocation.words.slice(at + 2, at + 3));
  const variables = new Set(
    texts.flatMap((text, at) =>
      /^--(?:slurpfile|rawfile|argfile|arg|argjson)$/.test(text) ? invocation.words.slice(at + 1, at + 3) : [],
    ),
  );
  const isGiven = call.has("--args", "--jsonargs");
  const operands = call.operands.filter((word) => !variables.has(word));
  const files = call.values("-f", "--from-file");
  call.read([...named, ...files]);
  if (!isGiven) call.read(files.length > 0 ? operands : operands.slice(1));
}

function yq(call: Call): void {
  const operands = call.operands.filter(({ text }) => !/^(?:e|ea|eval|eval-all)$/.test(text));
  const scripted = call.has("--from-file", "--expression");
  const files = scripted ? operands : operands.slice(1);
  call.read([...files, ...call.values("--from-file")]);
  if (call.has("-i", "--inplace", "--in-place", "--yaml-output-inplace")) call.write(files);
}

/** `openssl rsa -in KEY -out FILE`. */
function openssl(call: Call): void {
  opensslClient(call);
  call.read(call.behind(/^-(?:in|inkey|infiles|sigfile|data)$/));
  call.write(call.behind(/^-(?:out|keyout)$/));
  if (/^(?:dgst|sha\d+|md5|base64|enc|asn1parse)$/.test(call.texts[0] ?? ""))
    call.read(trailingFiles(call.invocation.words.slice(1)));
}

/** The words behind the last option that look like no value of one. */
function trailingFiles(words: readonly StepWord[]): StepWord[] {
  const last = words.findLastIndex(({ text }) => text.startsWith("-"));
  return words.slice(last + 1).slice(words[last]?.text === "-out" || words[last]?.text === "-in" ? 1 : 0);
}

/** Encrypts, signs and prints; what it makes lies beside what it reads. */
function gpg(call: Call): void {
  if (call.has("--list-keys", "-k", "--list-secret-keys", "-K", "--export", "--export-secret-keys", "--recv-keys"))
    return;
  call.read(call.operands.filter(({ text }) => !/^(?:encrypt|decrypt)$/.test(text)));
  call.write(call.values("-o", "--output"));
}

/** Replaces each file with a packed or an unpacked one. */
function packs(call: Call): void {
  call.read(call.operands);
  const keeps = call.has("-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test");
  if (!keeps) call.write(call.operands);
  call.write(call.values("-o", "--output"));
}

function split(call: Call): void {
  // The client of a service with the same name has verbs.
  const verb = call.verb.split(" ").filter(Boolean);
  const [file, prefix] = [...verb.map((text) => wordOf(text)), ...call.operands];
  if (file) call.read([file]);
  const first = prefix?.text ?? call.values("-f", "--prefix")[0]?.text ?? (call.name === "csplit" ? "xx" : "x");
  call.write([wordOf(`${first}${call.name === "csplit" ? "00" : "aa"}`, prefix)]);
}

/** Editors read and may change what they open. */
function edits(call: Call): void {
  const files = call.operands.filter(({ text }) => !text.startsWith("+"));
  call.read(files);
  if (!call.has("-R", "--view") && call.name !== "view") call.write(files);
  call.read(call.values("-S", "-s", "--script"));
}

function sqlite(call: Call): void {
  const [file, ...statements] = call.operands;
  if (!file) return;
  call.read([file]);
  const sql = [...statements.map(({ text }) => text), ...call.invocation.given].join("\n");
  if (/\b(?:insert|update|delete|drop|alter|create|replace|vacuum)\b|^\s*\.(?:import|restore|read)\b/im.test(sql))
    call.write([file]);
}

const READS = `cat tac nl head tail ghead gtail less more most bat batcat pg zless zmore zcat gzcat bzcat xzcat zstdcat lz4cat rev cut wc cmp comm paste
  join od hexdump hd hexyl strings base32 basenc md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum b3sum cksum sum md5 fold fmt
  column expand unexpand pr look tr colordiff delta diff3 gron iconv pandoc glow mdcat csvlook csvcut csvgrep xmllint xsltproc asciidoctor ts
  tsort ptx numfmt vis unvis cpp m4 pbcopy xclip wl-copy uuencode ansible-vault sops age qrencode catimg highlight pygmentize lolcat
  type get-content gc readelf objdump nm dcode lp lpr enscript a2ps ttyplay zipgrep zipinfo feh pdftotext antiword exiftool crontab`;

/** The rows of programs that read files. */
export const READERS: readonly (readonly [names: string, row: Row])[] = [
  [READS, reads],
  ["grep egrep fgrep ggrep zgrep bzgrep xzgrep", searches(false)],
  // Words behind the script are its arguments.
  ["source .", (call) => call.read(call.operands.slice(0, 1))],
  ["rg ag ack ugrep pt sift", searches(true)],
  ["shuf sort gsort", sort],
  ["uniq xxd json.tool base64 gbase64 dos2unix unix2dos uudecode", convertsTo],
  ["diff gdiff sdiff", diff],
  ["jq jaq gojq", jq],
  ["yq", yq],
  ["dasel mlr xq tomlq htmlq pup", readsBehindScript([], [], ["--file", "-f"])],
  ["openssl", openssl],
  ["gpg gpg2", gpg],
  ["gzip gunzip pigz bzip2 bunzip2 xz unxz lzma zstd unzstd lz4 compress uncompress", packs],
  ["split gsplit csplit", split],
  ["vim vi nvim view nano pico emacs ed ex micro code subl helix hx kak joe mg", edits],
  ["sqlite3 sqlite", sqlite],
];
