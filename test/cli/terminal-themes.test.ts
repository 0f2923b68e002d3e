import { expect, test } from "bun:test";
import { setUp, start } from "../helpers/terminal-run.ts";

test("/theme shows what a theme looks like, and uses the one that is chosen", async () => {
  const { cwd } = setUp({}, { text: "**bold** `code`" });
  const run = start(cwd, [], { env: { COLORTERM: "truecolor" } });
  await run.sees("/help shows");
  run.press("/theme\r");
  await run.sees("in use · your terminal's colours");
  await run.sees("✗ error");
  run.press("dracula");
  await run.sees("the palette of Dracula");
  run.press("\r");
  await run.sees("(theme dracula; to keep it");
  expect(run.sent()).toContain("\x1b[38;2;80;250;123m+ added");
  run.press("go\r");
  await run.sees("code");
  await run.sees("15 tokens");
  expect(run.sent()).toContain("\x1b[38;2;255;184;108mcode");
  run.press("\x04");
  await run.child.exited;
});

test("NO_COLOR wins over /theme", async () => {
  const { cwd } = setUp({});
  const run = start(cwd, [], { env: { NO_COLOR: "1" } });
  await run.sees("/help shows");
  run.press("/theme dracula\r");
  await run.sees("(no theme: --no-color or NO_COLOR turns colours off)");
  run.press("\x04");
  await run.child.exited;
  expect(run.sent()).not.toMatch(/\x1b\[(?:3[0-8]|9[0-7])[;m]/);
});
