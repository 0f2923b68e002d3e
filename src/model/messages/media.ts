import { decodeText, formatBytes, mediaTypeOf } from "../../lib/files/media-type.ts";
import {
  type Block,
  type ContentBlock,
  isMedia,
  type MediaBlock,
  type MediaSource,
  type Message,
  mediaIn,
} from "./message.ts";

/** The media that a model accepts in user messages and tool results. */
export interface MediaRules {
  /** MIME types of accepted images; empty if none are. `document` and `audio` alike. */
  readonly image: readonly string[];
  readonly document: readonly string[];
  readonly audio: readonly string[];
  /** True if no documentation lists the accepted media, so that any file may be the reason for a refused request. */
  readonly isAssumed: boolean;
  /** Maximum number of images in one request. */
  readonly maxImages: number;
  /** Maximum number of base64 characters of one image, and of all media in one request. */
  readonly maxImageSize: number;
  readonly maxTotalSize: number;
}

/** The `capabilities` of a model in the agent file; they take precedence over the row of its family. */
export interface Capabilities {
  readonly image?: boolean | undefined;
  readonly pdf?: boolean | undefined;
}

const ANY_IMAGE: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const PDF: readonly string[] = ["application/pdf"];

/** For a model that accepts only text. */
export const TEXT_ONLY: MediaRules = {
  image: [],
  document: [],
  audio: [],
  isAssumed: false,
  maxImages: 100,
  maxImageSize: 20_000_000,
  maxTotalSize: 50_000_000,
};

/**
 * For a model that no row of the families describes. Most servers accept images of these types if the model has vision,
 * and refuse the request if it does not.
 */
export const ASSUMED_MEDIA: MediaRules = { ...TEXT_ONLY, image: ["image/png", "image/jpeg"], isAssumed: true };

/** For a model that accepts images. */
export const IMAGES: MediaRules = { ...TEXT_ONLY, image: ANY_IMAGE };

/** For a model that accepts images and PDF. */
export const IMAGES_AND_PDF: MediaRules = { ...IMAGES, document: PDF };

/**
 * Returns the media that a model accepts: its family's, changed by the agent file, limited to what its API can carry.
 */
export function mediaRules({ family: { media }, api, row, spec }: MediaSubject): MediaRules {
  const { supports_images: image, supports_pdf: pdf } = row.isLocalEngine ? (spec.provider_opts ?? {}) : {};
  const declared = { ...booleans({ image, pdf }), ...booleans(spec.capabilities ?? {}) };
  const rules = withCapabilities(media, declared);
  // https://platform.openai.com/docs/api-reference/responses/create: no kind of input holds audio.
  return api === "responses" ? { ...rules, audio: [] } : rules;
}

/** The parts of a `ResolvedModel` that the rules depend on. */
interface MediaSubject {
  readonly family: { readonly media: MediaRules };
  readonly api: string;
  readonly row: { readonly isLocalEngine?: true };
  readonly spec: {
    readonly capabilities?: Capabilities | undefined;
    readonly provider_opts?: Readonly<Record<string, unknown>> | undefined;
  };
}

function booleans(given: object): Capabilities {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === "boolean"));
}

/** Applies the agent file's `capabilities` to the rules of a family. */
export function withCapabilities(rules: MediaRules, { image, pdf }: Capabilities): MediaRules {
  const images = image === false ? [] : rules.image.length > 0 && !rules.isAssumed ? rules.image : ANY_IMAGE;
  return {
    ...rules,
    ...(image === undefined ? {} : { image: images, isAssumed: false }),
    ...(pdf === undefined ? {} : { document: pdf ? PDF : [] }),
  };
}

/**
 * Returns a file as a block. Its bytes decide whether it is an image, audio, a document or text; `mimeType` counts only
 * if the format of the bytes is unknown. `data` is base64.
 */
export function fileBlock({ mimeType, data, name }: { mimeType: string; data: string; name?: string }): ContentBlock {
  const found = mediaTypeOf(Buffer.from(data.slice(0, HEAD_CHARACTERS), "base64"));
  if (found.kind === "text") return { type: "text", text: decodeText(Buffer.from(data, "base64")) };
  const type = found.mimeType === "application/octet-stream" ? mimeType : found.mimeType;
  const source: MediaSource = { kind: "data", mimeType: type, data };
  if (type.startsWith("image/")) return { type: "image", source };
  return type.startsWith("audio/") ? { type: "audio", source } : { type: "document", name: name || "file", source };
}

/** Base64 of 12 KiB, more than {@link mediaTypeOf} reads. */
const HEAD_CHARACTERS = 16_384;

/**
 * Replaces every file that the model does not accept by a text that names it: unsupported kinds and types, images that
 * are too large, and the oldest files of a request that holds too many. Messages without such files stay the same
 * objects.
 */
export function replaceUnsupportedMedia(
  messages: readonly Message[],
  rules: MediaRules,
  model: string,
): readonly Message[] {
  const media = mediaIn(messages);
  if (media.length === 0) return messages;
  const reasons = new Map<Block, string>();
  for (const block of media) {
    const reason = unsupportedReason(block, rules, model);
    if (reason !== undefined) reasons.set(block, reason);
  }
  const taken = media.filter((block) => !reasons.has(block));
  for (const block of oldestBeyondLimits(taken, rules))
    reasons.set(block, "the request holds too many files, newer ones are shown");
  return messages.map((message) =>
    replaceMedia(message, (block) => {
      const reason = reasons.get(block);
      if (reason === undefined) return undefined;
      return textIn(block) ?? `[${describeMedia(block)} left out: ${reason}]`;
    }),
  );
}

/** Returns the text of a text file, which every model accepts as text; undefined for other files. */
function textIn(block: MediaBlock): string | undefined {
  if (block.type !== "document" || block.source.kind === "url" || !block.source.mimeType.startsWith("text/"))
    return undefined;
  return `${block.name}:\n${decodeText(Buffer.from(block.source.data, "base64"))}`;
}

/** Returns the files that a request sends to the model. */
export function mediaSentTo(
  { media: rules, id }: { readonly media?: MediaRules; readonly id: string },
  messages: readonly Message[],
): MediaBlock[] {
  return mediaIn(rules ? replaceUnsupportedMedia(messages, rules, id) : messages);
}

/** Returns why a model does not accept a file; undefined if it does. */
export function unsupportedReason(block: MediaBlock, rules: MediaRules, model: string): string | undefined {
  const types = rules[block.type];
  if (types.length === 0) return `${model} takes no ${PLURALS[block.type]}`;
  if (block.source.kind === "url") return undefined;
  const { mimeType, data } = block.source;
  if (!types.includes(mimeType)) return `${model} takes only ${types.join(", ")}`;
  if (block.type === "image" && data.length > rules.maxImageSize) {
    return `${model} takes images of at most ${formatBytes(Math.floor((rules.maxImageSize * 3) / 4))}`;
  }
  return undefined;
}

const PLURALS: Readonly<Record<MediaBlock["type"], string>> = {
  image: "images",
  document: "documents",
  audio: "audio",
};

/**
 * Returns the oldest files of a request that holds too many. Their number grows in steps, so that an added file rarely
 * changes the beginning of the conversation, which providers cache.
 */
function oldestBeyondLimits(
  media: readonly MediaBlock[],
  { maxImages, maxTotalSize }: MediaRules,
): readonly MediaBlock[] {
  const step = Math.max(1, Math.floor(maxImages / 4));
  let count = 0;
  for (;;) {
    const kept = media.slice(count);
    const images = kept.filter(({ type }) => type === "image").length;
    const size = kept.reduce((sum, { source }) => sum + (source.kind === "data" ? source.data.length : 0), 0);
    if (images <= maxImages && (size <= maxTotalSize || kept.length <= 1)) return media.slice(0, count);
    count = Math.min(media.length - 1, count + step);
  }
}

/** Replaces each file for which `replace` returns a text. Returns the same message if it replaced nothing. */
export function replaceMedia(message: Message, replace: (block: MediaBlock) => string | undefined): Message {
  let changed = false;
  const swap = <T extends Block>(block: T): T | ContentBlock => {
    const text = isMedia(block) ? replace(block) : undefined;
    if (text === undefined) return block;
    changed = true;
    return { type: "text", text };
  };
  const blocks = message.blocks.map(
    (block): Block => (block.type === "tool_result" ? { ...block, blocks: block.blocks.map(swap) } : swap(block)),
  );
  return changed ? { ...message, blocks } : message;
}

/** Describes a file, for example `document report.pdf (application/pdf, 1.2 MB)`. */
export function describeMedia(block: MediaBlock): string {
  const { type, source } = block;
  const name = type === "document" ? `document ${block.name}` : type;
  if (source.kind === "url") return `${name} (${source.url})`;
  return `${name} (${source.mimeType}, ${formatBytes(Buffer.byteLength(source.data, "base64"))})`;
}
