import { createHash } from "node:crypto";

const LC_SEGMENT_64 = 0x19;
const LC_CODE_SIGNATURE = 0x1d;
const HEADER_SIZE = 32;
const PAGE = 4096;
const HASH = 32;
/** Size of the code directory, up to and including the description of the executable segment. */
const DIRECTORY_SIZE = 88;
const IDENTIFIER = "hooksh\0";

interface Layout {
  /** Offset of the load command of the signature. */
  signature: number;
  /** Offset of the load command of the last segment, which the signature ends. */
  linkedit: number;
  /** Offset at which the signed code ends and the signature starts. */
  codeEnd: number;
  textOffset: number;
  textSize: number;
}

/**
 * Re-signs a Mach-O executable ad hoc. The runtime is signed by its maker, but that signature is invalid once the
 * program is embedded, and macOS may kill such a process. Bun itself re-signs only for ARM. Throws unless the file is a
 * 64-bit Mach-O with room for a signature.
 */
export function signMachO(executable: Buffer): Buffer<ArrayBuffer> {
  const layout = readLayout(executable);
  const { codeEnd } = layout;
  const pages = Math.ceil(codeEnd / PAGE);
  const size = 20 + DIRECTORY_SIZE + IDENTIFIER.length + pages * HASH;
  const code = Buffer.from(executable.subarray(0, codeEnd));
  code.writeUInt32LE(size, layout.signature + 12);
  const linkeditStart = Number(code.readBigUInt64LE(layout.linkedit + 40));
  const linkeditSize = codeEnd + size - linkeditStart;
  code.writeBigUInt64LE(BigInt(Math.ceil(linkeditSize / PAGE) * PAGE), layout.linkedit + 32);
  code.writeBigUInt64LE(BigInt(linkeditSize), layout.linkedit + 48);
  return Buffer.concat([code, superBlob(codeDirectory(code, layout, pages), size)]);
}

function readLayout(executable: Buffer): Layout {
  if (executable.readUInt32LE(0) !== 0xfeedfacf) throw new Error("not a 64-bit Mach-O executable");
  const layout: Partial<Layout> = {};
  let at = HEADER_SIZE;
  for (let left = executable.readUInt32LE(16); left > 0; left--) {
    const command = executable.readUInt32LE(at);
    const name = command === LC_SEGMENT_64 ? executable.toString("latin1", at + 8, at + 24).replace(/\0.*$/, "") : "";
    if (name === "__LINKEDIT") layout.linkedit = at;
    if (name === "__TEXT") {
      layout.textOffset = Number(executable.readBigUInt64LE(at + 40));
      layout.textSize = Number(executable.readBigUInt64LE(at + 48));
    }
    if (command === LC_CODE_SIGNATURE) {
      layout.signature = at;
      layout.codeEnd = executable.readUInt32LE(at + 8);
    }
    at += executable.readUInt32LE(at + 4);
  }
  const { signature, linkedit, codeEnd, textOffset, textSize } = layout;
  const found = [signature, linkedit, codeEnd, textOffset, textSize];
  if (found.includes(undefined)) throw new Error("a Mach-O executable without room for a signature");
  return layout as Layout;
}

/** Version 0x20400 of the code directory: a SHA-256 of every page, flagged as signed by the linker. */
function codeDirectory(code: Buffer, { codeEnd, textOffset, textSize }: Layout, pages: number): Buffer {
  const directory = Buffer.alloc(DIRECTORY_SIZE + IDENTIFIER.length + pages * HASH);
  const hashes = DIRECTORY_SIZE + IDENTIFIER.length;
  const fields = [0xfade0c02, directory.length, 0x20400, 0x20002, hashes, DIRECTORY_SIZE, 0, pages, codeEnd];
  fields.forEach((field, index) => directory.writeUInt32BE(field, index * 4));
  directory.set([HASH, 2, 0, Math.log2(PAGE)], 36);
  directory.writeBigUInt64BE(BigInt(textOffset), 64);
  directory.writeBigUInt64BE(BigInt(textSize), 72);
  directory.writeBigUInt64BE(1n, 80); // this is the main executable
  directory.write(IDENTIFIER, DIRECTORY_SIZE, "latin1");
  for (let page = 0; page < pages; page++) {
    const content = code.subarray(page * PAGE, Math.min((page + 1) * PAGE, codeEnd));
    directory.set(createHash("sha256").update(content).digest(), hashes + page * HASH);
  }
  return directory;
}

/** Returns the signature; its only part is the code directory. */
function superBlob(directory: Buffer, size: number): Buffer {
  const head = Buffer.alloc(20);
  [0xfade0cc0, size, 1, 0, 20].forEach((field, index) => head.writeUInt32BE(field, index * 4));
  return Buffer.concat([head, directory]);
}
