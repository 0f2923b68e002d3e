import { describe, expect, test } from "bun:test";
import { LosslessCodec } from "../../../src/lib/text/lossless-text.ts";

/** The text of bytes that arrive in chunks, and the bytes that it is encoded to. */
function roundTrip(bytes: Uint8Array, size: number): { text: string; bytes: Uint8Array } {
  const codec = new LosslessCodec();
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += size) texts.push(codec.decode(bytes.subarray(at, at + size)));
  texts.push(codec.finish());
  const encoded = texts.map((text) => codec.encode(text));
  return { text: texts.join(""), bytes: Buffer.concat([...encoded, codec.tail]) };
}

const text = "aé€😀\ud83d\ude00 \ufeff\u0000 z";

describe.each([1, 2, 3, 5, 1000])("in chunks of %d bytes", (size) => {
  test.each([
    ["empty", Buffer.alloc(0), ""],
    ["one byte", Buffer.from([0xff]), "\udcff"],
    ["UTF-8", Buffer.from(text), text],
    ["UTF-8 with a byte-order mark", Buffer.from(`\ufeff${text}`), `\ufeff${text}`],
    ["UTF-8 that is cut", Buffer.from("a😀").subarray(0, 4), "a\udcf0\udc9f\udc98"],
    ["Latin-1", Buffer.from("café au lait", "latin1"), "caf\udce9 au lait"],
    ["Latin-1 after UTF-8", Buffer.concat([Buffer.from("€😀"), Buffer.from([0xe9, 0x80])]), "€😀\udce9\udc80"],
    ["an encoded surrogate", Buffer.from([0xed, 0xb3, 0xbf, 0x61]), "\udced\udcb3\udcbfa"],
    ["an overlong form", Buffer.from([0xc0, 0xaf, 0xe0, 0x80, 0xaf]), "\udcc0\udcaf\udce0\udc80\udcaf"],
    ["UTF-16, little endian", Buffer.from(`\ufeff${text}`, "utf16le"), `\ufeff${text}`],
    ["UTF-16, big endian", Buffer.from(`\ufeff${text}`, "utf16le").swap16(), `\ufeff${text}`],
    ["UTF-16 with a byte too many", Buffer.concat([Buffer.from("\ufeffab", "utf16le"), Buffer.from([1])]), "\ufeffab"],
    ["UTF-16 with half a pair", Buffer.from("\ufeffa\udc80b\ud83d", "utf16le"), "\ufeffa\udc80b\ud83d"],
  ])("%s", (_name, bytes, decoded) => {
    const found = roundTrip(bytes, size);
    expect(found.text).toBe(decoded);
    expect(Buffer.from(found.bytes).toString("hex")).toBe(bytes.toString("hex"));
  });

  test("any bytes", () => {
    const random = new Uint8Array(20_000);
    crypto.getRandomValues(random);
    for (const bytes of [random, random.map((byte) => (byte < 40 ? byte + 0xc0 : byte & 0xbf))]) {
      expect(Buffer.compare(roundTrip(bytes, size).bytes, bytes)).toBe(0);
    }
  });
});
