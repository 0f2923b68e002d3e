import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { decode, eventNamed, isUndecodable } from "../../src/dialects/decode.ts";
import { DIALECTS, type DialectName } from "../../src/dialects/names.ts";
import { recognize } from "../../src/dialects/recognize.ts";
import { parseInput } from "../../src/protocol/input.ts";
import type { Payload } from "../../src/protocol/rewrite.ts";
import { RECORDED_AGENTS, RECORDINGS } from "../helpers/recordings.ts";

/** The event in the name of a recording, such as `preToolUse` in `mcp-preToolUse-mem-add_note.json`. */
const EVENT = /^(?:(?:pascal|claudefile|blocked|mcp|subagent|resume|denied|shellpatch)-)*([A-Za-z]+)/;

describe.skipIf(RECORDINGS === "")("every payload that a released program really sent is decoded", () => {
  // What opencode hands to a plugin is not what the bridge sends.
  const files = RECORDED_AGENTS.filter((folder) => !folder.startsWith("opencode"))
    .flatMap((folder) => readdirSync(join(RECORDINGS, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith(".json"));

  test.each(files)("%s", async (file) => {
    const payload = JSON.parse(readFileSync(join(RECORDINGS, file), "utf8")) as Payload;
    const { dialect } = await DIALECTS[recognize(payload, {})?.dialect as DialectName].load();
    const written = EVENT.exec(file.split("/")[1] ?? "")?.[1];
    const call = decode(dialect, payload, eventNamed(dialect, payload) ?? written);
    if (isUndecodable(call)) throw new Error(call.problem);
    for (const { payload: own } of call.events) expect(parseInput(own)).toBeObject();
    for (const { payload: own } of call.events) expect(own).toMatchObject({ cwd: expect.any(String) });
  });
});
