import { join, relative } from "node:path";
import { until } from "./until.ts";

const root = join(import.meta.dir, "../..");

interface Script {
  scriptId: string;
  url: string;
}

interface BasicBlock {
  executionCount: number;
}

/**
 * The program, run from its sources (src/main.ts) under Bun's inspector, which counts how often every piece of code
 * runs.
 */
export class InspectedProgram {
  readonly #child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #inspector: Inspector;
  #printed = "";

  private constructor(child: Bun.Subprocess<"pipe", "pipe", "pipe">, inspector: Inspector) {
    this.#child = child;
    this.#inspector = inspector;
    void this.#readOutput();
  }

  /** Starts the program in a directory, which is its home too. `input`: all of its standard input. */
  static async start(args: readonly string[], cwd: string, input?: string): Promise<InspectedProgram> {
    const child = Bun.spawn(
      [process.execPath, "--inspect-wait=127.0.0.1:0/program", join(root, "src/main.ts"), ...args],
      {
        cwd,
        env: { PATH: process.env["PATH"] ?? "", HOME: cwd, SHELL: "/bin/sh" },
        stdin: "pipe",
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    if (input !== undefined) {
      child.stdin.write(input);
      await child.stdin.end();
    }
    const inspector = await Inspector.connect(await addressIn(child.stderr));
    return new InspectedProgram(child, inspector);
  }

  /** Writes to standard input, and waits for as many lines of standard output. */
  async ask(line: string, lines: number): Promise<void> {
    this.#child.stdin.write(`${line}\n`);
    await this.#child.stdin.flush();
    await until(() => this.#printed.split("\n").length > lines);
  }

  /** Runs the program on an input to its end. Returns the files that it loaded. */
  static async filesFor(args: readonly string[], cwd: string, input: string): Promise<string[]> {
    const program = await InspectedProgram.start(args, cwd, input);
    if ((await program.#child.exited) !== 0) throw new Error("the program failed");
    await program.#inspector.closed;
    return program.files();
  }

  /** The source files that are loaded. */
  files(): string[] {
    return this.#inspector.sources().map(({ url }) => relative(root, url));
  }

  /** How often code of each source file has run so far. Waits until nothing runs. */
  async counts(): Promise<Map<string, number>> {
    let before = await this.#currentCounts();
    for (;;) {
      await Bun.sleep(50);
      const now = await this.#currentCounts();
      if (Bun.deepEquals(before, now)) return now;
      before = now;
    }
  }

  /** Ends standard input and waits for the end of the program. Returns its exit code. */
  async end(): Promise<number> {
    await this.#child.stdin.end();
    const code = await this.#child.exited;
    this.#inspector.close();
    return code;
  }

  async #currentCounts(): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { scriptId, url } of this.#inspector.sources()) {
      const { basicBlocks } = await this.#inspector.call<{ basicBlocks: BasicBlock[] }>("Runtime.getBasicBlocks", {
        sourceID: scriptId,
      });
      const runs = basicBlocks.reduce((sum, { executionCount }) => sum + executionCount, 0);
      counts.set(relative(root, url), runs);
    }
    return counts;
  }

  async #readOutput(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) this.#printed += decoder.decode(chunk, { stream: true });
  }
}

/** Returns the files in which more code has run since `before`. */
export function grown(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string[] {
  return [...after].filter(([file, count]) => count > (before.get(file) ?? 0)).map(([file]) => file);
}

/** Reads the address that Bun prints. */
async function addressIn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  const found = Promise.withResolvers<string>();
  // Reads on after the address, so that the program can always write.
  void (async () => {
    let text = "";
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      const address = /ws:\/\/\S+/.exec(text)?.[0];
      if (address) found.resolve(address);
    }
    found.reject(new Error(`no address of an inspector: ${text}`));
  })();
  return found.promise;
}

/** A connection to the inspector of a program that waits for it. */
class Inspector {
  readonly #socket: WebSocket;
  readonly #scripts: Script[] = [];
  /** Resolves when the program has ended, and all that it reported has arrived. */
  readonly closed: Promise<void>;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #calls = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    const closed = Promise.withResolvers<void>();
    this.closed = closed.promise;
    socket.onclose = () => closed.resolve();
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)));
  }

  /** Connects, starts counting, and lets the program run. */
  static async connect(address: string): Promise<Inspector> {
    const socket = new WebSocket(address);
    const inspector = new Inspector(socket);
    const opened = Promise.withResolvers<void>();
    socket.onopen = () => opened.resolve();
    socket.onerror = () => opened.reject(new Error(`cannot connect to ${address}`));
    await opened.promise;
    for (const method of ["Inspector.enable", "Runtime.enable", "Debugger.enable", "Runtime.enableControlFlowProfiler"])
      await inspector.call(method);
    await inspector.call("Inspector.initialized");
    return inspector;
  }

  call<Result>(method: string, params: object = {}): Promise<Result> {
    const id = ++this.#calls;
    const answer = Promise.withResolvers<Result>();
    this.#waiting.set(id, (result) => answer.resolve(result as Result));
    this.#socket.send(JSON.stringify({ id, method, params }));
    return answer.promise;
  }

  /** The loaded sources of the project. */
  sources(): readonly Script[] {
    return this.#scripts.filter(({ url }) => /^(src|builtins)\//.test(relative(root, url)));
  }

  close(): void {
    this.#socket.close();
  }

  #receive(message: { id?: number; method?: string; params?: Script; result?: unknown }): void {
    if (message.id !== undefined) this.#waiting.get(message.id)?.(message.result);
    else if (message.method === "Debugger.scriptParsed" && message.params) this.#scripts.push(message.params);
  }
}
