/** An invalid byte is decoded to this plus the byte: a lone low surrogate, which cannot occur in UTF-8. */
const RAW = 0xdc00;

/** The encoding of a stream, by its first two bytes. */
type Encoding = "utf8" | "utf16le" | "utf16be";

/**
 * Decodes the bytes of a stream to text, and encodes that text, or any part of it, to the same bytes again. The text is
 * UTF-8, or UTF-16 if it begins with that byte-order mark, which stays in the text. Each byte that is not valid UTF-8
 * becomes a lone low surrogate from U+DC80 to U+DCFF.
 */
export class LosslessCodec {
  #encoding: Encoding | undefined;
  /** The bytes of an incomplete character. */
  #rest: Uint8Array = new Uint8Array(0);

  /** Decodes the next bytes. Keeps an incomplete character until the rest of it arrives. */
  decode(chunk: Uint8Array): string {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (this.#encoding === undefined && bytes.length < 2) {
      this.#rest = bytes.slice();
      return "";
    }
    this.#encoding ??= encodingOf(bytes);
    const end = this.#encoding === "utf8" ? wholeCharacters(bytes) : bytes.length - (bytes.length % 2);
    this.#rest = bytes.slice(end);
    const whole = bytes.subarray(0, end);
    return this.#encoding === "utf8" ? decodeUtf8(whole) : inByteOrder(whole, this.#encoding).toString("utf16le");
  }

  /** Decodes the bytes that are left at the end of the stream. */
  finish(): string {
    return this.#isUtf16() ? "" : decodeUtf8(this.#rest);
  }

  /** The bytes at the end of the stream that are not part of the text: half a unit of UTF-16, or none. */
  get tail(): Uint8Array {
    return this.#isUtf16() ? this.#rest : new Uint8Array(0);
  }

  /** Encodes a text to the bytes that it was decoded from. */
  encode(text: string): Uint8Array {
    if (this.#isUtf16()) return inByteOrder(Buffer.from(text, "utf16le"), this.#encoding);
    return text.isWellFormed() ? Buffer.from(text) : encodeMixed(text);
  }

  #isUtf16(): boolean {
    return this.#encoding === "utf16le" || this.#encoding === "utf16be";
  }
}

function encodingOf(bytes: Uint8Array): Encoding {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf16be" : "utf8";
}

/** Converts UTF-16 of an encoding to little-endian or back. */
function inByteOrder(bytes: Uint8Array, encoding: Encoding | undefined): Buffer {
  const copy = Buffer.from(bytes);
  return encoding === "utf16be" ? copy.swap16() : copy;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return decodeMixed(bytes);
  }
}

function decodeMixed(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length);
  let count = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = Math.max(0, characterLength(bytes, at));
    const code = codePointAt(bytes, at, length);
    if (length === 0) units[count++] = RAW + (bytes[at] ?? 0);
    else if (code < 0x10000) units[count++] = code;
    else {
      units[count++] = 0xd7c0 + (code >> 10);
      units[count++] = 0xdc00 + (code & 0x3ff);
    }
    at += Math.max(1, length);
  }
  return Buffer.from(units.buffer, 0, count * 2).toString("utf16le");
}

/** Returns the length of a character by its first byte; 0 if no character begins with it. */
function lengthByLead(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/** RFC 3629 restricts the second byte after these: no overlong form, no surrogate, nothing above U+10FFFF. */
const LEAST_SECOND: Readonly<Record<number, number>> = { 0xe0: 0xa0, 0xf0: 0x90 };
const GREATEST_SECOND: Readonly<Record<number, number>> = { 0xed: 0x9f, 0xf4: 0x8f };

/**
 * Returns the length of the UTF-8 character at a position; 0 if it is not valid UTF-8, -1 if the bytes end within it.
 */
function characterLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  const length = lengthByLead(lead);
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index];
    if (byte === undefined) return -1;
    const least = index === 1 ? (LEAST_SECOND[lead] ?? 0x80) : 0x80;
    const greatest = index === 1 ? (GREATEST_SECOND[lead] ?? 0xbf) : 0xbf;
    if (byte < least || byte > greatest) return 0;
  }
  return length;
}

/** The bits of the first byte that belong to the code point, by the length of the character. */
const LEAD_BITS = [0, 0x7f, 0x1f, 0x0f, 0x07];

function codePointAt(bytes: Uint8Array, at: number, length: number): number {
  let code = (bytes[at] ?? 0) & (LEAD_BITS[length] ?? 0);
  for (let index = 1; index < length; index++) code = (code << 6) | ((bytes[at + index] ?? 0) & 0x3f);
  return code;
}

/** Returns the number of bytes before an incomplete character at the end. */
function wholeCharacters(bytes: Uint8Array): number {
  for (let at = Math.max(0, bytes.length - 3); at < bytes.length; at++) {
    if ((bytes[at] ?? 0) >= 0xc0 && characterLength(bytes, at) === -1) return at;
  }
  return bytes.length;
}

function encodeMixed(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    if (code < 0x80) bytes[count++] = code;
    else if (code >= RAW + 0x80 && code <= RAW + 0xff) bytes[count++] = code - RAW;
    else {
      const length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      for (let index = length - 1; index > 0; index--)
        bytes[count + index] = 0x80 | ((code >> (6 * (length - 1 - index))) & 0x3f);
      bytes[count] = ((0xf00 >> length) & 0xff) | (code >> (6 * (length - 1)));
      count += length;
      if (length === 4) at++;
    }
  }
  return bytes.slice(0, count);
}
