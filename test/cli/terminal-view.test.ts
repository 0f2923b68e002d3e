import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setUp, shell, start } from "../helpers/terminal-run.ts";

const ENTER = "\x1b[?1049h";
const LEAVE = "\x1b[?1049l";

const permissions = { allow: ["shell:cmd=seq *"] };

test("/view shows a result in the other screen and gives the screen back", async () => {
  const { cwd } = setUp({}, shell("seq 3000"), { text: "counted" });
  await Bun.write(`${cwd}/agent.yaml`, JSON.stringify({ ...(await agentOf(cwd)), permissions }));
  const run = start(cwd);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("2995 more lines, ");
  await run.sees("of them kept (Ctrl+O opens)");
  await run.sees("counted");
  run.press("/view 2\r");
  await run.sees("shell(cmd: seq 3000) · line 1 of");
  run.press("/");
  run.press("2999");
  run.press("\r");
  await run.sees("q leaves");
  await run.pressesUntil("G", "3000");
  run.press("q");
  await run.sees("> ");
  run.press("/view\r");
  await run.sees("answer of root");
  run.press("\x03");
  await run.sees("> ");
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
  expect(run.sent().split(ENTER)).toHaveLength(3);
  expect(run.sent().split(LEAVE)).toHaveLength(3);
});

test("a question closes the view, and keys meant for the view do not answer it", async () => {
  const ready = Promise.withResolvers<void>();
  const { cwd } = setUp(
    {},
    shell("seq 300"),
    { ...(shell("touch asked") as object), before: () => ready.promise },
    { text: "done" },
  );
  await Bun.write(`${cwd}/agent.yaml`, JSON.stringify({ ...(await agentOf(cwd)), permissions }));
  const run = start(cwd);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("295 more lines");
  run.press("/view\r");
  await run.sees("line 1 of 300");
  const typing = setInterval(() => run.press("y"), 20);
  ready.resolve();
  await run.sees("(the view was closed: a question waits)");
  await Bun.sleep(300);
  clearInterval(typing);
  await run.sees("[n]o:");
  expect(run.sent().lastIndexOf(LEAVE)).toBeGreaterThan(run.sent().lastIndexOf(ENTER));
  expect(existsSync(join(cwd, "asked"))).toBe(false);
  await run.pressesUntil("n", "done");
  expect(existsSync(join(cwd, "asked"))).toBe(false);
  run.press("\x04");
  await run.child.exited;
});

async function agentOf(cwd: string): Promise<object> {
  return JSON.parse(await Bun.file(`${cwd}/agent.yaml`).text()) as object;
}
