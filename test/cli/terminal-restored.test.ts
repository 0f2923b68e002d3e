import { expect, test } from "bun:test";
import { setUp, start } from "../helpers/terminal-run.ts";

test.each([
  ["SIGTERM", 130],
  ["SIGHUP", 130],
  ["SIGQUIT", 131],
] as const)("%s restores the terminal and ends the run with %i", async (signal, code) => {
  const { cwd, events } = setUp({});
  const run = start(cwd);
  await run.sees("> ");
  run.press("half");
  await run.sees("half");
  run.child.kill(signal);
  expect(await run.child.exited).toBe(code);
  const sent = run.sent();
  for (const [on, off] of [
    ["\x1b[?2004h", "\x1b[?2004l"],
    ["\x1b[>7u", "\x1b[<u"],
    ["\x1b[?25l", "\x1b[?25h"],
  ] as const)
    expect(sent.lastIndexOf(off)).toBeGreaterThan(sent.lastIndexOf(on));
  expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "other" });
});
