import { createInterface, type Interface } from "node:readline/promises";
import type { ApprovalAnswer, ApprovalRequest } from "../../runtime/front-end.ts";
import { callText } from "../render/run-text.ts";

/** The person at the terminal: lines to send, one-key answers. */
export interface Terminal {
  /** The next line; undefined at the end of input, or when the user leaves with Ctrl+C. */
  readLine(prompt: string): Promise<string | undefined>;
  /** Asks until one of the keys is pressed; undefined for Ctrl+C, and when the signal aborts. */
  readKey(question: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** A terminal on standard input and error; standard output stays what the agent says. */
export function openTerminal(): Terminal {
  const history: string[] = [];
  return {
    readLine: (prompt) => readLine(prompt, history),
    readKey,
    close: () => process.stdin.pause(),
  };
}

async function readLine(prompt: string, history: string[]): Promise<string | undefined> {
  const lines: Interface = createInterface({ input: process.stdin, output: process.stderr, terminal: true, history, historySize: 500 });
  try {
    const left = Promise.withResolvers<undefined>();
    lines.on("SIGINT", () => left.resolve(undefined));
    lines.on("close", () => left.resolve(undefined));
    const line = await Promise.race([lines.question(prompt), left.promise]);
    if (line?.trim()) history.unshift(line);
    return line;
  } finally {
    lines.close();
  }
}

async function readKey(question: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const { stdin } = process;
  const answer = Promise.withResolvers<string | undefined>();
  const onAbort = () => answer.resolve(undefined);
  const onData = (data: Buffer) => {
    for (const key of data.toString("utf8").toLowerCase()) {
      if (key === "\x03" || key === "\x04") answer.resolve(undefined);
      if (keys.includes(key)) answer.resolve(key);
    }
  };
  if (signal.aborted) return undefined;
  signal.addEventListener("abort", onAbort, { once: true });
  process.stderr.write(question);
  stdin.setRawMode(true);
  stdin.resume();
  stdin.on("data", onData);
  try {
    const key = await answer.promise;
    process.stderr.write(`${key ?? "^C"}\n`);
    return key;
  } finally {
    stdin.off("data", onData);
    stdin.setRawMode(false);
    stdin.pause();
    signal.removeEventListener("abort", onAbort);
  }
}

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  y: { kind: "once" },
  t: { kind: "tool" },
  b: { kind: "balanced" },
  a: { kind: "session" },
  n: { kind: "reject" },
};

/** Asks for one tool call; Ctrl+C calls `interrupt` and rejects. Source: config-and-cli 9.3 (approval). */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  signal: AbortSignal,
  interrupt: () => void,
): Promise<ApprovalAnswer> {
  const { metadata } = request;
  const label = [metadata["safety_label"], metadata["blast_radius"] && `blast radius ${metadata["blast_radius"]}`].filter(Boolean).join(", ");
  const lines = [
    `${request.agentName} wants to run ${callText({ name: request.toolName, arguments: JSON.stringify(request.input) }, Infinity)}`,
    ...(label ? [`  ${label}`] : []),
    ...(metadata["reason"] ? [`  ${metadata["reason"]}`] : []),
    "[y]es / [t]ool always / [b]alanced / [a]ll / [n]o: ",
  ];
  const key = await terminal.readKey(`\n${lines.join("\n")}`, Object.keys(ANSWERS), signal);
  if (key === undefined) interrupt();
  return ANSWERS[key ?? "n"] ?? { kind: "reject" };
}
