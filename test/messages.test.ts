import { expect, test } from "bun:test";
import { messageAreas, messagesOf } from "../scripts/messages/message-entries.ts";
import { scanMessages } from "../scripts/messages/scan-messages.ts";

test("each message of the source has an entry in scripts/messages, and each entry is a message of the source", async () => {
  const found = await scanMessages();
  const texts = new Set(found.map(({ text }) => text));
  const entries = messagesOf(await messageAreas());
  const missing = found
    .filter(({ text }) => !entries.includes(text))
    .map(({ text, file }) => `${file}: - ${JSON.stringify(text)}`);
  expect({
    "add to a family in scripts/messages/*.yaml": missing,
    "remove from scripts/messages/*.yaml": entries.filter((entry) => !texts.has(entry)),
  }).toEqual({ "add to a family in scripts/messages/*.yaml": [], "remove from scripts/messages/*.yaml": [] });
  expect(texts.size).toBeGreaterThan(1000);
});

test("no message has two entries", async () => {
  const entries = messagesOf(await messageAreas());
  expect(entries.filter((entry, at) => entries.indexOf(entry) !== at)).toEqual([]);
});
