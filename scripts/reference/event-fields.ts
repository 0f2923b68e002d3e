import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Shape } from "../../src/lib/schema/shape.ts";
import { EVENTS } from "../../src/protocol/events.ts";
import { FIELDS, type FieldName } from "../../src/protocol/fields.ts";

const ALWAYS: readonly FieldName[] = ["session_id", "cwd", "hook_event_name", "agent_name"];

/** Where the pages say more about a field than its comment in the source. */
const MORE: Partial<Record<FieldName, string>> = {
  tool_category: "See [Tools](tools.md).",
  messages: "See [its messages](hooks.md#the-messages-of-a-model-call).",
  approval_hooks: "See [How hooks work](hooks.md#what-a-hook-reads).",
  safety_label: "See [the labels](configuration.md#how-a-command-line-is-labelled).",
};

/** Returns a Markdown table of the fields that inputs have. */
export function fieldTable(): string[] {
  const names = (Object.keys(FIELDS) as FieldName[]).filter((name) => ALWAYS.includes(name) || isInAnEvent(name));
  const comments = commentsOfFields();
  return [
    "| field | type | meaning |",
    "|---|---|---|",
    ...names.map((name) => {
      const meaning = comments.get(name);
      if (meaning === undefined) throw new Error(`src/protocol/fields.ts: FIELDS.${name} has no comment`);
      return `| \`${name}\` | ${typeText(FIELDS[name])} | ${[meaning, MORE[name]].filter(Boolean).join(" ")} |`;
    }),
  ];
}

function isInAnEvent(name: FieldName): boolean {
  return Object.values(EVENTS).some(({ fields }) => (fields as readonly FieldName[]).includes(name));
}

/** Reads the comments of `FIELDS`, which editors show to authors of hooks: the page says the same. */
function commentsOfFields(): Map<string, string> {
  const source = readFileSync(join(import.meta.dir, "../../src/protocol/fields.ts"), "utf8");
  const table = source.slice(source.indexOf("export const FIELDS"));
  return new Map(
    [...table.matchAll(/\/\*\*([^]*?)\*\/\n {2}(\w+):/g)].map(([, comment = "", name = ""]) => [
      name,
      comment.replaceAll(/\s*\n\s*\* ?/g, " ").trim(),
    ]),
  );
}

function typeText(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return "string";
    case "flag":
      return "boolean";
    case "whole":
      return "integer";
    case "choice":
      return shape.options.map((option) => `\`${option}\``).join(", ");
    case "list":
      return `list of ${shape.item.kind === "text" ? "strings" : "objects"}`;
    case "anything":
      return "any JSON value";
    case "number":
      return "number";
    default:
      return "object";
  }
}
