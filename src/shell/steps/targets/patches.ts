import { patchFiles } from "../../patch-files.ts";
import type { StepWord } from "../invocation.ts";
import { type Call, wordOf } from "./call.ts";

/** The files that a patch of `diff` and git names. */
const DIFF_FILE = /^(?:---|\+\+\+|rename (?:from|to)) (.+?)(?:\t.*)?\r?$/gm;

/** `apply_patch <<EOF`: the files stand in the patch. */
export function applyPatch(call: Call): void {
  const texts = [...call.invocation.given, ...call.texts];
  const files = texts.flatMap(patchFiles);
  call.write(files.map(({ path }) => wordOf(path)));
  if (files.length === 0) call.write([wordOf(".")], "below");
}

/** Writes the files of patches that the line shows, else files that it does not. `patches`: the files that hold them. */
export function writePatched(call: Call, strip: number, patches: readonly StepWord[]): void {
  const files = call.invocation.given.flatMap((text) => [...text.matchAll(DIFF_FILE)].map(([, file = ""]) => file));
  const names = files.filter((file) => file !== "/dev/null").map((file) => file.split("/").slice(strip).join("/"));
  call.write([...new Set(names)].map((file) => wordOf(file)));
  if (names.length > 0) return;
  const inputs = call.invocation.redirects.flatMap(({ operator, target }) => (operator === "<" ? [target] : []));
  const from = [...patches, ...inputs].map(({ text }) => text);
  call.write([wordOf(".")], "below", { kind: "patched", files: from });
}

/** `patch -p1 < FILE`, `patch FILE PATCH`. */
export function patch(call: Call): void {
  const [file, ...patches] = call.operands;
  const given = [...patches, ...call.values("-i", "--input")];
  call.read(given);
  if (call.has("--dry-run", "-C", "--check")) return;
  const [directory] = call.values("-d", "--directory");
  const outer = call.base;
  if (directory) call.base = call.join(directory.text);
  call.write(call.values("-o", "--output", "-r", "--reject-file"));
  if (file) call.write([file]);
  else if (!call.has("-o", "--output")) {
    const strip = Number.parseInt(call.values("-p", "--strip")[0]?.text ?? "", 10);
    writePatched(call, strip >= 0 ? strip : 0, given);
  }
  call.base = outer;
}
