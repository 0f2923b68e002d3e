import { createHash } from "node:crypto";

/** What a signature says, and whether it is true. */
export interface Signature {
  flags: number;
  identifier: string;
  pages: number;
  /** Pages whose hash is not the one that is signed. */
  wrong: number;
  /** The signature covers everything before it, ends with the file, and lies inside the last segment. */
  fits: boolean;
}

/** Reads the code directory of a 64-bit Mach-O executable as the kernel does; undefined when it is not signed. */
export function readSignature(file: Buffer): Signature | undefined {
  const commands: { kind: number; at: number }[] = [];
  for (let at = 32, left = file.readUInt32LE(16); left > 0; left--) {
    commands.push({ kind: file.readUInt32LE(at), at });
    at += file.readUInt32LE(at + 4);
  }
  const entry = commands.find(({ kind }) => kind === 0x1d);
  const last = commands.filter(({ kind }) => kind === 0x19).at(-1);
  if (!entry || !last) return undefined;
  const [start, size] = [file.readUInt32LE(entry.at + 8), file.readUInt32LE(entry.at + 12)];
  const directory = file.subarray(start + file.readUInt32BE(start + 16));
  const word = (index: number) => directory.readUInt32BE(index * 4);
  const [magic, flags, hashes, identifier, pages, covered] = [word(0), word(3), word(4), word(5), word(7), word(8)];
  const hashSize = directory[36] ?? 0;
  const pageSize = 2 ** (directory[39] ?? 0);
  let wrong = magic === 0xfade0c02 ? 0 : pages;
  for (let page = 0; page < pages; page++) {
    const digest = createHash("sha256")
      .update(file.subarray(page * pageSize, Math.min((page + 1) * pageSize, covered)))
      .digest();
    if (!digest.equals(directory.subarray(hashes + page * hashSize, hashes + (page + 1) * hashSize))) wrong++;
  }
  const [memory, offset, length] = [32, 40, 48].map((field) => Number(file.readBigUInt64LE(last.at + field)));
  const inside =
    offset !== undefined && length !== undefined && offset + length === file.length && (memory ?? 0) >= length;
  return {
    flags,
    identifier: directory.toString("latin1", identifier, directory.indexOf(0, identifier)),
    pages,
    wrong,
    fits: covered === start && start + size === file.length && inside && pages === Math.ceil(covered / pageSize),
  };
}
