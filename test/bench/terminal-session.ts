/** A program in a pseudo-terminal, for measurements. */

/** A program in a pseudo-terminal, and what it has shown since the last look. */
export interface Session {
  child: Bun.Subprocess;
  press: (keys: string) => void;
  /** Resolves when the text is shown, and forgets everything before it. */
  sees: (text: string) => Promise<void>;
}

/** Starts a program in a pseudo-terminal of 100 columns and 30 rows. */
export function open(command: string[], cwd: string, home: string): Session {
  const decoder = new TextDecoder();
  let screen = "";
  let waiting: (() => void) | undefined;
  const child = Bun.spawn(command, {
    cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: home, TERM: "xterm-256color", SHELL: "/bin/sh", LC_ALL: "C.UTF-8" },
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, data) => {
        screen += decoder.decode(data, { stream: true });
        waiting?.();
      },
    },
  });
  return {
    child,
    press: (keys) => void child.terminal?.write(keys),
    async sees(text) {
      for (;;) {
        if (Bun.stripANSI(screen).replaceAll("\r", "").includes(text)) break;

        await new Promise<void>((resolve) => (waiting = resolve));
      }
      screen = "";
    },
  };
}

/** The input line, waiting for a message. */
export const PROMPT = "─\n> ";

export async function close({ child }: Session): Promise<void> {
  child.kill("SIGKILL");
  await child.exited;
  child.terminal?.close();
}
