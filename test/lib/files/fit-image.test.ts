import { describe, expect, test } from "bun:test";
import { fitImage, MAX_IMAGE_SIDE, UnusableImageError } from "../../../src/lib/files/fit-image.ts";
import { mediaTypeOf } from "../../../src/lib/files/media-type.ts";
import { ANIMATED_GIF, bmp, emptyPng, HEIC, jpeg, NOISE, png, webp } from "../../helpers/images.ts";
import { settled } from "../../helpers/settled.ts";

const fit = (bytes: Buffer, signal = new AbortController().signal) => fitImage(bytes, mediaTypeOf(bytes), signal);

const whole = png(64, 64, NOISE);
const flipped = Buffer.from(whole);
flipped[whole.length >> 1] = (flipped[whole.length >> 1] ?? 0) ^ 255;
const photo = await jpeg(64, 64, NOISE);
const picture = await webp(64, 64);
const still = await webp(40, 30);

describe("fitImage", () => {
  test("keeps the bytes of a PNG or JPEG that fits", async () => {
    for (const bytes of [png(300, 200), await jpeg(300, 200)]) {
      const { mimeType } = mediaTypeOf(bytes);
      expect(await fit(bytes)).toEqual({ bytes, mimeType, width: 300, height: 200, madeFrom: undefined } as never);
    }
  });

  test("scales down a large image and describes the original", async () => {
    const bytes = png(4000, 1000, () => [200, 30, 30]);
    const fitted = await fit(bytes);
    expect(fitted).toMatchObject({ mimeType: "image/png", width: MAX_IMAGE_SIDE, height: 500 });
    expect(fitted.madeFrom).toMatch(/^made from image\/png, 4000 x 1000 pixels, [\d.]+ kB$/);
    expect(await new Bun.Image(fitted.bytes).metadata()).toEqual({ width: 2000, height: 500, format: "png" });
  });

  test.each([
    ["WebP", still],
    ["BMP", bmp()],
    ["GIF", ANIMATED_GIF],
  ])("makes a PNG of a %s", async (_name, bytes) => {
    const fitted = await fit(bytes);
    expect(fitted.mimeType).toBe("image/png");
    expect(mediaTypeOf(fitted.bytes).mimeType).toBe("image/png");
    expect(fitted.madeFrom).toContain(mediaTypeOf(bytes).mimeType);
  });

  test("says that only the first frame of an animation is left", async () => {
    expect((await fit(ANIMATED_GIF)).madeFrom).toContain("the first frame of an animated image/gif, 1 x 1 pixels");
  });

  test("refuses a header that claims more pixels than can be decoded, without decoding", async () => {
    const before = process.memoryUsage().rss;
    expect(await settled(fit(emptyPng(60_000, 60_000)))).toThrow(
      "it has 60000 x 60000 pixels; at most 67 megapixels are decoded",
    );
    expect(await settled(fit(emptyPng(2 ** 31 - 1, 2 ** 31 - 1)))).toThrow("more pixels than can be decoded");
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  test.each([
    ["a PNG that is cut off", whole.subarray(0, whole.length >> 1), "it is damaged or cut off"],
    ["a PNG with a wrong byte", flipped, "it is damaged or cut off"],
    ["a PNG without pixels", emptyPng(0, 0), "it is damaged or cut off"],
    ["a JPEG that is cut off", photo.subarray(0, photo.length >> 1), "it is cut off: the end is missing"],
    ["a JPEG without anything", photo.subarray(0, 4), "it is damaged or cut off"],
    ["a WebP that is cut off", picture.subarray(0, picture.length >> 1), "it is damaged or cut off"],
    ["a GIF that is cut off", ANIMATED_GIF.subarray(0, 12), "it is damaged or cut off"],
  ])("refuses %s", async (_name, bytes, problem) => {
    expect(await settled(fit(bytes))).toThrow(problem);
  });

  test.if(process.platform === "linux")("says what to do about a format that the system cannot decode", async () => {
    expect(await settled(fit(HEIC))).toThrow(
      "image/heic cannot be decoded on this system; convert it to PNG or JPEG first",
    );
  });

  test("ends with its signal", async () => {
    expect(await settled(fit(png(2, 2), AbortSignal.abort(new Error("canceled"))))).toThrow("canceled");
  });

  test("returns an image or an error for any damage", async () => {
    const seeds = [whole, photo, still, ANIMATED_GIF, bmp()];
    let random = 1;
    const below = (limit: number) => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((random / 2 ** 32) * limit);
    };
    for (let round = 0; round < 500; round++) {
      const bytes = Buffer.from(seeds[round % seeds.length] ?? "");
      for (let change = 0; change <= below(5); change++)
        bytes[below(round % 2 === 0 ? 60 : bytes.length) % bytes.length] = below(256);
      const type = mediaTypeOf(bytes);
      if (type.kind !== "image") continue;
      const outcome = await fit(bytes).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(UnusableImageError);
      else expect(outcome).toHaveProperty("mimeType");
    }
  });

  test("continues after an image that failed", async () => {
    const images = [whole.subarray(0, 60), whole, whole.subarray(0, 60), whole].map((bytes) => fit(bytes));
    expect((await Promise.allSettled(images)).map(({ status }) => status)).toEqual([
      "rejected",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
});
