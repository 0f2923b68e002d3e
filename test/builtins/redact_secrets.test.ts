import { describe, expect, test } from "bun:test";
import { run } from "../../builtins/redact_secrets.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import type { Message } from "../../src/protocol/fields.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";

const BODY = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
const TOKEN = ["ghp", BODY].join("_");
const AWS_KEY = ["AbCdEfGhIjKlMnOpQrSt", "0123456789+aBcDeFgH"].join("/");

const call = (input: Partial<BuiltinInput> & Pick<BuiltinInput, "hook_event_name">) => callBuiltin(run, input);
const answer = async (input: Parameters<typeof call>[0]) => (await call(input)).output?.hook_specific_output;
const respond = async (tool_response: unknown) =>
  (await answer({ hook_event_name: "tool_response_transform", tool_response }))?.updated_tool_response;
const patch = async (tool_input: Record<string, unknown>) =>
  (await answer({ hook_event_name: "pre_tool_use", tool_input }))?.updated_input;
const send = async (...messages: Message[]) =>
  (await answer({ hook_event_name: "before_llm_call", messages }))?.updated_messages;
const sendArguments = async (text: string) =>
  (await send({ role: "assistant", tool_calls: [{ id: "1", function: { name: "f", arguments: text } }] }))?.[0]
    ?.tool_calls?.[0]?.function.arguments ?? text;

const WITH_INPUT = ["pre_tool_use", "tool_input_transform"] as const;

test.each(WITH_INPUT)("on %s only the changed arguments are answered", async (event) => {
  const tool_input = { cmd: "ls", deep: [{ env: ["A=1", `T=${TOKEN}!`] }], n: 7 };
  const { output } = await call({ hook_event_name: event, tool_name: "shell", tool_input });
  expect(output).toEqual({
    system_message: 'redact_secrets: redacted secret material from arguments of tool "shell"',
    hook_specific_output: { hook_event_name: event, updated_input: { deep: [{ env: ["A=1", "T=[REDACTED]!"] }] } },
  });
});

test("on response_guard the answer is redacted", async () => {
  const on = (fields: Partial<BuiltinInput>) => answer({ hook_event_name: "response_guard", ...fields });
  expect(await on({ stop_response: `Use ${TOKEN}.` })).toEqual({
    hook_event_name: "response_guard",
    updated_response: "Use [REDACTED].",
  });
  expect(await on({ stop_response: "Use a key.", reasoning_content: "hm" })).toBeUndefined();
  expect((await on({ stop_response: "Use it.", reasoning_content: TOKEN }))?.updated_response).toBe("Use it.");
});

test("the input is not changed in place", async () => {
  const tool_input = { deep: [{ env: [TOKEN] }] };
  await patch(tool_input);
  expect(tool_input).toEqual({ deep: [{ env: [TOKEN] }] });
});

test("numbers, booleans, nulls and keys of the arguments stay", async () => {
  const others = [1, true, null, { [TOKEN]: 2 }];
  expect(await patch({ a: [TOKEN, ...others] })).toEqual({ a: ["[REDACTED]", ...others] });
  expect(await patch({ [TOKEN]: "a", b: 7 })).toBeUndefined();
});

test("a key named __proto__ is an argument like any other", async () => {
  const input: Record<string, unknown> = JSON.parse(`{"a":{"__proto__":{"t":"${TOKEN}"}},"__proto__":"${TOKEN}"}`);
  expect(JSON.stringify(await patch(input))).toBe('{"a":{"__proto__":{"t":"[REDACTED]"}},"__proto__":"[REDACTED]"}');
});

test("arguments nested a hundred thousand deep are redacted to the bottom", async () => {
  let deep: unknown = TOKEN;
  for (let level = 0; level < 100_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
  let bottom: unknown = (await patch({ deep }))?.deep;
  while (typeof bottom === "object" && bottom !== null) bottom = Object.values(bottom)[0];
  expect(bottom).toBe("[REDACTED]");
});

test("every text of a message is redacted, and all other keys stay", async () => {
  const image = { type: "image_url", image_url: { url: "http://x.example/a.png" } };
  const messages: Message[] = [
    { role: "user", content: `use ${TOKEN}`, extra: { kept: TOKEN } },
    { role: "user", content: "", multi_content: [{ type: "text", text: `or ${TOKEN}` }, image] },
    {
      role: "assistant",
      content: "",
      reasoning_content: `why ${TOKEN}`,
      thinking_signature: TOKEN,
      function_call: { name: "old", arguments: `{"a":"${TOKEN}"}` },
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: `{"c":"echo ${TOKEN}"}`, x: 1 } }],
    },
    { role: "tool", content: "done", tool_call_id: "c1" },
  ];
  expect(await send(...messages)).toEqual([
    { role: "user", content: "use [REDACTED]", extra: { kept: TOKEN } },
    { role: "user", content: "", multi_content: [{ type: "text", text: "or [REDACTED]" }, image] },
    {
      role: "assistant",
      content: "",
      reasoning_content: "why [REDACTED]",
      thinking_signature: TOKEN,
      function_call: { name: "old", arguments: '{"a":"[REDACTED]"}' },
      tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: '{"c":"echo [REDACTED]"}', x: 1 } }],
    },
    { role: "tool", content: "done", tool_call_id: "c1" },
  ]);
});

describe("of media", () => {
  const base64 = (text: string | Uint8Array) => Buffer.from(text as string).toString("base64");
  const sendPart = async (part: { type: string; [key: string]: unknown }) =>
    (await send({ role: "user", content: "", multi_content: [part] }))?.[0]?.multi_content?.[0];
  const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.from(TOKEN)]);

  test.each<[string, { type: string; [key: string]: unknown }, { type: string; [key: string]: unknown }]>([
    [
      "an address",
      { type: "image_url", image_url: { url: `https://x.example/${TOKEN}.png`, detail: "low" } },
      { type: "image_url", image_url: { url: "https://x.example/[REDACTED].png", detail: "low" } },
    ],
    [
      "the address of a recording",
      { type: "input_audio", input_audio: { url: `https://user:${BODY}@x.example/a.wav` } },
      { type: "input_audio", input_audio: { url: "https://user:[REDACTED]@x.example/a.wav" } },
    ],
    [
      "the name of a file",
      {
        type: "file",
        file: { filename: `${TOKEN}.pdf`, file_data: `data:application/pdf;base64,${base64("%PDF-1.7")}` },
      },
      {
        type: "file",
        file: { filename: "[REDACTED].pdf", file_data: `data:application/pdf;base64,${base64("%PDF-1.7")}` },
      },
    ],
    [
      "a text document, whatever it calls itself",
      {
        type: "file",
        file: { filename: "a", file_data: `data:application/pdf;base64,${base64(`Ä key: ${TOKEN}\n`)}` },
      },
      {
        type: "file",
        file: { filename: "a", file_data: `data:application/pdf;base64,${base64("Ä key: [REDACTED]\n")}` },
      },
    ],
    [
      "a text with control characters",
      { type: "file", file: { filename: "a", file_data: `data:text/plain;base64,${base64(`\0\x01 ${TOKEN}`)}` } },
      { type: "file", file: { filename: "a", file_data: `data:text/plain;base64,${base64("\0\x01 [REDACTED]")}` } },
    ],
    [
      "a text in UTF-16",
      {
        type: "file",
        file: {
          filename: "a",
          file_data: `data:text/plain;base64,${base64(Buffer.from(`\uFEFF${TOKEN}`, "utf16le"))}`,
        },
      },
      { type: "file", file: { filename: "a", file_data: `data:text/plain;base64,${base64("[REDACTED]")}` } },
    ],
    [
      "a drawing in XML",
      {
        type: "image_url",
        image_url: { url: `data:image/svg+xml;base64,${base64(`<svg><text>${TOKEN}</text></svg>`)}` },
      },
      {
        type: "image_url",
        image_url: { url: `data:image/svg+xml;base64,${base64("<svg><text>[REDACTED]</text></svg>")}` },
      },
    ],
    [
      "a document part of another shape",
      { type: "document", document: { name: TOKEN, source: { inline_text: TOKEN, inline_data: base64(TOKEN) } } },
      {
        type: "document",
        document: { name: "[REDACTED]", source: { inline_text: "[REDACTED]", inline_data: base64("[REDACTED]") } },
      },
    ],
  ])("%s is redacted", async (_name, part, redacted) => {
    expect(await sendPart(part)).toEqual(redacted);
  });

  test.each<[string, { type: string; [key: string]: unknown }]>([
    ["a picture", { type: "image_url", image_url: { url: `data:image/png;base64,${base64(PNG)}` } }],
    [
      "a document without a secret",
      { type: "file", file: { filename: "a", file_data: `data:text/plain;base64,${base64("words")}` } },
    ],
    [
      "a part that is not as expected",
      { type: "file", file: TOKEN.length, document: [TOKEN], image_url: { url: 7 as never } },
    ],
  ])("%s stays as it is", async (_name, part) => {
    expect(await sendPart(part)).toBeUndefined();
  });
});

test("messages without a secret are not answered, and those that stay are the same objects", async () => {
  expect(await send({ role: "user", content: "hello" })).toBeUndefined();
  const kept: Message = { role: "user", content: "hello" };
  expect((await send(kept, { role: "user", content: TOKEN }))?.[0]).toBe(kept);
});

test.each([
  ["a line end before the secret", (token: string) => JSON.stringify({ cmd: `echo\n${token}\nx` })],
  ["quotes inside a string", (token: string) => JSON.stringify({ cmd: `curl -d '{"github_token": "${token}"}'` })],
  ["JSON in JSON in JSON", (token: string) => JSON.stringify([JSON.stringify([JSON.stringify([`\t${token}`])])])],
  ["an escaped slash", (token: string) => `{"secret_access_key":"${token.replaceAll("/", "\\/")}"}`],
  ["a character written as its code", (token: string) => JSON.stringify([token]).replace("G", "\\u0047")],
])("arguments stay valid JSON and lose a secret in %s", async (_name, write) => {
  for (const token of [TOKEN, AWS_KEY]) {
    const key = token === AWS_KEY ? "aws_secret_access_key=" : "";
    const text = write(key + token);
    const redacted = await sendArguments(text);
    const value = (json: string) => JSON.stringify(JSON.parse(json)).replaceAll("\\", "");
    expect(value(redacted)).toBe(value(text).replace(token, "[REDACTED]"));
  }
});

test("an escape that looks like the beginning of a secret stays whole", async () => {
  const text = JSON.stringify({ a: `first\npm_${BODY}` });
  expect(JSON.parse(await sendArguments(text))).toEqual({ a: "first\n[REDACTED]" });
});

test("numbers in JSON text are not reformatted", async () => {
  expect(await respond(`{"id": 12345678901234567890, "f": 1.0, "t": "\\/${TOKEN}"}`)).toBe(
    '{"id": 12345678901234567890, "f": 1.0, "t": "\\/[REDACTED]"}',
  );
});

test("the password of a connection string is redacted, and the text around it stays", async () => {
  const text = (password: string) => `DB=postgres://user:${password}@host:5432/db ok`;
  expect(await respond(text("hunter22"))).toBe(text("[REDACTED]"));
});

test("the name an AWS secret key is assigned to stays", async () => {
  const text = (key: string) => `AWS_SECRET_ACCESS_KEY=${key}\nREGION=eu`;
  expect(await respond(text(AWS_KEY))).toBe(text("[REDACTED]"));
});

test("a response without a secret is not answered", async () => {
  expect(await respond("nothing to hide: 42 files, commit 1a2b3c4d5e6f708192a3b4c5d6e7f80910111213")).toBeUndefined();
  for (const response of ["", undefined, null, 7, { a: "b" }, []]) expect(await respond(response)).toBeUndefined();
});

test("a response that is not a text is answered as JSON text if it holds a secret", async () => {
  expect(await respond({ out: [`a ${TOKEN}`], code: 0 })).toBe('{"out":["a [REDACTED]"],"code":0}');
});

test("a response too deep to be written as JSON is replaced as a whole", async () => {
  const nested = (levels: number) => Array.from({ length: levels }).reduce<unknown>((inner) => [inner], TOKEN);
  expect(await respond(nested(200_000))).toBe("[REDACTED]");
  expect(await respond(nested(5_000))).toBe(`${"[".repeat(5_000)}"[REDACTED]"${"]".repeat(5_000)}`);
});

test("other events get nothing but a warning in the log", async () => {
  const { output, logged } = await call({ hook_event_name: "turn_start" });
  expect(output).toBeUndefined();
  expect(logged).toEqual(["warn redact_secrets does nothing on turn_start"]);
});

test("an input without anything to redact gets no output", async () => {
  for (const event of ["pre_tool_use", "before_llm_call", "tool_response_transform"] as const) {
    expect((await call({ hook_event_name: event })).output).toBeUndefined();
  }
});
