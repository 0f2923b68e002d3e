import { afterAll } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv } from "./binary.ts";
import { agentFor, type FakeOpenAI, fakeOpenAI, type Step } from "./fake-openai.ts";
import { tempDir } from "./temp-dir.ts";

const servers: FakeOpenAI[] = [];

afterAll(() => {
  for (const server of servers.splice(0)) server.stop();
});

/** What a run at a terminal may differ in. */
export interface TerminalOptions {
  env?: Readonly<Record<string, string>>;
  columns?: number;
}

/** A run at a real pseudo-terminal: what it shows, and keys to press. */
export type TerminalRun = ReturnType<typeof startAtTerminal>;

/** Runs the agent of a directory at a pseudo-terminal: `hooksh run agent.yaml ARGS`. */
export function start(cwd: string, args: readonly string[] = [], options: TerminalOptions = {}) {
  return startAtTerminal(cwd, ["run", "agent.yaml", ...args], options);
}

/** Starts the executable at a pseudo-terminal: `hooksh ARGS`. */
export function startAtTerminal(cwd: string, args: readonly string[], options: TerminalOptions = {}) {
  return startProgram(cwd, [binary(), ...args], options);
}

/**
 * Runs a shell script to its end at a pseudo-terminal, where `$0` is the executable; gives everything that was sent to
 * it.
 */
export async function sentByScript(cwd: string, script: string, options: TerminalOptions = {}): Promise<string> {
  const run = startProgram(cwd, ["/bin/sh", "-c", `${script}; echo ended`, binary()], options);
  await run.sees("ended");
  await run.child.exited;
  return run.sent();
}

function startProgram(cwd: string, command: string[], { env = {}, columns = 100 }: TerminalOptions) {
  const decoder = new TextDecoder();
  let screen = "";
  let seen = 0;
  let waiting: (() => void) | undefined;
  const child = Bun.spawn(command, {
    cwd,
    env: cleanEnv(cwd, { TERM: "xterm", ...env }),
    terminal: {
      cols: columns,
      rows: 30,
      data: (_terminal, data) => {
        screen += decoder.decode(data, { stream: true });
        waiting?.();
      },
    },
  });
  const run = {
    child,
    press: (keys: string) => void child.terminal?.write(keys),
    /** Everything that was sent to the terminal, sequences included. */
    sent: () => screen,
    /** The same without sequences. */
    shown: () => Bun.stripANSI(screen),
    /** Waits until a text is shown, behind what was last waited for. */
    async sees(text: string): Promise<void> {
      const end = performance.now() + 280_000; // shortly before the limit of a test
      for (;;) {
        const shown = Bun.stripANSI(screen);
        const at = shown.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (performance.now() > end)
          throw new Error(`never saw ${JSON.stringify(text)} in ${JSON.stringify(shown.slice(seen))}`);
        await Promise.race([new Promise<void>((resolve) => (waiting = resolve)), Bun.sleep(100)]);
      }
    },
    /** Presses Escape, and waits: a key right behind it would be a key with Alt. */
    async escape(): Promise<void> {
      run.press("\x1b");
      await Bun.sleep(600);
    },
    /** Presses a key until a text is shown: on a busy machine, a key may arrive too close to the one before it to count. */
    async pressesUntil(key: string, text: string): Promise<void> {
      const seen = run.sees(text).then(() => true);
      do run.press(key);
      while (!(await Promise.race([seen, Bun.sleep(1000)])));
    },
  };
  return run;
}

/** A step of a conversation at a terminal: keys, and the texts that are shown then, in this order; or something else. */
export type Exchange = readonly [keys: string, ...shown: string[]] | ((run: TerminalRun) => unknown);

/** Presses keys and waits for what is shown, step by step. */
export async function converse(run: TerminalRun, exchanges: readonly Exchange[]): Promise<void> {
  for (const exchange of exchanges) {
    if (typeof exchange === "function") await exchange(run);
    else {
      const [keys, ...shown] = exchange;
      if (keys !== "") run.press(keys);
      for (const text of shown) await run.sees(text);
    }
  }
}

/** A directory with an agent whose model plays a script and whose hooks write their events down. */
export function setUp(keys: Record<string, unknown>, ...script: Step[]) {
  const server = fakeOpenAI(script);
  servers.push(server);
  const hook = { type: "command", command: "cat >> events.log" };
  const { hooks: added = {}, ...others } = keys;
  const hooks = {
    session_start: [hook],
    turn_end: [hook],
    session_end: [hook],
    on_tool_approval_decision: [hook],
    user_steering_messages_submit: [hook],
    ...(added as object),
  };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, ...others }) });
  const events = () =>
    readFileSync(join(cwd, "events.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { server, cwd, events };
}

/** A model's call of the shell tool. */
export const shell = (cmd: string): Step => ({ calls: [{ name: "shell", arguments: { cmd } }] });

/** An answer that the model gives when the test lets it. */
export function held(content: string): { step: Step; release: () => void } {
  const released = Promise.withResolvers<void>();
  const chunk = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices })}\n\n`;
  };
  const step = async () => {
    await released.promise;
    const body = `${chunk({ role: "assistant", content }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
  return { step, release: released.resolve };
}
