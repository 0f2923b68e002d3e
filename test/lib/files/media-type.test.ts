import { describe, expect, test } from "bun:test";
import {
  decodeText,
  formatBytes,
  isAnimated,
  isTruncatedJpeg,
  mediaTypeOf,
} from "../../../src/lib/files/media-type.ts";
import { ANIMATED_GIF, bmp, emptyPng, HEIC, jpeg, PDF, png, wav, webp } from "../../helpers/images.ts";

const latin1 = (text: string) => Buffer.from(text, "latin1");

const photo = await jpeg(2, 2);
const picture = await webp(2, 2);

describe("mediaTypeOf", () => {
  test.each([
    ["PNG", png(2, 2), "image", "image/png"],
    ["a PNG that claims 60,000 x 60,000 pixels", emptyPng(60_000, 60_000), "image", "image/png"],
    ["a PNG that is cut off", png(20, 20).subarray(0, 40), "image", "image/png"],
    ["JPEG", photo, "image", "image/jpeg"],
    ["WebP", picture, "image", "image/webp"],
    ["GIF", ANIMATED_GIF, "image", "image/gif"],
    ["BMP", bmp(), "image", "image/bmp"],
    ["HEIC", HEIC, "image", "image/heic"],
    ["AVIF", latin1("\0\0\0\x1cftypavif\0\0\0\0"), "image", "image/avif"],
    ["TIFF", latin1("II*\0\x08\0\0\0"), "image", "image/tiff"],
    ["PDF", PDF, "document", "application/pdf"],
    ["WAV", wav(), "audio", "audio/wav"],
    ["MP3 with a tag", latin1("ID3\x04\0\0"), "audio", "audio/mpeg"],
    ["MP3 without a tag", latin1("\xff\xfb\x90\x64"), "audio", "audio/mpeg"],
    ["Ogg", latin1("OggS\0\x02"), "audio", "audio/ogg"],
    ["FLAC", latin1("fLaC\0\0\0\x22"), "audio", "audio/flac"],
    ["AAC", latin1("\xff\xf1\x50\x80"), "audio", "audio/aac"],
    ["M4A", latin1("\0\0\0\x20ftypM4A \0\0\0\0"), "audio", "audio/mp4"],
    ["MP4", latin1("\0\0\0\x20ftypisom\0\0\0\0"), "video", "video/mp4"],
    ["ZIP", latin1("PK\x03\x04\x14\0"), "binary", "application/zip"],
    ["a program", latin1("\x7fELF\x02\x01\x01\0"), "binary", "application/octet-stream"],
    ["text", Buffer.from("é\t\r\n\x1b[1m"), "text", "text/plain"],
    ["text that is not UTF-8", latin1("caf\xe9\n"), "text", "text/plain"],
    ["UTF-16 with a byte-order mark", Buffer.from("\ufeffhi", "utf16le"), "text", "text/plain"],
    ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "text", "text/plain"],
    ["text that begins like a BMP", Buffer.from("BM is a file format of Windows"), "text", "text/plain"],
    ["an empty file", Buffer.alloc(0), "text", "text/plain"],
  ] as const)("%s", (_name, bytes, kind, mimeType) => {
    expect(mediaTypeOf(bytes)).toEqual({ kind, mimeType });
  });

  test("looks at the bytes of the view only", () => {
    const file = Buffer.concat([Buffer.from("junk"), png(1, 1)]);
    expect(mediaTypeOf(file.subarray(4)).mimeType).toBe("image/png");
  });
});

test("an animated GIF is recognised, a still one is not", () => {
  const type = mediaTypeOf(ANIMATED_GIF);
  expect(isAnimated(ANIMATED_GIF, type)).toBe(true);
  const still = Buffer.from(ANIMATED_GIF.toString("latin1").replace("NETSCAPE", "NOTHING!"), "latin1");
  expect(isAnimated(still, type)).toBe(false);
  expect(isAnimated(png(1, 1), mediaTypeOf(png(1, 1)))).toBe(false);
});

test("a JPEG without its end is truncated, one with bytes after its end is not", async () => {
  const whole = await jpeg(64, 64);
  expect(isTruncatedJpeg(whole)).toBe(false);
  expect(isTruncatedJpeg(Buffer.concat([whole, Buffer.from("more")]))).toBe(false);
  expect(isTruncatedJpeg(whole.subarray(0, -2))).toBe(true);
  expect(isTruncatedJpeg(whole.subarray(0, whole.length >> 1))).toBe(true);
});

test.each([
  [0, "0 bytes"],
  [1, "1 byte"],
  [999, "999 bytes"],
  [1500, "1.5 kB"],
  [30_000_000, "30.0 MB"],
])("formatBytes(%d)", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("decodeText takes UTF-16 for what its byte-order mark says", () => {
  const little = Buffer.from("\ufeffhé", "utf16le");
  expect(decodeText(little)).toBe("hé");
  expect(decodeText(Buffer.from(little).swap16())).toBe("hé");
  expect(decodeText(Buffer.from("\ufeffhé"))).toBe("hé");
});
