import { crc32, deflateSync } from "node:zlib";

/** A colour of each pixel of an image. */
export type Paint = (x: number, y: number) => readonly [red: number, green: number, blue: number];

const GRADIENT: Paint = (x, y) => [x & 255, y & 255, (x + y) & 255];

/** Compresses badly, like a photograph with much detail; the same on every run. */
export const NOISE: Paint = (x, y) => {
  const hash = Math.imul((x * 73856093) ^ (y * 19349663), 0x9e3779b1) >>> 8;
  return [hash & 255, (hash >> 8) & 255, (hash >> 16) & 255];
};

/** A PNG of 8-bit RGB pixels. */
export function png(width: number, height: number, paint: Paint = GRADIENT): Buffer {
  const stride = 1 + width * 3;
  const rows = Buffer.alloc(height * stride);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(paint(x, y), y * stride + 1 + x * 3);
  }
  return pngOf(width, height, rows);
}

/** A PNG whose header claims a size and that holds no pixels. */
export function emptyPng(width: number, height: number): Buffer {
  return pngOf(width, height, Buffer.alloc(0));
}

/** A JPEG. */
export function jpeg(width: number, height: number, paint?: Paint, quality = 90): Promise<Buffer> {
  return new Bun.Image(png(width, height, paint)).jpeg({ quality }).buffer();
}

/** A WebP. */
export function webp(width: number, height: number): Promise<Buffer> {
  return new Bun.Image(png(width, height)).webp({ quality: 80 }).buffer();
}

/** A GIF of 1 x 1 pixels with two frames that are shown in turn. */
export const ANIMATED_GIF: Buffer = Buffer.concat([
  Buffer.from("GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff", "latin1"),
  Buffer.from("!\xff\x0bNETSCAPE2.0\x03\x01\0\0\0", "latin1"),
  ...[0, 1].map(() => Buffer.from("!\xf9\x04\x01\x0a\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0", "latin1")),
  Buffer.from(";"),
]);

/** A BMP of 2 x 2 pixels. */
export function bmp(): Buffer {
  const file = Buffer.alloc(70);
  file.write("BM");
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(54, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(2, 18);
  file.writeInt32LE(2, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  return file;
}

/** The beginning of a HEIC file. */
export const HEIC: Buffer = Buffer.concat([Buffer.from("\0\0\0\x18ftypheic", "latin1"), Buffer.alloc(100)]);

/** A PDF of one empty page. */
export const PDF: Buffer = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
);

/** A WAV of a tenth of a second of silence. */
export function wav(): Buffer {
  const samples = 800;
  const file = Buffer.alloc(44 + samples, 0x80);
  file.write("RIFF");
  file.writeUInt32LE(36 + samples, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(8000, 24);
  file.writeUInt32LE(8000, 28);
  file.writeUInt16LE(1, 32);
  file.writeUInt16LE(8, 34);
  file.write("data", 36);
  file.writeUInt32LE(samples, 40);
  return file;
}

function pngOf(width: number, height: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const pixels = deflateSync(rows, { level: 1 });
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", header),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  data.copy(framed, 8);
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length);
  return framed;
}
