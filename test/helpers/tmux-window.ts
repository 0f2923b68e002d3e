import { cleanEnv } from "./binary.ts";
import { until } from "./until.ts";

/** The path of tmux; null if it is not installed. */
export const tmux = Bun.which("tmux");

let socket: string | undefined;

function run(...args: string[]): string {
  socket ??= `hooksh-test-${crypto.randomUUID()}`;
  const { stdout, stderr, exitCode } = Bun.spawnSync([tmux ?? "tmux", "-L", socket, ...args], {
    env: { ...cleanEnv("/tmp"), LC_ALL: "C.UTF-8", TERM: "xterm" },
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}

/** Ends all windows. For `afterAll` of each file with windows: several files may run in one process. */
export function closeWindows(): void {
  if (socket) Bun.spawnSync([tmux ?? "tmux", "-L", socket, "kill-server"], { stderr: "ignore" });
  socket = undefined;
}

/** A window of tmux, which is a real terminal with a scrollback. */
export class Window {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  open(command: string, columns: number, rows: number): void {
    run("-f", "/dev/null", "new-session", "-d", "-s", this.#name, "-x", `${columns}`, "-y", `${rows}`, command);
    run("set-option", "-t", this.#name, "window-size", "manual");
  }

  resize(columns: number, rows: number): void {
    run("resize-window", "-t", this.#name, "-x", `${columns}`, "-y", `${rows}`);
  }

  press(...keys: string[]): void {
    run("send-keys", "-t", this.#name, ...keys);
  }

  /** Types a text, and Enter. */
  enter(text: string): void {
    this.press("-l", text);
    this.press("Enter");
  }

  /** The rows of the screen. */
  screen(): string[] {
    return run("capture-pane", "-p", "-t", this.#name).trimEnd().split("\n");
  }

  /** The rows of the scrollback and the screen. */
  all(): string[] {
    return run("capture-pane", "-p", "-S", "-", "-t", this.#name).trimEnd().split("\n");
  }

  async sees(text: string): Promise<void> {
    await this.until(text, (rows) => rows.some((row) => row.includes(text)));
  }

  async until(what: string, holds: (rows: string[]) => boolean): Promise<void> {
    await until(() => holds(this.screen())).catch((error: Error) => {
      throw new Error(`never saw ${what} in\n${this.screen().join("\n")}`, { cause: error });
    });
  }
}
