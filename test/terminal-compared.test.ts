import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const page = readFileSync(join(import.meta.dir, "../docs/terminal-compared.md"), "utf8");
const sources = new Map(
  [...page.matchAll(/^\[([^\]]+)\]: (\S+)$/gm)].map(([, name = "", url = ""]) => [name, url] as const),
);
const rows = page
  .split("\n")
  .filter((line) => /^\| [^|]*[^|\s-]/.test(line) && !line.startsWith("| |"))
  .map((line) => line.split("|").map((cell) => cell.trim()));

test("every row of the comparison names a source, or says that there is none", () => {
  expect(rows.length).toBeGreaterThan(40);
  const without = rows.filter(([, , theirs = ""]) => {
    const named = [...theirs.matchAll(/\[([^\]]+)\]/g)].map(([, name = ""]) => name);
    return !theirs.includes("not documented") && (named.length === 0 || !named.every((name) => sources.has(name)));
  });
  expect(without.map(([, point]) => point)).toEqual([]);
});

test("every source is a public page of docker-agent or of a library it uses, and is named", () => {
  for (const [name, url] of sources) {
    expect(url).toMatch(
      /^https:\/\/(docs\.docker\.com\/ai\/docker-agent\/|github\.com\/(docker\/docker-agent|charmbracelet)\/)/,
    );
    expect(page).toContain(`[${name}]`);
  }
});

test("every row says how hooksh does in it", () => {
  for (const [, point, , , verdict] of rows)
    expect([point, verdict]).toEqual([point, expect.stringMatching(/^(better|same|worse|different)\b/)]);
});
