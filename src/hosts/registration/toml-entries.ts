import { type AST, getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { parseTomlSource } from "../../dialects/translate/source-text.ts";
import { UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { isDeepEqual } from "../../lib/platform.ts";
import { callOf, type EntryFile, type OwnEntry, type WantedEntry } from "./json-entries.ts";

/** An {@link OwnEntry} with its offsets in the text. */
interface FoundTable extends OwnEntry {
  start: number;
  end: number;
}

/** Returns the `[[hooks]]` tables of hooksh. Throws a `UserError` that names the place if the text is not valid. */
export function ownTomlEntries(text: string, target: EntryFile): OwnEntry[] {
  checkToml(text, target);
  return findTables(text, target).map(({ event, entry, call, isMisplaced }) => ({ event, entry, call, isMisplaced }));
}

/**
 * Returns the text with exactly the wanted `[[hooks]]` tables of hooksh: removes its own, appends the wanted ones, and
 * leaves every other byte as it is. Throws a `UserError` that names the place if the text is not valid.
 */
export function setTomlEntries(text: string, target: EntryFile, wanted: readonly WantedEntry[]): string {
  checkToml(text, target);
  const own = findTables(text, target);
  const isSame = (each: WantedEntry, other: WantedEntry | undefined) => isDeepEqual(each.entry, other?.entry);
  if (own.length === wanted.length && wanted.every((each) => own.some((found) => isSame(each, found)))) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const others = own.reduceRight((rest, table) => removeTable(rest, table), text);
  const start = others === "" || others.endsWith("\n") ? others : others + eol;
  const edited = wanted.reduce((all, { entry }) => `${all}${all === "" ? "" : eol}${tableText(entry, eol)}`, start);
  checkToml(edited, target);
  return edited;
}

/** Throws a `UserError` for a file that the host would not read, or to which no `[[hooks]]` table can be added. */
function checkToml(text: string, { path }: EntryFile): void {
  const { value, place } = parseTomlSource(text, path);
  const hooks = isObject(value) ? value["hooks"] : undefined;
  const isTables = parseTOML(text).body[0].body.every(
    (node) => node.type !== "TOMLKeyValue" || keyName(node.key.keys[0]) !== "hooks",
  );
  if (hooks === undefined || (Array.isArray(hooks) && isTables)) return;
  throw new UserError(`${place(["hooks"])}: expected [[hooks]] tables: hooksh cannot add hooks in another form`);
}

function keyName(key: AST.TOMLBare | AST.TOMLQuoted | undefined): string | undefined {
  return key?.type === "TOMLBare" ? key.name : key?.value;
}

function findTables(text: string, { host, dialect }: EntryFile): FoundTable[] {
  const program = parseTOML(text);
  const tables = program.body[0].body.filter(
    (node): node is AST.TOMLTable =>
      node.type === "TOMLTable" && node.kind === "array" && keyName(node.key.keys[0]) === "hooks",
  );
  return tables.flatMap((table) => {
    const value: unknown = getStaticTOMLValue(table);
    const entry: unknown = isObject(value) && Array.isArray(value["hooks"]) ? value["hooks"][0] : undefined;
    const call = isObject(entry) ? callOf(entry, host.entry, dialect) : undefined;
    if (!call || !isObject(entry)) return [];
    return [
      {
        event: String(entry[host.entry.event ?? ""]),
        entry,
        call,
        isMisplaced: false,
        start: table.range[0],
        end: table.range[1],
      },
    ];
  });
}

/** Removes a table with its line break and the empty line before it. */
function removeTable(text: string, { start, end }: FoundTable): string {
  const rest = /^[ \t]*(\r?\n)?/.exec(text.slice(end))?.[0].length ?? 0;
  const before = text.slice(0, start).replace(/(^|\n)\r?\n$/, "$1");
  return before + text.slice(end + rest);
}

/** Formats an entry as a `[[hooks]]` table. */
export function tableText(entry: WantedEntry["entry"], eol: string): string {
  // An entry holds only strings, numbers and booleans, which JSON and TOML write alike.
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return ["[[hooks]]", ...lines, ""].join(eol);
}
