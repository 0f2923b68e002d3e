import { describe, expect, test } from "bun:test";
import { signMachO } from "../../scripts/sign-macho.ts";
import { readSignature } from "./read-signature.ts";

const CODE_END = 3 * 4096 + 100;
const OLD_SIGNATURE = 512;

/** The least that can be signed: code, the last segment behind it, and in that an old signature. */
function machO(segments = ["__TEXT", "__LINKEDIT"]): Buffer {
  const file = Buffer.alloc(CODE_END + OLD_SIGNATURE, 0x5a);
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(segments.length + 1, 16);
  const places: Record<string, [start: number, size: number]> = {
    __TEXT: [0, 2 * 4096],
    __LINKEDIT: [2 * 4096, 4096 + 100 + OLD_SIGNATURE],
  };
  segments.forEach((name, index) => {
    const at = 32 + index * 72;
    const [start, size] = places[name] ?? [0, 0];
    file.fill(0, at, at + 72);
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8, "latin1");
    file.writeBigUInt64LE(BigInt(size), at + 32);
    file.writeBigUInt64LE(BigInt(start), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  });
  const at = 32 + segments.length * 72;
  [0x1d, 16, CODE_END, OLD_SIGNATURE].forEach((field, index) => file.writeUInt32LE(field, at + index * 4));
  return file;
}

describe("signMachO", () => {
  test("signs every page, and the signature is the end of the file and of the last segment", () => {
    const before = machO();
    const signed = signMachO(before);
    expect(readSignature(signed)).toEqual({ flags: 0x20002, identifier: "hooksh", pages: 4, wrong: 0, fits: true });
    expect(before.equals(machO())).toBe(true);
  });

  test("the signature does not match a file that was changed afterwards", () => {
    const signed = signMachO(machO());
    signed[5000] = 0;
    expect(readSignature(signed)).toMatchObject({ wrong: 1 });
  });

  test("signing twice equals once", () => {
    const signed = signMachO(machO());
    expect(signMachO(signed).equals(signed)).toBe(true);
  });

  test("refuses a file that is not such an executable", () => {
    expect(() => signMachO(Buffer.from("\x7fELF".padEnd(100)))).toThrow("not a 64-bit Mach-O executable");
    expect(() => signMachO(machO(["__TEXT"]))).toThrow("without room for a signature");
  });
});
