/**
 * What `hooksh dispatch` takes for its standard input: one large event of several shapes in two sizes, and many small
 * ones. A time in proportion to the size shows as equal MB/s. No hook is configured. Run: `bun test/bench/stdin.ts`
 * after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JsonSplitter } from "../../src/lib/json-stream/json-splitter.ts";
import { figuresOf, printTable, shown } from "./measure.ts";

const ROUNDS = 3;
const EVENT = `{"session_id":"s1","hook_event_name":"turn_end","reason":"normal","agent_name":"root"}\n`;
const HEAD = `{"hook_event_name":"turn_end","more":`;

/** An input: a filling that is repeated, and the bytes around it. */
interface Shape {
  name: string;
  head: string;
  filling: string;
  tail: string;
  megabytes: number[];
}

const SHAPES: readonly Shape[] = [
  { name: "one string", head: `${HEAD}"`, filling: "0123456789abcdef", tail: `"}`, megabytes: [10, 100] },
  { name: "one string of escapes", head: `${HEAD}"`, filling: '\\"', tail: `"}`, megabytes: [10, 100] },
  {
    name: "a list of short texts",
    head: `${HEAD}[`,
    filling: '"0123456789abcdef0123456789abc",\n',
    tail: "0]}",
    megabytes: [10, 100],
  },
  { name: "blanks", head: HEAD, filling: "\n", tail: "0}", megabytes: [10, 100] },
  { name: "events on lines of their own", head: "", filling: EVENT, tail: "", megabytes: [1, 10] },
  { name: "lines that are all cut off", head: "", filling: '{"a":\n', tail: "", megabytes: [0.1, 1] },
];

const binary = join(import.meta.dir, "../../dist/hooksh");
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));

/** Writes an input piece by piece: the memory of this process would count as that of the ones it starts. */
async function writeInput({ head, filling, tail }: Shape, megabytes: number): Promise<string> {
  const file = join(dir, `input-${megabytes}`);
  const writer = Bun.file(file).writer();
  const piece = filling.repeat(Math.ceil(100_000 / filling.length));
  writer.write(head);
  for (let bytes = 0; bytes < megabytes * 1e6; bytes += piece.length) {
    writer.write(piece);
    await writer.flush();
  }
  writer.write(tail);
  await writer.end();
  return file;
}

/** Milliseconds and resident megabytes of a whole process that reads a file on standard input. */
async function timeProcess(file: string): Promise<{ milliseconds: number; megabytes: number }> {
  const started = Bun.nanoseconds();
  const child = Bun.spawn([binary, "dispatch"], { stdin: Bun.file(file), stdout: "pipe", stderr: "ignore" });
  for await (const _ of child.stdout);
  await child.exited;
  return { milliseconds: (Bun.nanoseconds() - started) / 1e6, megabytes: (child.resourceUsage()?.maxRSS ?? 0) / 1e6 };
}

/** Milliseconds that it takes to find and parse the values of a file. */
async function timeReading(file: string): Promise<number> {
  const started = Bun.nanoseconds();
  const splitter = new JsonSplitter();
  for await (const chunk of Bun.file(file).stream()) {
    splitter.push(chunk);
    while (splitter.next());
  }
  splitter.finish("has no end");
  while (splitter.next());
  return (Bun.nanoseconds() - started) / 1e6;
}

async function rounds<T>(measure: () => Promise<T>): Promise<T[]> {
  const found: T[] = [];
  for (let round = 0; round < ROUNDS; round++) found.push(await measure());
  return found;
}

const inputs = SHAPES.flatMap((shape) => shape.megabytes.map((megabytes) => ({ shape, megabytes })));
const processes = [];
for (const { shape, megabytes } of inputs) {
  const file = await writeInput(shape, megabytes);
  processes.push(await rounds(() => timeProcess(file)));
}
const rows: string[][] = [];
for (const [index, { shape, megabytes }] of inputs.entries()) {
  const file = await writeInput(shape, megabytes);
  const reading = figuresOf(await rounds(() => timeReading(file))).median;
  const runs = processes[index] ?? [];
  rows.push([
    shape.name,
    String(megabytes),
    shown(reading),
    shown((megabytes / reading) * 1000),
    shown(figuresOf(runs.map(({ milliseconds }) => milliseconds)).median),
    shown(Math.max(...runs.map((run) => run.megabytes))),
  ]);
}
printTable(
  `Standard input of dispatch, median of ${ROUNDS}: finding and parsing the events alone, and the whole process`,
  ["input", "MB", "reading ms", "MB/s", "process ms", "max RSS MB"],
  rows,
);
await rm(dir, { recursive: true, force: true });
