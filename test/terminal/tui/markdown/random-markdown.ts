import { pick as pickWith, randomFrom } from "../../../helpers/dice.ts";

/** Returns random Markdown and every word in it; each word is there once. */
export function randomMarkdown(seed: number): { text: string; words: string[] } {
  const random = randomFrom(seed);
  const words: string[] = [];
  const pick = <T>(items: readonly T[]): T => pickWith((limit) => Math.floor(random() * limit), items);
  const word = () => {
    const next = `w${String(words.length).padStart(4, "0")}`;
    words.push(next);
    return next;
  };
  const phrase = () =>
    Array.from({ length: 1 + Math.floor(random() * 9) }, span).join(pick([" ", " ", " ", "\n", ", "]));
  const span = (): string =>
    pick([
      word,
      word,
      word,
      () => `**${word()} ${word()}**`,
      () => `*${word()}*`,
      () => `~~${word()}~~`,
      () => `\`${word()} ${word()}\``,
      () => `[${word()}](https://${word()}.example/${word()})`,
      () => `[${word()}](<${word()} ${word()}> "${word()}")`,
      () => `![${word()}](${word()}.png '${word()}')`,
      () => `<https://${word()}.example>`,
      () => `[${word()}][${word()}]`,
      () => `<b>${word()}</b>`,
      () => `**${word()}`,
      () => `${word()}_${word()}`,
      () => `漢字${word()}かな`,
      () => `👩‍👩‍👧 ${word()} 🇩🇪`,
      () => `&lt;${word()}&gt;`,
      () => `${word()}\\* \\[${word()}`,
      () => `\`${word()}`,
      () => `\t${word()}`,
    ])();
  const cell = () =>
    pick([word, () => `**${word()}**`, () => `${word()} ${word()} ${word()}`, () => "", () => `\`${word()}\``])();
  const row = (columns: number) => `| ${Array.from({ length: columns }, cell).join(" | ")} |`;
  const table = () => {
    const columns = 1 + Math.floor(random() * 6);
    const rows = Array.from({ length: Math.floor(random() * 9) }, () => row(pick([columns, columns, 1, columns + 2])));
    return [row(columns), `|${" --- |".repeat(columns)}`, ...rows].join("\n");
  };
  const code = () => {
    const fence = pick(["```", "~~~~", "````"]);
    const lines = Array.from(
      { length: Math.floor(random() * 9) },
      () => `${pick(["", "  ", "\t", "- ", "# ", "> "])}${word()} = "${word()}"`,
    );
    return [
      `${fence}${pick([() => "ts", () => "python", () => "", () => `text ${word()}`])()}`,
      ...lines,
      pick([fence, fence, ""]),
    ].join("\n");
  };
  const indent = (text: string, first: string, rest: string) => first + text.replaceAll("\n", `\n${rest}`);
  const long = () =>
    pick([
      () => ["```ts", ...Array.from({ length: 90 }, () => `const ${word()} = "${word()}";`), "```"].join("\n"),
      () => Array.from({ length: 150 }, () => `    ${word()}`).join("\n"),
      () => ["| a | b |", "|---|---|", ...Array.from({ length: 130 }, () => row(2))].join("\n"),
      () => Array.from({ length: 700 }, word).join(" "),
      () => `- ${Array.from({ length: 700 }, word).join("")}`,
      () => Array.from({ length: 120 }, () => `- ${word()}\n    - ${word()}`).join("\n"),
    ])();
  const block = (depth: number): string => {
    const inner = () => (depth > 3 ? phrase() : block(depth + 1));
    return pick([
      phrase,
      phrase,
      phrase,
      () => `${pick(["#", "##", "####"])} ${phrase()}${pick(["", " ##"])}`,
      () => `${phrase()}\n${pick(["===", "---"])}`,
      table,
      code,
      () => pick(["---", "* * *", "___"]),
      () => Array.from({ length: 4 }, () => indent(inner(), "- ", "  ")).join(pick(["\n", "\n\n"])),
      () => Array.from({ length: 3 }, (_, at) => indent(inner(), `${at + 8}. `, "    ")).join("\n"),
      () => `- [ ] ${phrase()}\n- [x] ${phrase()}`,
      () => indent(inner(), "> ", pick(["> ", ">", ""])),
      () => indent(phrase(), "    ", "    "),
      () => `<details>\n<summary>${word()}</summary>\n\n${phrase()}\n</details>`,
      () => `[${word()}]: https://${word()}.example "${word()}"`,
      () => `${phrase()}\n${table()}`,
      () => `${pick(["-", "1.", ">", "#", "|", "-\n  "])} ${word()}`,
      () => `\r\n${phrase()}\r\n`,
    ])();
  };
  const blocks = Array.from({ length: 1 + Math.floor(random() * 8) }, () => block(0));
  if (seed % 5 === 0) blocks.splice(Math.floor(random() * blocks.length), 0, long());
  return { text: blocks.join(pick(["\n", "\n\n", "\n\n\n"])), words };
}
