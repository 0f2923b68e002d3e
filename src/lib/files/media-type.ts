/** The kind of content in a file. */
export type MediaKind = "image" | "document" | "audio" | "video" | "text" | "binary";

/** The type of a file. */
export interface MediaType {
  readonly kind: MediaKind;
  readonly mimeType: string;
}

/** The byte strings that a file of a type begins with, and their offsets. */
interface Signature extends MediaType {
  readonly parts: readonly (readonly [offset: number, bytes: string])[];
}

/** The first match wins. The bytes are written as Latin-1. */
const SIGNATURES: readonly Signature[] = [
  { kind: "image", mimeType: "image/png", parts: [[0, "\x89PNG\r\n\x1a\n"]] },
  { kind: "image", mimeType: "image/jpeg", parts: [[0, "\xff\xd8\xff"]] },
  { kind: "image", mimeType: "image/gif", parts: [[0, "GIF87a"]] },
  { kind: "image", mimeType: "image/gif", parts: [[0, "GIF89a"]] },
  {
    kind: "image",
    mimeType: "image/webp",
    parts: [
      [0, "RIFF"],
      [8, "WEBP"],
    ],
  },
  // A text could begin with "BM", so the reserved bytes and the high bytes of the header's length must be zero, too.
  {
    kind: "image",
    mimeType: "image/bmp",
    parts: [
      [0, "BM"],
      [6, "\0\0\0\0"],
      [15, "\0\0\0"],
    ],
  },
  { kind: "image", mimeType: "image/tiff", parts: [[0, "II*\0"]] },
  { kind: "image", mimeType: "image/tiff", parts: [[0, "MM\0*"]] },
  ...["heic", "heix", "hevc", "heim", "heis", "mif1", "msf1"].map(
    (brand): Signature => ({ kind: "image", mimeType: "image/heic", parts: [[4, `ftyp${brand}`]] }),
  ),
  ...["avif", "avis"].map(
    (brand): Signature => ({ kind: "image", mimeType: "image/avif", parts: [[4, `ftyp${brand}`]] }),
  ),
  { kind: "document", mimeType: "application/pdf", parts: [[0, "%PDF-"]] },
  {
    kind: "audio",
    mimeType: "audio/wav",
    parts: [
      [0, "RIFF"],
      [8, "WAVE"],
    ],
  },
  { kind: "audio", mimeType: "audio/mpeg", parts: [[0, "ID3"]] },
  ...["\xfb", "\xfa", "\xf3", "\xf2"].map(
    (second): Signature => ({ kind: "audio", mimeType: "audio/mpeg", parts: [[0, `\xff${second}`]] }),
  ),
  { kind: "audio", mimeType: "audio/aac", parts: [[0, "\xff\xf1"]] },
  { kind: "audio", mimeType: "audio/aac", parts: [[0, "\xff\xf9"]] },
  { kind: "audio", mimeType: "audio/ogg", parts: [[0, "OggS"]] },
  { kind: "audio", mimeType: "audio/flac", parts: [[0, "fLaC"]] },
  {
    kind: "audio",
    mimeType: "audio/aiff",
    parts: [
      [0, "FORM"],
      [8, "AIFF"],
    ],
  },
  { kind: "audio", mimeType: "audio/mp4", parts: [[4, "ftypM4A "]] },
  { kind: "video", mimeType: "video/mp4", parts: [[4, "ftyp"]] },
  { kind: "video", mimeType: "video/webm", parts: [[0, "\x1aE\xdf\xa3"]] },
  {
    kind: "video",
    mimeType: "video/x-msvideo",
    parts: [
      [0, "RIFF"],
      [8, "AVI "],
    ],
  },
  { kind: "binary", mimeType: "application/zip", parts: [[0, "PK\x03\x04"]] },
  { kind: "binary", mimeType: "application/gzip", parts: [[0, "\x1f\x8b"]] },
];

const TEXT: MediaType = { kind: "text", mimeType: "text/plain" };
const BINARY: MediaType = { kind: "binary", mimeType: "application/octet-stream" };

/** Bytes at the beginning of a file that are searched for control characters that do not occur in text. */
const HEAD_BYTES = 8192;
const HEAD_CHARACTERS = 64;

/**
 * Returns the type of a file by its bytes, ignoring its name and its declared type. A file that begins like a known
 * format has that type, even if the rest is damaged. Any other file is text unless its first 8 KiB contain control
 * characters that do not occur in text. UTF-16 is text if it has a byte-order mark. An empty file is text.
 */
export function mediaTypeOf(bytes: Uint8Array): MediaType {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_CHARACTERS)).toString("latin1");
  const found = SIGNATURES.find(({ parts }) => parts.every(([offset, part]) => head.startsWith(part, offset)));
  if (found) return { kind: found.kind, mimeType: found.mimeType };
  if (head.startsWith("\xff\xfe") || head.startsWith("\xfe\xff")) return TEXT;
  return bytes.subarray(0, HEAD_BYTES).some(isForeignToText) ? BINARY : TEXT;
}

/** Decodes a file as UTF-16 if it has that byte-order mark, else as UTF-8. Invalid bytes become U+FFFD. */
export function decodeText(bytes: Uint8Array): string {
  const encoding =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

/** True for control characters other than bell, backspace, tab, line ends, form feed and escape. */
function isForeignToText(byte: number): boolean {
  return byte < 7 || (byte > 13 && byte < 32 && byte !== 27);
}

/** True if the first 8 KiB of a GIF or WebP file show that it is animated. */
export function isAnimated(bytes: Uint8Array, { mimeType }: MediaType): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES));
  if (mimeType === "image/gif") return head.includes("NETSCAPE2.0") || head.includes("ANIMEXTS1.0");
  return mimeType === "image/webp" && head.includes("VP8X") && head.includes("ANIM");
}

const JPEG_SCAN = Buffer.from([0xff, 0xda]);
const JPEG_END = Buffer.from([0xff, 0xd9]);

/**
 * True for a JPEG that ends within its last scan; decoders fill the rest of such an image with grey. Neither marker can
 * occur inside the data of a scan.
 */
export function isTruncatedJpeg(bytes: Uint8Array): boolean {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return data.lastIndexOf(JPEG_END) <= data.lastIndexOf(JPEG_SCAN);
}

/** Formats a number of bytes for people: `812 bytes`, `4.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  const [unit, size] = bytes < 1e6 ? (["kB", 1e3] as const) : (["MB", 1e6] as const);
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
