import { type Help, UserError, type UserErrorOptions } from "../errors.ts";
import { openImage } from "../platform.ts";
import { rejectOnAbort, settleWithin } from "../settle-within.ts";
import { formatBytes, isAnimated, isTruncatedJpeg, type MediaType } from "./media-type.ts";

const IMAGE_CANNOT_BE_SENT: Help = {
  cause: "The image is too large, damaged, or of a kind that cannot be decoded here.",
  cure: "Use a smaller file or another format: PNG or JPEG. The conversation goes on: the model reads a note in place of the file.",
};

/** An image that the vision models of every provider accept. */
export interface FittedImage {
  readonly bytes: Uint8Array;
  readonly mimeType: "image/png" | "image/jpeg";
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** For the model: the original that this image was converted from. Undefined if the image is unchanged. */
  readonly madeFrom: string | undefined;
}

/** An image that cannot be sent to a model. The message says why and does not name the file. */
export class UnusableImageError extends UserError {
  constructor(message: string, options?: UserErrorOptions) {
    super(message, { ...options, help: IMAGE_CANNOT_BE_SENT });
    this.name = "UnusableImageError";
  }
}

/**
 * Maximum pixels of the longer side. Anthropic refuses larger images in a request with more than 20 images, and most
 * models scale images down further: https://docs.claude.com/en/docs/build-with-claude/vision
 */
export const MAX_IMAGE_SIDE = 2000;

/** Groq accepts requests of up to 4 MB, base64 included: https://console.groq.com/docs/vision. Others accept more. */
export const MAX_IMAGE_BYTES = 2_500_000;

/** Decoding needs four bytes per pixel, and a file of a hundred bytes can claim any number of pixels. */
const MAX_PIXELS = 64 * 1024 * 1024;
const MAX_INPUT_BYTES = 64 * 1024 * 1024;
const TIME_LIMIT_MS = 30_000;

/** How a converted image is encoded. */
type Encoding = { side: number; format: "png" } | { side: number; format: "jpeg"; quality: number };

const LOSSLESS: Encoding = { side: MAX_IMAGE_SIDE, format: "png" };
const LOSSY: Encoding = { side: MAX_IMAGE_SIDE, format: "jpeg", quality: 85 };
/** Noise, which compresses worst, takes about one byte per pixel at this quality. */
const SMALL: Encoding = { side: MAX_IMAGE_SIDE / 2, format: "jpeg", quality: 75 };

/** The process decodes one image at a time, because each can take 256 MiB. */
let queue: Promise<unknown> = Promise.resolve();

/**
 * Checks an image by decoding it, and converts it to a PNG or JPEG of at most {@link MAX_IMAGE_SIDE} pixels per side
 * and {@link MAX_IMAGE_BYTES} bytes unless it is one already. Keeps only the first frame of an animation. Throws an
 * {@link UnusableImageError} if the image is damaged, too large to decode, in a format that this system cannot decode,
 * or takes longer than 30 s; the signal's reason if the signal aborts.
 */
export async function fitImage(bytes: Uint8Array, type: MediaType, signal: AbortSignal): Promise<FittedImage> {
  const fitted = queue.then(() => {
    signal.throwIfAborted();
    return settleWithin(fit(bytes, type), { ms: TIME_LIMIT_MS });
  });
  queue = fitted.catch(() => {});
  const settled = await rejectOnAbort(fitted, signal);
  if (settled.kind === "done") return settled.value;
  throw new UnusableImageError(`it could not be decoded within ${TIME_LIMIT_MS / 1000} s`);
}

async function fit(bytes: Uint8Array, type: MediaType): Promise<FittedImage> {
  if (bytes.length > MAX_INPUT_BYTES) {
    throw new UnusableImageError(
      `it has ${formatBytes(bytes.length)}; at most ${formatBytes(MAX_INPUT_BYTES)} are decoded`,
    );
  }
  const size = await imageSize(bytes, type);
  if (size.width * size.height > MAX_PIXELS) {
    const megapixels = Math.floor(MAX_PIXELS / 1e6);
    throw new UnusableImageError(`it has ${pixelText(size)} pixels; at most ${megapixels} megapixels are decoded`);
  }
  if (type.mimeType === "image/jpeg" && isTruncatedJpeg(bytes))
    throw new UnusableImageError("it is cut off: the end is missing");
  if (
    isPortable(type.mimeType) &&
    Math.max(size.width, size.height) <= MAX_IMAGE_SIDE &&
    bytes.length <= MAX_IMAGE_BYTES
  ) {
    await attempt(type, () => openImage(bytes, MAX_PIXELS).resize(1, 1).png().bytes());
    return { bytes, mimeType: type.mimeType, ...size, madeFrom: undefined };
  }
  return convert(bytes, type, size);
}

async function convert(bytes: Uint8Array, type: MediaType, original: Size): Promise<FittedImage> {
  const encodings = type.mimeType === "image/jpeg" ? [LOSSY, SMALL] : [LOSSLESS, LOSSY, SMALL];
  let encoded = await encode(bytes, type, encodings[0] ?? SMALL);
  for (const encoding of encodings.slice(1)) {
    if (encoded.bytes.length > MAX_IMAGE_BYTES) encoded = await encode(bytes, type, encoding);
  }
  const of = isAnimated(bytes, type) ? "the first frame of an animated" : "made from";
  return {
    ...encoded,
    madeFrom: `${of} ${type.mimeType}, ${pixelText(original)} pixels, ${formatBytes(bytes.length)}`,
  };
}

async function encode(bytes: Uint8Array, type: MediaType, encoding: Encoding): Promise<Omit<FittedImage, "madeFrom">> {
  const image = openImage(bytes, MAX_PIXELS);
  image.resize(encoding.side, encoding.side, { fit: "inside", withoutEnlargement: true });
  if (encoding.format === "png") image.png();
  else image.jpeg({ quality: encoding.quality });
  const encoded = await attempt(type, () => image.bytes());
  return { bytes: encoded, mimeType: `image/${encoding.format}`, width: image.width, height: image.height };
}

function isPortable(mimeType: string): mimeType is FittedImage["mimeType"] {
  return mimeType === "image/png" || mimeType === "image/jpeg";
}

/** Width and height in pixels. */
type Size = Pick<FittedImage, "width" | "height">;

/** Reads only the header. Throws an {@link UnusableImageError}. */
async function imageSize(bytes: Uint8Array, type: MediaType): Promise<Size> {
  const { width, height } = await attempt(type, () => openImage(bytes, Number.MAX_SAFE_INTEGER).metadata());
  return { width, height };
}

async function attempt<T>(type: MediaType, decode: () => Promise<T>): Promise<T> {
  try {
    return await decode();
  } catch (error) {
    throw new UnusableImageError(problemOf(error, type), { cause: error });
  }
}

function problemOf(error: unknown, { mimeType }: MediaType): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "ERR_IMAGE_FORMAT_UNSUPPORTED") {
    return `${mimeType} cannot be decoded on this system; convert it to PNG or JPEG first`;
  }
  if (code === "ERR_IMAGE_TOO_MANY_PIXELS") return "its header claims more pixels than can be decoded";
  return `it is damaged or cut off, or a kind of ${mimeType} that cannot be decoded`;
}

function pixelText({ width, height }: Size): string {
  return `${width} x ${height}`;
}
