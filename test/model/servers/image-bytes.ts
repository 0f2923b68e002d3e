/** The image types that model providers accept, each with the first bytes of its files. */
const SIGNATURES: readonly (readonly [type: string, pattern: RegExp])[] = [
  ["image/png", /^\x89PNG\r\n\x1a\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[^]{4}WEBP/],
];

/** Returns the media type of base64 data by its first bytes; undefined if it is not an image. */
export function imageTypeOf(data: string): string | undefined {
  const start = Buffer.from(data.slice(0, 64), "base64").toString("latin1");
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
}

/** A PNG of one pixel, base64. */
export const PIXEL_PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
