import { describe, expect, test } from "bun:test";
import { decode, isUndecodable } from "../../src/dialects/decode.ts";
import { type Encoded, encode, encodeFailure } from "../../src/dialects/encode.ts";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { HOST_SAMPLES } from "./host-samples.ts";

const cases = Object.entries(HOST_SAMPLES).flatMap(([name, { guarded, read }]) =>
  Object.entries(guarded).map(([event, payload]) => ({ name: name as DialectName, event, payload, read })),
);

async function denialOf({ name, event, payload }: (typeof cases)[number], message: string): Promise<Encoded> {
  const { dialect } = await DIALECTS[name].load();
  const call = decode(dialect, payload, event);
  if (isUndecodable(call)) throw new Error(call.problem);
  const [first] = call.events;
  return encode(call, [{ event: first?.event ?? "pre_tool_use", result: { allowed: false, message } }]);
}

describe.each(cases)("$name $event: the host can read the denial", (row) => {
  // Codex lets a call run if the reason is blank.
  test.each(["", " ", "\n\t\u00a0\r\n"])("with the blank reason %j", async (message) => {
    const encoded = await denialOf(row, message);
    expect(row.read(encoded, row.event)).toBe("denied");
    expect(encoded.stdout + encoded.stderr).toContain("blocked by a hook");
  });

  // The JSON parser of Codex and goose refuses a text with half a character.
  test("with a reason in which an emoji was cut in two", async () => {
    const encoded = await denialOf(row, "no \\ud83d \ud83d, no \ude00 and \ud83d\ude00");
    expect(row.read(encoded, row.event)).toBe("denied");
    const said = JSON.stringify(encoded.stdout === "" ? encoded.stderr.toWellFormed() : JSON.parse(encoded.stdout));
    expect(said).toContain(JSON.stringify("no \\ud83d \ufffd, no \ufffd and \ud83d\ude00").slice(1, -1));
    expect(said).not.toMatch(/(?<!\\)\\ud[89a-f]/);
  });

  // Cline reads 1 MB.
  test("with a long reason", async () => {
    const encoded = await denialOf(row, "\u0001".repeat(3_000_000));
    expect(row.read(encoded, row.event)).toBe("denied");
    expect(encoded.stdout.length + encoded.stderr.length).toBeLessThan(1_000_000);
    const { dialect } = await DIALECTS[row.name].load();
    const failed = encodeFailure(dialect, row.event, row.payload, "\u0001".repeat(3_000_000));
    expect(row.read(failed, row.event)).toBe("denied");
    expect(failed.stdout.length + failed.stderr.length).toBeLessThan(1_000_000);
  });
});
