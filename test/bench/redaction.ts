/**
 * How fast secrets are searched for: clean text, text with secrets, a conversation of ten megabytes. Every figure
 * stands beside one pass over the same text, which is the least that any search could do.
 * Run: `bun test/bench/redaction.ts [ROUNDS]`.
 */
import { allSamples, randomFrom, textOf } from "../builtins/redact_secrets-samples.ts";
import { redactMessages } from "../../builtins/redaction/messages.ts";
import { SECRET_KINDS, SECRET_RULES, createRedactor } from "../../builtins/redaction/redact.ts";
import type { Message } from "../../src/protocol/fields.ts";
import { figuresOf, printTable, shown } from "./measure.ts";

const redactor = createRedactor();
const rounds = Number(process.argv[2] ?? 20);
const MEGABYTE = 1 << 20;
const WARM_UP = 20;
const random = randomFrom(1);
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SAMPLES = allSamples(SECRET_RULES, 1).map(({ sample }) => sample.text);

const read = async (...paths: string[]) => (await Promise.all(paths.map((path) => Bun.file(path).text()))).join("\n");
const sized = (text: string, length = MEGABYTE) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
/** A secret of the next rule after every so many characters. */
const laced = (text: string, every: number) =>
  Array.from({ length: Math.floor(text.length / every) }, (_, n) =>
    `${text.slice(n * every, (n + 1) * every)}\n${SAMPLES[n % SAMPLES.length]}\n`).join("");

const readmes = ["openai", "yaml", "valibot"].map((name) => `node_modules/${name}/README.md`);
const sources = ["parse/lexer", "compose/composer"].map((name) => `node_modules/yaml/dist/${name}.js`);
const prose = sized(await read(...readmes));
const code = sized(await read(...sources));

const texts: [string, string][] = [
  ["prose", prose],
  ["source code", code],
  ["a lock file", sized(await read("package-lock.json"))],
  ["base64", textOf(ALPHABET, MEGABYTE, random)],
  ["prose beyond Latin-1", `漢${prose}`],
  ["a secret every 10 KB", laced(prose, 10_000)],
  ["a secret every 1 KB", laced(prose, 1_000)],
  ["nothing but secrets", sized(`${SAMPLES.join("\n")}\n`)],
  ["nothing but beginnings", sized("ghp_ sk_live_ eyJ xoxb- AKIA postgres://u: heroku= ")],
];

/** One pass that looks at every character and does nothing with it. */
function touch(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at++) sum += text.charCodeAt(at);
  return sum;
}

function median(run: () => unknown): number {
  const times = Array.from({ length: rounds + WARM_UP }, () => {
    const before = performance.now();
    run();
    return performance.now() - before;
  });
  return figuresOf(times.slice(WARM_UP)).median;
}

function row(name: string, length: number, text: string, run: () => unknown): string[] {
  const [took, floor] = [median(run), median(() => touch(text))];
  return [name, shown(length / 1e6), shown(took), shown(length / 1e3 / took), `${shown(took / floor)}x`];
}

// All kinds of text first, so that no row is measured on code made for another.
for (const [, text] of [...texts, ...texts]) redactor.redact(text);

const rows = texts.map(([name, text]) => {
  const count = redactor.find(text).length;
  return row(`${name} (${count})`, text.length, text, () => redactor.redact(text));
});
const page = sized(code, 10_000);
for (const [name, source] of [["clean", page], ["a secret in every tenth", laced(page, 9_000)]] as const) {
  const messages: Message[] = Array.from({ length: 1000 }, (_, n) => ({
    role: "tool",
    content: n % 10 === 0 ? source : page,
    tool_call_id: `call_${n}`,
  }));
  const all = messages.map(({ content }) => content).join("");
  rows.push(row(`${messages.length} messages, ${name}`, all.length, all, () => redactMessages(messages, redactor)));
}

const header = ["text (secrets in it)", "MB", "ms", "MB/s", "against one pass"];
printTable(`${SECRET_KINDS.length} kinds of secret`, header, rows);
