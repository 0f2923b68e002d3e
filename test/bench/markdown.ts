/**
 * What a delta of an answer costs in the terminal: reading it, and drawing the block that changes; at the beginning of an answer and
 * behind 10,000 lines. For comparison, pi-tui's Markdown component, which reads the whole answer again for each change. Then the slowest
 * frames of hostile answers, and the memory over a long stream whose blocks leave the screen.
 * Run: `bun test/bench/markdown.ts [--megabytes N]`; N (default 5) is the length of the stream.
 */
import { Markdown } from "@earendil-works/pi-tui/dist/components/markdown.js";
import { THEMES } from "../../src/terminal/theme.ts";
import { AnswerStream } from "../../src/terminal/tui/markdown/answer-stream.ts";
import { loadLanguage } from "../../src/terminal/tui/markdown/highlight.ts";
import { HOSTILE } from "../terminal/tui/markdown/hostile-texts.ts";
import { figuresOf, printTable, shown } from "./measure.ts";

const WIDTH = 100;
/** Models send tokens of about this many characters. */
const DELTA = 4;
const asked = process.argv.indexOf("--megabytes");
const megabytes = asked < 0 ? 5 : Number(process.argv[asked + 1]);

const KINDS: Readonly<Record<string, string>> = {
  prose:
    "A paragraph with **bold** words, `code` and [a link](https://example.com/page), as models write them all day.\n\n",
  list: "- an item with `code` and some words\n  - and a nested item that is **important**\n",
  code: "  const answer = await ask(`question ${number}`); // until it answers\n",
  table: "| a cell with `code` | another cell | 42 |\n",
};
const OPENINGS: Readonly<Record<string, string>> = {
  code: "```ts\n",
  table: "| first | second | third |\n|---|---|---|\n",
};

interface Block {
  render(width: number): string[];
}

/** An answer on a screen that keeps the last block only. */
function openAnswer(): { append: (text: string) => void; draw: () => void } {
  let last: Block | undefined;
  const stream = new AnswerStream({
    theme: THEMES.dark,
    addBlock: (block) => {
      last?.render(WIDTH);
      last = block;
    },
    requestRender: () => undefined,
  });
  return { append: (text) => stream.append(text), draw: () => void last?.render(WIDTH) };
}

/** Milliseconds for each delta of a text, drawn after each. */
function timeDeltas(text: string, append: (delta: string) => void, draw: () => void, size = DELTA): number[] {
  const times: number[] = [];
  for (let at = 0; at < text.length; at += size) {
    const started = Bun.nanoseconds();
    append(text.slice(at, at + size));
    draw();
    times.push((Bun.nanoseconds() - started) / 1e6);
  }
  return times;
}

function measureDeltas(): void {
  const rows = Object.entries(KINDS).flatMap(([kind, line]) => {
    const answer = openAnswer();
    answer.append(OPENINGS[kind] ?? "");
    const text = line.repeat(50);
    timeDeltas(text, answer.append, answer.draw); // compiles the code
    const early = figuresOf(timeDeltas(text, answer.append, answer.draw));
    answer.append(line.repeat(Math.ceil(10_000 / line.trimEnd().split("\n").length)));
    const late = figuresOf(timeDeltas(text, answer.append, answer.draw));
    return [
      [`${kind}, first lines`, shown(early.median), shown(early.p90)],
      [`${kind}, behind 10,000 lines`, shown(late.median), shown(late.p90)],
    ];
  });
  printTable(`Reading and drawing a delta of ${DELTA} characters`, ["answer", "median ms", "p90 ms"], rows);
}

/** A paragraph in one line, which each delta makes the terminal read and wrap again, up to 3,000 characters. */
function measureParagraph(): void {
  const words = (KINDS["prose"] ?? "").replace("\n\n", " ");
  const rows = [100, 1000, 2500].map((size) => {
    const answer = openAnswer();
    answer.append(words.repeat(Math.ceil(size / words.length)).slice(0, size));
    const times = figuresOf(timeDeltas("and a few plain words ".repeat(20), answer.append, answer.draw));
    return [`${size} characters`, shown(times.median), shown(times.p90)];
  });
  printTable("The same behind the beginning of a paragraph in one line", ["paragraph", "median ms", "p90 ms"], rows);
}

/** pi-tui's component, which gets the whole answer for each delta. */
function measureComponent(): void {
  const rows = [100, 1000, 10_000].map((lines) => {
    let text = (KINDS["list"] ?? "").repeat(lines / 2);
    const same = (value: string) => value;
    const theme = new Proxy({}, { get: (_, key) => (key === "highlightCode" ? undefined : same) });
    const component = new Markdown(text, 0, 0, theme as ConstructorParameters<typeof Markdown>[3]);
    const append = (delta: string) => component.setText((text += delta));
    const times = timeDeltas("- one more item\n", append, () => void component.render(WIDTH));
    return [`${lines} lines`, shown(figuresOf(times).median), shown(figuresOf(times).p90)];
  });
  printTable("The same with pi-tui's Markdown component", ["answer", "median ms", "p90 ms"], rows);
}

/** The answers whose slowest delta of 500 characters is the slowest. */
function measureHostile(): void {
  const slowest = Object.entries(HOSTILE).map(([name, text]): [string, number] => {
    const answer = openAnswer();
    return [name, Math.max(...timeDeltas(text, answer.append, answer.draw, 500))];
  });
  const rows = slowest.sort(([, a], [, b]) => b - a).slice(0, 5);
  printTable(
    "The slowest delta of 500 characters of a hostile answer",
    ["answer", "ms"],
    rows.map(([name, time]) => [name, shown(time)]),
  );
}

function measureMemory(): void {
  const answer = openAnswer();
  const part = Object.entries(KINDS)
    .map(([kind, line]) => `${OPENINGS[kind] ?? ""}${line.repeat(20)}${kind === "code" ? "```" : ""}\n`)
    .join("\n");
  const rows: string[][] = [];
  const steps = 5;
  for (let step = 0; step <= steps; step++) {
    Bun.gc(true);
    const { rss, heapUsed } = process.memoryUsage();
    rows.push([`${shown((megabytes * step) / steps)} MB`, shown(rss / 1e6), shown(heapUsed / 1e6)]);
    for (let sent = 0; step < steps && sent < (megabytes * 1e6) / steps; sent += part.length) {
      for (let at = 0; at < part.length; at += 40) {
        answer.append(part.slice(at, at + 40));
        if (at % 400 === 0) answer.draw();
      }
    }
  }
  printTable("Memory of one answer while it streams", ["answer", "resident MB", "heap MB"], rows);
}

await loadLanguage("ts");
measureDeltas();
measureParagraph();
measureComponent();
measureHostile();
measureMemory();
