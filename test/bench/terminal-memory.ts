/** Resident memory of `hooksh run` over an hour of streaming: in one answer, in many answers, and with many tool calls. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentFor, type FakeOpenAI, fakeOpenAI, type Step } from "../helpers/fake-openai.ts";
import { printTable, shown } from "./measure.ts";
import { close, open, PROMPT } from "./terminal-session.ts";

export const MARKDOWN = `## A heading

A paragraph with **bold** words, \`code\` and [a link](https://example.com/page), as models write them all day, long enough for two rows.

- an item with \`code\`
  - a nested item that is **important**

| name | what it does | rows |
| --- | --- | --- |
| first | a cell with \`code\` | 42 |
| second | another cell | 17 |

\`\`\`ts
const answer = await ask(\`question \${number}\`); // until it answers
if (answer === undefined) return;
\`\`\`

`;
/** Characters of a token: 200 tokens a second are 2.88 MB in an hour. */
const TOKEN = 4;
const ANSWERS = 60;
const CALLS = 500;
const STEPS = 10;
/** Until an answer is drawn and the prompt is back. */
const SETTLE_MS = 200;
const REST_MS = 10_000;

/** The value after a flag. */
function valueOf(flag: string): string | undefined {
  const at = process.argv.indexOf(flag);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** The text of an answer: Markdown whose words do not repeat, because a parser keeps one copy of equal strings. */
function textOf(characters: number): string {
  let seed = 1;
  const random = (below: number) => ((seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff) >> 8) % below;
  const word = ({ length }: string) => Array.from({ length }, () => "abcdefghijklmnopqrstuvwxyz"[random(26)]).join("");
  const kept = new Set(["const", "await", "return", "https", "example"]);
  const page = MARKDOWN.repeat(2000).replace(/[a-z]{3,}/g, (old) => (kept.has(old) ? old : word(old)));
  return page.repeat(Math.ceil(characters / page.length)).slice(0, characters);
}

/** How far a session is. */
interface Progress {
  /** Tokens sent so far. */
  tokens: number;
  server: FakeOpenAI;
}

/** A session to measure: what the model answers, and how many messages the user sends. */
interface Scenario {
  title: string;
  script: (count: () => void) => Step[];
  messages: number;
  /** How much of the session is over, from 0 to 1. */
  done: (progress: Progress) => number;
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** An answer that streams token by token, each in an event of its own. Calls `count` for each. */
function answer(text: string, perSecond: number, count: () => void): () => Response {
  return () => {
    const encoder = new TextEncoder();
    const started = performance.now();
    let sent = 0;
    const body = new ReadableStream({
      async pull(controller) {
        await Bun.sleep(Math.max(1, (sent / perSecond) * 1000 - (performance.now() - started)));
        const due = Math.floor(((performance.now() - started) / 1000) * perSecond);
        for (; sent <= due && sent * TOKEN < text.length; sent++, count())
          controller.enqueue(encoder.encode(chunk({ content: text.slice(sent * TOKEN, (sent + 1) * TOKEN) })));
        if (sent * TOKEN < text.length) return;
        controller.enqueue(encoder.encode(`${chunk({}, "stop")}data: [DONE]\n\n`));
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function scenarios(): Scenario[] {
  const megabytes = Number(valueOf("--megabytes") ?? 2.88);
  const minutes = Number(valueOf("--minutes") ?? 1);
  const text = textOf(megabytes * 1e6);
  const tokens = text.length / TOKEN;
  const perSecond = tokens / (minutes * 60);
  const speed = `${shown(perSecond)} tokens a second, ${shown(minutes)} min`;
  const size = Math.ceil(text.length / ANSWERS);
  const texts = Array.from({ length: ANSWERS }, (_, at) => text.slice(at * size, (at + 1) * size));
  const call = (at: number): Step => ({ calls: [{ name: "shell", arguments: { cmd: `seq ${at}000 ${at}300` } }] });
  const spoken = ({ tokens: sent }: { tokens: number }) => sent / tokens;
  return [
    {
      title: `one answer: ${shown(megabytes)} MB, ${speed}`,
      script: (count) => [answer(text, perSecond, count)],
      messages: 1,
      done: spoken,
    },
    {
      title: `many answers: ${ANSWERS} of ${shown(size / 1000)} KB, ${speed}`,
      script: (count) => texts.map((each) => answer(each, perSecond, count)),
      messages: ANSWERS,
      done: spoken,
    },
    {
      title: `tool output: ${CALLS} calls with 300 lines each`,
      script: () => [...Array.from({ length: CALLS }, (_, at) => call(at)), { text: "THEEND" }],
      messages: 1,
      done: ({ server }) => Math.min(1, (CALLS + 1 - server.left()) / CALLS),
    },
  ];
}

/** Resident memory of a process in MB, and the processor time it has used in ms. */
function usageOf(pid: number): { resident: number; cpu: number } {
  const [, pages = "0"] = readFileSync(`/proc/${pid}/statm`, "utf8").split(" ");
  const fields = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1] ?? "").split(" ");
  return { resident: (Number(pages) * 4096) / 1e6, cpu: (Number(fields[11]) + Number(fields[12])) * 10 };
}

/** Plays a scenario with one program; returns resident memory and processor time at the prompt, at each tenth, and after a rest. */
async function play(binary: string, { script, messages, done }: Scenario): Promise<[string, string][]> {
  const scratch = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
  const count = () => void progress.tokens++;
  const server = fakeOpenAI(script(count));
  const progress: Progress = { tokens: 0, server };
  writeFileSync(join(scratch, "agent.yaml"), agentFor(server, { redact_secrets: true }));
  const session = open([binary, "run", "agent.yaml", "--yolo"], scratch, scratch);
  await session.sees(PROMPT);
  const figures: [string, string][] = [];
  let last = 0;
  const look = () => {
    const { resident, cpu } = usageOf(session.child.pid);
    figures.push([shown(resident), shown((cpu - last) / 1000)]);
    last = cpu;
  };
  look();
  for (let message = 0; message < messages; message++) {
    const left = server.left();
    session.press(`question ${message}\r`);
    while (server.left() === left) await Bun.sleep(20);
    for (const until = (message + 1) / messages; done(progress) < until * 0.9999; await Bun.sleep(20)) {
      server.requests.length = 0;
      while (figures.length <= STEPS && done(progress) >= figures.length / STEPS) look();
    }
    await Bun.sleep(SETTLE_MS);
  }
  while (figures.length <= STEPS) look();
  await Bun.sleep(REST_MS);
  look();
  await close(session);
  server.stop();
  rmSync(scratch, { recursive: true, force: true });
  return figures;
}

/** Measures the executable and, at the same time, the one that `--before` names. */
export async function measureMemory(binary: string): Promise<void> {
  const before = valueOf("--before");
  for (const scenario of scenarios()) {
    if (!scenario.title.startsWith(valueOf("--only") ?? "")) continue;
    const [now = [], earlier = []] = await Promise.all([
      play(binary, scenario),
      before === undefined ? [] : play(before, scenario),
    ]);
    const when = (at: number) => (at === 0 ? "the prompt" : at > STEPS ? "10 s later" : `${at * 10} %`);
    printTable(
      `Resident memory, ${scenario.title}`,
      ["sent", "resident MB", "processor s", ...(before === undefined ? [] : ["before: MB", "processor s"])],
      now.map((figures, at) => [when(at), ...figures, ...(earlier[at] ?? [])]),
    );
  }
}
