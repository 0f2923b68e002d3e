import { describe, expect, test } from "bun:test";
import {
  fileBlock,
  type MediaRules,
  mediaRules,
  replaceUnsupportedMedia,
  withCapabilities,
} from "../../../src/model/messages/media.ts";
import {
  type ContentBlock,
  type ImageBlock,
  type Message,
  textMessage,
  textOf,
  toolResult,
} from "../../../src/model/messages/message.ts";
import { jpeg, PDF, png, wav } from "../../helpers/images.ts";

const RULES: MediaRules = {
  image: ["image/png", "image/jpeg"],
  document: ["application/pdf"],
  audio: [],
  isAssumed: false,
  maxImages: 4,
  maxImageSize: 1000,
  maxTotalSize: 10_000,
};
const base64 = (bytes: Buffer) => bytes.toString("base64");
const pixel = base64(png(1, 1));
const image: ImageBlock = { type: "image", source: { kind: "data", mimeType: "image/png", data: pixel } };
const sound: ContentBlock = { type: "audio", source: { kind: "data", mimeType: "audio/wav", data: base64(wav()) } };
const paper: ContentBlock = {
  type: "document",
  name: "a.pdf",
  source: { kind: "data", mimeType: "application/pdf", data: base64(PDF) },
};
const user = (...blocks: ContentBlock[]): Message => ({ role: "user", blocks });
const shown = (messages: readonly Message[], rules: Partial<MediaRules> = {}) =>
  replaceUnsupportedMedia(messages, { ...RULES, ...rules }, "model-1");

describe("fileBlock", () => {
  test("follows the bytes, and the declared type if their format is unknown", async () => {
    const photo = base64(await jpeg(2, 2));
    expect(fileBlock({ mimeType: "image/png", data: photo })).toEqual({
      type: "image",
      source: { kind: "data", mimeType: "image/jpeg", data: photo },
    });
    expect(fileBlock({ mimeType: "image/png", data: base64(PDF), name: "a.pdf" })).toEqual(paper);
    expect(fileBlock({ mimeType: "", data: base64(wav()) })).toEqual(sound);
    expect(fileBlock({ mimeType: "image/png", data: base64(Buffer.from("é")) })).toEqual({ type: "text", text: "é" });
    const odd = base64(Buffer.from([1, 2, 3]));
    expect(fileBlock({ mimeType: "image/jxl", data: odd })).toEqual({
      type: "image",
      source: { kind: "data", mimeType: "image/jxl", data: odd },
    });
    expect(fileBlock({ mimeType: "a/b", data: odd })).toEqual({
      type: "document",
      name: "file",
      source: { kind: "data", mimeType: "a/b", data: odd },
    });
  });
});

describe("replaceUnsupportedMedia", () => {
  test("keeps files that the model accepts", () => {
    const messages = [textMessage("user", "hi"), user(image, paper), toolResult("c1", [image])];
    expect(shown(messages)).toEqual(messages);
    expect(shown(messages)[0]).toBe(messages[0] as Message);
    const plain = [textMessage("user", "hi")];
    expect(shown(plain)).toBe(plain);
  });

  test("replaces each file that the model does not accept by its name", () => {
    const [asked, answered] = shown([user(image, { type: "text", text: "hi" }), toolResult("c1", [sound, paper])], {
      image: [],
      document: [],
    });
    expect(asked && textOf(asked)).toBe(
      `[image (image/png, ${png(1, 1).length} bytes) left out: model-1 takes no images]\nhi`,
    );
    expect(answered && textOf(answered)).toBe(
      "[audio (audio/wav, 844 bytes) left out: model-1 takes no audio]\n" +
        `[document a.pdf (application/pdf, ${PDF.length} bytes) left out: model-1 takes no documents]`,
    );
    expect(answered?.blocks[0]).toMatchObject({ type: "tool_result", callId: "c1" });
  });

  test("replaces a file of an unsupported type or size by its name", () => {
    const webp: ImageBlock = { type: "image", source: { kind: "data", mimeType: "image/webp", data: pixel } };
    const large: ImageBlock = {
      type: "image",
      source: { kind: "data", mimeType: "image/png", data: "A".repeat(1001) },
    };
    const [message] = shown([user(webp, large)]);
    expect(message && textOf(message).split("\n")).toEqual([
      `[image (image/webp, ${png(1, 1).length} bytes) left out: model-1 takes only image/png, image/jpeg]`,
      "[image (image/png, 750 bytes) left out: model-1 takes images of at most 750 bytes]",
    ]);
  });

  test("inserts a text file as text", () => {
    const notes: ContentBlock = {
      type: "document",
      name: "a.csv",
      source: { kind: "data", mimeType: "text/csv", data: base64(Buffer.from("é,b")) },
    };
    const [message] = shown([user(notes)]);
    expect(message && textOf(message)).toBe("a.csv:\né,b");
  });

  test("drops the oldest files beyond the limits, in steps", () => {
    const texts = (count: number, rules: Partial<MediaRules> = {}) => {
      const messages = Array.from({ length: count }, () => user({ ...image }));
      return shown(messages, rules)
        .map(({ blocks }) => (blocks[0]?.type === "image" ? "+" : "-"))
        .join("");
    };
    expect([4, 5, 6, 9].map((count) => texts(count))).toEqual(["++++", "-++++", "--++++", "-----++++"]);
    expect([8, 9, 10, 11].map((count) => texts(count, { maxImages: 8 }))).toEqual([
      "++++++++",
      "--+++++++",
      "--++++++++",
      "----+++++++",
    ]);
    expect(texts(3, { maxTotalSize: pixel.length * 2 })).toBe("-++");
    expect(texts(1, { maxTotalSize: 1 })).toBe("+");
  });

  test("keeps an image given by URL", () => {
    const linked = user({ type: "image", source: { kind: "url", url: "https://example.com/a.png" } });
    expect(shown([linked])).toEqual([linked]);
    const [message] = shown([linked], { image: [] });
    expect(message && textOf(message)).toBe("[image (https://example.com/a.png) left out: model-1 takes no images]");
  });
});

describe("withCapabilities", () => {
  const assumed: MediaRules = { ...RULES, document: [], isAssumed: true };
  test.each([
    ["nothing declared", {}, assumed.image, [], true],
    [
      "images and PDF",
      { image: true, pdf: true },
      ["image/png", "image/jpeg", "image/gif", "image/webp"],
      ["application/pdf"],
      false,
    ],
    ["neither", { image: false, pdf: false }, [], [], false],
    ["PDF", { pdf: true }, assumed.image, ["application/pdf"], true],
  ] as const)("%s", (_name, declared, image, document, isAssumed) => {
    expect(withCapabilities(assumed, declared)).toMatchObject({ image, document, isAssumed });
  });

  test("keeps the types of a family that is known to accept images", () => {
    expect(withCapabilities(RULES, { image: true }).image).toEqual(RULES.image);
  });
});

describe("mediaRules", () => {
  const family = { media: { ...RULES, audio: ["audio/wav"] } };
  const rules = (spec: object, more: object = {}) => mediaRules({ family, api: "chat", row: {}, spec, ...more });

  test("are those of the family", () => expect(rules({})).toEqual(family.media));

  test("exclude audio if the API cannot carry it", () => {
    expect(rules({}, { api: "responses" })).toEqual({ ...family.media, audio: [] });
  });

  test("follow the options of Docker Model Runner, which capabilities override", () => {
    const options = { provider_opts: { supports_images: false, supports_pdf: false } };
    expect(rules(options, { row: { isLocalEngine: true } })).toMatchObject({ image: [], document: [] });
    expect(rules({ ...options, capabilities: { image: true } }, { row: { isLocalEngine: true } })).toMatchObject({
      image: RULES.image,
      document: [],
    });
    expect(rules(options)).toEqual(family.media);
    expect(rules({ provider_opts: { supports_images: "no" } }, { row: { isLocalEngine: true } })).toEqual(family.media);
  });
});
