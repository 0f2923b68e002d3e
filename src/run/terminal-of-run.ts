import { isatty } from "node:tty";
import { processEnv } from "../lib/env.ts";
import type { Session } from "../runtime/session/session.ts";
import { openTerminal, themeFor } from "../terminal/front-end/open-terminal.ts";
import type { RunStatus } from "../terminal/front-end/run-status.ts";
import type { Terminal } from "../terminal/front-end/terminal.ts";
import { isForProgram } from "./run-flags.ts";
import type { SessionRun } from "./session-run.ts";

/** Opens the terminal if a user is at it, and if the output is for people. */
export async function terminalOf(
  { flags, setup }: SessionRun,
  current: { readonly session: Session },
  status: RunStatus,
): Promise<Terminal | undefined> {
  if (!isatty(0) || !isatty(1) || isForProgram(flags)) return undefined;
  const env = processEnv();
  return openTerminal({
    env,
    plain: flags.plain ?? setup.terminal.plain,
    notify: setup.terminal.notify,
    ...themeFor(env, flags["no-color"], setup.terminal.theme),
    status,
    mayRead: (...call) => status.mayRead(...call),
    cwd: () => current.session.workingDir,
    hideToolCalls: flags["hide-tool-calls"] ?? false,
    hideToolResults: setup.hideToolResults,
  });
}
