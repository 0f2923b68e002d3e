/** The size of most hostile texts, in characters. */
export const SIZE = 30_000;

/** Repeats a text up to that size. */
const fill = (text: string) => text.repeat(Math.ceil(SIZE / text.length));

/** Answers that take long to read or draw if time is not linear in their length. */
export const HOSTILE: Readonly<Record<string, string>> = {
  "nested quotes in one line": `${">".repeat(10_000)} x`,
  "list levels in one line": `${"- ".repeat(10_000)}x`,
  "ever deeper quotes": Array.from({ length: 250 }, (_, depth) => `${">".repeat(depth)} x`).join("\n"),
  "ever deeper lists": Array.from({ length: 250 }, (_, depth) => `${"  ".repeat(depth)}- x`).join("\n"),
  "a table of 10,000 rows": `|a|b|\n|-|-|\n${"|1|2|\n".repeat(10_000)}`,
  "a table of 1,000 columns": `|${"a|".repeat(1000)}\n|${"-|".repeat(1000)}\n${`|${"b|".repeat(900)}\n`.repeat(10)}`,
  "a fence that never ends": `\`\`\`ts\n${fill("const a = `${b}`; /* c\n")}`,
  "one line of code": `\`\`\`ts\n${fill("const a = [(`${b}`")}`,
  "fences in fences": fill("```md\n~~~ts\n"),
  "markers without text": fill("- \n"),
  pipes: fill("|"),
  dashes: fill("-"),
  brackets: fill("["),
  "links in links": fill("[a]("),
  "brackets and backslashes": fill("[a\\"),
  stars: fill("*"),
  "unmatched stars": fill("*a **b "),
  "unmatched underscores": fill("_a "),
  "unmatched tildes": fill("~~a "),
  "matched stars far apart": fill(`${"**a ".repeat(150)}${"a* ".repeat(150)}`),
  backticks: fill("`a"),
  "half a mail address": fill("a."),
  "mail addresses": fill("a@b.c-_"),
  "angle brackets": fill("<a b='"),
  entities: fill("&amp;"),
  backslashes: fill("\\*"),
  "wide characters": fill("漢字"),
  "emoji of several code points": fill("👩‍👩‍👧"),
  "marks above one letter": `a${fill("\u0301")}`,
  "escape sequences": fill("\x1b[31m\x9b2J"),
  spaces: `${fill(" ")}x`,
  tabs: `${fill("\t")}x`,
  "short lines": fill("a\n"),
};
