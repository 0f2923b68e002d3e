import type { Dialect } from "../../dialects/dialect.ts";
import type { HostFile, HostFiles, VoidRules } from "../../dialects/host-file.ts";
import { parseJsonSource, parseTomlSource } from "../../dialects/translate/source-text.ts";
import { isObject } from "../../lib/json.ts";
import { readHostFile } from "./host-plan.ts";

/** An entry of a file, and its path of keys for messages. */
interface PlacedEntry {
  event: string;
  entry: Record<string, unknown>;
  at: readonly (string | number)[];
}

/** Returns a message for each entry, of hooksh or not, that makes the host ignore every hook of the file. */
export function voidedEntries(
  path: string,
  file: HostFile,
  dialect: Dialect,
  { entry, voidedBy }: HostFiles,
): string[] {
  const text = voidedBy && readHostFile(path);
  if (!voidedBy || !text) return [];
  const source =
    file.format === "toml" ? parseTomlSource(text, path) : parseJsonSource(text.replace(/^\uFEFF/, ""), path);
  return entriesIn(source.value, file, entry.event).flatMap((each) => {
    const problem = problemOf(each, voidedBy, dialect);
    return problem === undefined
      ? []
      : [`${source.place(each.at)}: ${problem}: the host ignores all hooks of this file`];
  });
}

function problemOf({ event, entry }: PlacedEntry, { keys, values = {}, events }: VoidRules, dialect: Dialect) {
  if (events && dialect.events[event] === undefined) return `unknown event ${JSON.stringify(event)}`;
  const unknown = keys && Object.keys(entry).find((key) => !keys.includes(key));
  if (unknown !== undefined) return `unknown key ${unknown}`;
  const wrong = Object.entries(values).find(([key, known]) => key in entry && !known.includes(entry[key]));
  return wrong && `${wrong[0]} is ${JSON.stringify(entry[wrong[0]])}, not ${wrong[1].join(" or ")}`;
}

function entriesIn(value: unknown, { at, nesting }: HostFile, eventKey = ""): PlacedEntry[] {
  const events = at.reduce<unknown>((below, key) => (isObject(below) ? below[key] : undefined), value);
  if (nesting === "list") return placed(events, at).map((each) => ({ ...each, event: String(each.entry[eventKey]) }));
  return Object.entries(isObject(events) ? events : {}).flatMap(([event, list]) =>
    placed(list, [...at, event]).flatMap((each) => {
      const inner = Array.isArray(each.entry["hooks"]) ? placed(each.entry["hooks"], [...each.at, "hooks"]) : [each];
      return inner.map((found) => ({ ...found, event }));
    }),
  );
}

function placed(list: unknown, at: readonly (string | number)[]): Omit<PlacedEntry, "event">[] {
  return (Array.isArray(list) ? list : []).flatMap((entry: unknown, index) =>
    isObject(entry) ? [{ entry, at: [...at, index] }] : [],
  );
}
