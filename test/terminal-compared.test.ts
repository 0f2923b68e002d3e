import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = readFileSync(join(import.meta.dir, "../docs/terminal-compared.md"), "utf8");
const sources = new Map(
  [...page.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name = "", url = ""]) => [name, url] as const),
);

/** The products of the columns after hooksh's: how the names of their sources begin, and where their public pages are. */
const products = [
  ["docker-agent", "d-", /^https:\/\/(docs\.docker\.com\/ai\/docker-agent\/|github\.com\/docker\/docker-agent\/)/],
  ["crush", "c-", /^https:\/\/github\.com\/charmbracelet\/crush\//],
  ["opencode", "o-", /^https:\/\/(opencode\.ai\/(v1\/)?docs\/|github\.com\/anomalyco\/opencode\/)/],
  ["Claude Code", "cc-", /^https:\/\/(code\.claude\.com\/docs\/en\/|github\.com\/anthropics\/claude-code\/)/],
] as const;
/** A library that docker-agent and crush draw with. */
const library = "https://github.com/charmbracelet/colorprofile/";

const tables = page.split("\n").filter((line) => line.startsWith("|") && !line.startsWith("|---"));
const cells = (line: string) => line.split("|").map((cell) => cell.trim());
const rows = tables.filter((line) => !line.startsWith("| |")).map(cells);
/** The names of the sources that a cell links, as [shown][name]. */
const named = (cell: string) => [...cell.matchAll(/\]\[([^\]]+)\]/g)].map(([, name = ""]) => name);

test("the columns are the products, in this order", () => {
  const heads = new Set(tables.filter((line) => line.startsWith("| |")));
  expect([...heads].map(cells)).toEqual([["", "", "hooksh", ...products.map(([product]) => product), "", ""]]);
});

test("every cell about another product names its sources, or says that there are none", () => {
  expect(rows.length).toBeGreaterThan(40);
  const without = rows.flatMap(([, point, , ...others]) =>
    products.flatMap(([product, prefix], index) => {
      const cell = others[index] ?? "";
      const names = named(cell);
      const known = names.every((name) => sources.has(name) && name.startsWith(prefix));
      return known && (names.length > 0 || cell === "not documented") ? [] : [`${point}: ${product}: ${cell}`];
    }),
  );
  expect(without).toEqual([]);
});

test("every source is a public page of its product or of a library it uses, and is named", () => {
  for (const [name, url] of sources) {
    const [, , pages] = products.find(([, prefix]) => name.startsWith(prefix)) ?? [];
    expect([name, pages?.test(url) || url.startsWith(library)]).toEqual([name, true]);
    expect(page).toContain(`][${name}]`);
  }
});

test("every row says how hooksh does in it", () => {
  for (const row of rows) {
    expect([row[1], row.length]).toEqual([row[1], 9]);
    expect([row[1], row[7]]).toEqual([row[1], expect.stringMatching(/^(ahead|even|behind|different)$/)]);
    expect([row[1], row[2]]).toEqual([row[1], expect.stringMatching(/\S/)]);
  }
});
