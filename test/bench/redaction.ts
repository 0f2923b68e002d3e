/**
 * How fast secrets are searched for: clean text, text with secrets, a conversation of ten megabytes. Every figure
 * is compared with one pass over the same text, the least that any search could do. A second table has what the
 * whole builtin costs compared with the bare search, on large inputs, in processor time of all threads.
 * Run: `bun test/bench/redaction.ts [ROUNDS]`.
 */

import { defineHook } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { Message } from "../../src/protocol/fields.ts";
import { createRedactor, SECRET_KINDS, SECRET_RULES } from "../../src/redaction/redact.ts";
import { redactMessages } from "../../src/redaction/redact-messages.ts";
import { cpuTime } from "../helpers/growth.ts";
import { allSamples, randomFrom, textOf } from "../redaction/samples.ts";
import { printTable, shown } from "./measure.ts";

const redactor = createRedactor();
const rounds = Number(process.argv[2] ?? 20);
const MEGABYTE = 1 << 20;
const WARM_UP = 20;
const random = randomFrom(1);
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SAMPLES = allSamples(SECRET_RULES, 1).map(({ sample }) => sample.text);

const read = async (...paths: string[]) => (await Promise.all(paths.map((path) => Bun.file(path).text()))).join("\n");
const sized = (text: string, length = MEGABYTE) => text.repeat(Math.ceil(length / text.length)).slice(0, length);
/** A secret of the next rule after every `gap` characters. */
const laced = (text: string, every: number) =>
  Array.from(
    { length: Math.floor(text.length / every) },
    (_, n) => `${text.slice(n * every, (n + 1) * every)}\n${SAMPLES[n % SAMPLES.length]}\n`,
  ).join("");

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

/** The least processor time of some runs, in milliseconds: other programs on the machine count least in it. */
function least(run: () => unknown): number {
  return Math.min(...Array.from({ length: rounds + WARM_UP }, () => cpuTime(run)));
}

function row(name: string, length: number, text: string, run: () => unknown): string[] {
  const [took, floor] = [least(run), least(() => touch(text))];
  return [name, shown(length / 1e6), shown(took), shown(length / 1e3 / took), `${shown(took / floor)}x`];
}

// All kinds of text first, so that no row is measured on code made for another.
for (const [, text] of [...texts, ...texts]) redactor.redact(text);

const rows = texts.map(([name, text]) => {
  const count = redactor.find(text).length;
  return row(`${name} (${count})`, text.length, text, () => redactor.redact(text));
});
const page = sized(code, 10_000);
for (const [name, source] of [
  ["clean", page],
  ["a secret in every tenth", laced(page, 9_000)],
] as const) {
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

/** The executor of one hook, `redact_secrets`, on both events. */
function executor(): Executor {
  const hook = defineHook({ type: "builtin", command: "redact_secrets" });
  return new Executor(
    (["tool_response_transform", "before_llm_call"] as const).map((event) => ({
      hook,
      event,
      matcher: "",
      lane: "default",
      path: [],
      source: async () => "bench",
    })),
  );
}

/** The least processor time of all threads, in milliseconds, that each of some runs took; they take turns. */
async function leastCpu(runs: readonly (() => unknown)[]): Promise<number[]> {
  const least = runs.map(() => Infinity);
  for (let round = 0; round < rounds + WARM_UP; round++) {
    for (const [at, run] of runs.entries()) {
      const before = process.cpuUsage();
      await run();
      const { user, system } = process.cpuUsage(before);
      least[at] = Math.min(least[at] ?? Infinity, (user + system) / 1000);
    }
  }
  return least;
}

const dispatcher = executor();
const large = [
  ["prose", sized(prose, 4 * MEGABYTE)],
  ["source code", sized(code, 4 * MEGABYTE)],
  ["JSON of source code", JSON.stringify({ out: sized(code, 4 * MEGABYTE) })],
  ["prose, a secret every 10 KB", laced(sized(prose, 4 * MEGABYTE), 10_000)],
] as const;
const whole: string[][] = [];
const compare = async (name: string, length: number, search: () => unknown, dispatch: () => unknown) => {
  const [bare = 0, hook = 0] = await leastCpu([search, dispatch]);
  whole.push([
    name,
    shown(length / 1e6),
    shown(length / 1e3 / bare),
    shown(length / 1e3 / hook),
    `${shown(hook / bare)}x`,
  ]);
};
for (const [name, text] of large) {
  await compare(
    `a response: ${name}`,
    text.length,
    () => redactor.find(text),
    () => dispatcher.dispatch("tool_response_transform", { tool_name: "shell", tool_response: text }),
  );
}
for (const [name, isLaced] of [
  ["clean", false],
  ["a secret in every tenth", true],
] as const) {
  const messages: Message[] = Array.from({ length: 1000 }, (_, n) => {
    const own = code.slice(n * 100, n * 100 + 10_000);
    return { role: "tool", content: isLaced && n % 10 === 0 ? laced(own, 9_000) : own, tool_call_id: `call_${n}` };
  });
  const length = messages.reduce((sum, { content = "" }) => sum + content.length, 0);
  await compare(
    `1000 messages, ${name}`,
    length,
    () => messages.forEach(({ content = "" }) => redactor.find(content)),
    () => dispatcher.dispatch("before_llm_call", { messages }),
  );
}
printTable(
  "the whole builtin, on a worker",
  ["input", "MB", "search MB/s", "builtin MB/s", "against the search"],
  whole,
);
process.exit(0);
