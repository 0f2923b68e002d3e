import { describe, expect, test } from "bun:test";
import { toToolResult } from "../../../src/tools/mcp/tool-result.ts";
import { emptyPng, jpeg, PDF, png, wav } from "../../helpers/images.ts";

const result = (...content: unknown[]) => toToolResult({ content }, new AbortController().signal);
const base64 = (bytes: Buffer) => bytes.toString("base64");
const image = (bytes: Buffer, mimeType = "image/png") => ({ type: "image", data: base64(bytes), mimeType });
const blob = (bytes: Buffer, mimeType: string, name: string) => ({
  type: "resource",
  resource: { uri: `file:///a/${name}`, mimeType, blob: base64(bytes) },
});

describe("toToolResult", () => {
  test("attaches files with the type of their bytes", async () => {
    const photo = await jpeg(8, 8);
    const { text, attachments } = await result(image(photo), blob(PDF, "image/png", "a.png"), blob(wav(), "", "a"));
    expect(text).toBe("");
    expect(attachments).toEqual([
      { mimeType: "image/jpeg", data: base64(photo) },
      { mimeType: "application/pdf", data: base64(PDF), name: "a.png" },
      { mimeType: "audio/wav", data: base64(wav()), name: "a" },
    ]);
  });

  test("shows a text file as text", async () => {
    const { text, attachments } = await result(
      blob(Buffer.from("{}"), "application/json", "a.json"),
      image(Buffer.from("<svg/>"), "image/svg+xml"),
    );
    expect(text).toBe("[document a.json application/json]\n{}\n[image image/svg+xml]\n<svg/>");
    expect(attachments).toBeUndefined();
  });

  test("scales a large image down and says so", async () => {
    const { text, attachments } = await result(image(png(2500, 250)));
    expect(text).toMatch(
      /^\[image image\/png: image\/png, 2000 x 200 pixels, [\d.]+ kB; made from image\/png, 2500 x 250 pixels, .+\]$/,
    );
    expect(attachments?.length).toBe(1);
  });

  test("names each part that it leaves out, and why", async () => {
    const { text, attachments } = await result(
      image(emptyPng(60_000, 60_000)),
      image(png(20, 20).subarray(0, 60)),
      blob(Buffer.from("PK\x03\x04\0\0"), "application/vnd.ms-excel", "a]b.xlsx"),
      { type: "audio", data: base64(Buffer.alloc(99)), mimeType: "audio/L16" },
      { type: "image", data: "?", mimeType: "image/png" },
      { type: "hologram" },
    );
    expect(attachments).toBeUndefined();
    expect(text.split("\n")).toEqual([
      "[image image/png left out: it has 60000 x 60000 pixels; at most 67 megapixels are decoded]",
      "[image image/png left out: it is damaged or cut off, or a kind of image/png that cannot be decoded]",
      "[document a\\]b.xlsx application/vnd.ms-excel left out: models cannot be shown application/zip, 6 bytes]",
      "[audio audio/L16 left out: models cannot be shown application/octet-stream, 99 bytes]",
      "[image image/png left out: it holds no base64]",
      "[a part of the result was left out: it is not understood]",
    ]);
  });
});
