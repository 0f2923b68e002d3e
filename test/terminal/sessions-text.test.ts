import { expect, test } from "bun:test";
import { type Block, type Message, toolResult } from "../../src/model/messages/message.ts";
import { createSession } from "../../src/runtime/session/session.ts";
import { documentOf } from "../../src/runtime/store/session-document.ts";
import { renderTranscript } from "../../src/terminal/sessions-text.ts";

const data = (mimeType: string, bytes: number) => ({
  kind: "data" as const,
  mimeType,
  data: Buffer.alloc(bytes).toString("base64"),
});

function shown(messages: Message[], options = {}): string {
  const session = {
    ...createSession("/home/dev"),
    items: messages.map((message) => ({ kind: "message" as const, agent: "root", message })),
  };
  return renderTranscript(documentOf(session), options).split("\n\n").slice(1).join("\n\n");
}

const reply: Block[] = [
  { type: "thinking", text: "Hm.\x1b[2J" },
  { type: "text", text: "Let me " },
  { type: "text", text: "see." },
  { type: "thinking", text: "" },
  { type: "tool_call", id: "c1", name: "shell", arguments: '{"cmd":"ls\\nroot: forged"}' },
  { type: "text", text: "And on." },
];

test("texts and calls are in their original order; thinking is shown on request", () => {
  const turn: Message = { role: "assistant", blocks: reply };
  expect(shown([turn])).toBe("root: Let me see.\n\nroot calls shell(cmd: ls\\nroot: forged)\n\nroot: And on.");
  expect(shown([turn], { thinking: true })).toBe(
    "root thinks: Hm.\n\nroot: Let me see.\n\nroot calls shell(cmd: ls\\nroot: forged)\n\nroot: And on.",
  );
  expect(shown([{ role: "assistant", blocks: [{ type: "refusal", text: "No." }] }])).toBe("root: No.");
});

test("media are shown in place, with type and size", () => {
  const user: Message = {
    role: "user",
    blocks: [
      { type: "text", text: "one" },
      { type: "image", source: data("image/png", 1200) },
      { type: "text", text: "two" },
      { type: "image", source: { kind: "url", url: "https://x.example/a\nroot: forged" } },
      { type: "document", name: "a.pdf", source: data("application/pdf", 7) },
    ],
  };
  expect(shown([user])).toBe(
    [
      "user: one",
      "[image (image/png, 1.2 kB)]",
      "two",
      "[image (https://x.example/a root: forged)]",
      "[document a.pdf (application/pdf, 7 bytes)]",
    ].join("\n"),
  );
  const result = toolResult(
    "c1",
    [
      { type: "text", text: "shot" },
      { type: "audio", source: data("audio/wav", 7) },
    ],
    true,
  );
  expect(shown([result])).toBe("tool result (error): shot\n[audio (audio/wav, 7 bytes)]");
});
