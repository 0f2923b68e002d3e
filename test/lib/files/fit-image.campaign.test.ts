import { expect, test } from "bun:test";
import { fitImage, MAX_IMAGE_BYTES, MAX_IMAGE_SIDE } from "../../../src/lib/files/fit-image.ts";
import { mediaTypeOf } from "../../../src/lib/files/media-type.ts";
import { jpeg, NOISE, png } from "../../helpers/images.ts";

const fit = (bytes: Buffer) => fitImage(bytes, mediaTypeOf(bytes), new AbortController().signal);

test("scales a photograph of 30 MB down to a JPEG below the limit", async () => {
  const photo = await jpeg(4200, 3200, NOISE, 100);
  expect(photo.length).toBeGreaterThan(20_000_000);
  const fitted = await fit(photo);
  expect(fitted.mimeType).toBe("image/jpeg");
  expect(fitted.bytes.length).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
  expect(Math.max(fitted.width, fitted.height)).toBeLessThanOrEqual(MAX_IMAGE_SIDE);
});

test("writes a PNG with too many bytes as JPEG", async () => {
  const fitted = await fit(png(1500, 1500, NOISE));
  expect(fitted.mimeType).toBe("image/jpeg");
  expect(fitted.bytes.length).toBeLessThanOrEqual(MAX_IMAGE_BYTES);
});
