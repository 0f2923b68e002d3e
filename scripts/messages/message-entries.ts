/** Reads the entries of docs/messages.md: for each family of messages what causes them, and what to do. */
import { join } from "node:path";
import * as v from "valibot";
import { parseYaml } from "../../src/lib/platform.ts";

/** The areas in the order of the page; each has a file of its name in this folder. */
const AREAS = [
  "command-line",
  "agent-file",
  "sources",
  "hooks",
  "hooks-at-run-time",
  "evaluators",
  "models",
  "tools",
  "approval",
  "sessions",
  "hosts",
  "serve",
  "redaction",
  "audit",
  "test",
  "replay",
  "doctor",
] as const;

const text = v.pipe(v.string(), v.nonEmpty());
/** A message with a cause or a cure of its own. */
const Special = v.strictObject({ message: text, cause: v.optional(text), cure: v.optional(text) });
const Family = v.strictObject({
  title: text,
  cause: text,
  cure: text,
  messages: v.pipe(v.array(v.union([text, Special])), v.minLength(1)),
});
const Area = v.strictObject({ title: text, intro: v.optional(text), families: v.array(Family) });

/** Messages of one part of hooksh. */
export type MessageArea = v.InferOutput<typeof Area>;

/** Returns the areas. Throws if a file does not have the form of `Area`. */
export async function messageAreas(): Promise<MessageArea[]> {
  return Promise.all(
    AREAS.map(async (name) => v.parse(Area, parseYaml(await Bun.file(join(import.meta.dir, `${name}.yaml`)).text()))),
  );
}

/** Returns the text of each message of the areas. */
export function messagesOf(areas: readonly MessageArea[]): string[] {
  return areas.flatMap(({ families }) =>
    families.flatMap(({ messages }) => messages.map((entry) => (typeof entry === "string" ? entry : entry.message))),
  );
}
