import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { held, setUp, shell, start } from "../helpers/terminal-run.ts";

const write = (path: string) => ({ calls: [{ name: "write_file", arguments: { path, content: "x" } }] });

const BACK_TAB = "\x1b[Z";

test("Shift+Tab goes through the modes: edits run, then nothing but reading, then everything, then it asks again", async () => {
  const steps = [write("one"), shell("touch two"), { text: "edited" }, write("three"), { text: "planned" }] as const;
  const { server, cwd, events } = setUp({ toolsets: [{ type: "shell" }, { type: "filesystem" }] }, ...steps);
  const run = start(cwd, [], { columns: 150 });
  await run.sees("safety: default");
  run.press(BACK_TAB);
  await run.sees("safety: accept-edits: edits of files in the project");
  run.press("go\r");
  await run.sees("root wants to run shell(cmd: touch two)");
  await run.sees("[n]o:");
  run.press(BACK_TAB); // moves the highlight; the mode stays
  await run.sees("→ [n]o");
  await run.pressesUntil("n", "edited");
  await run.sees("safety: accept-edits");
  expect(existsSync(join(cwd, "one"))).toBe(true);
  run.press(BACK_TAB);
  await run.sees("safety: plan: tools that only read run");
  run.press("go\r");
  await run.sees("planned");
  await run.sees("> "); // the agent has finished
  expect(existsSync(join(cwd, "three"))).toBe(false);
  expect(server.requests.at(-1)?.messages.at(-1)?.content).toContain("plan mode is on");
  run.press(BACK_TAB);
  await run.sees("safety: autonomous: every call runs");
  run.press(BACK_TAB);
  await run.sees("safety: default: tools that only read run");
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
  const sources = events().flatMap(({ approval_source }) => approval_source ?? []);
  expect(sources).toEqual(["mode_accept_edits", "user_rejected", "mode_plan"]);
});

test("while the agent works, Shift+Tab leaves autonomous mode out", async () => {
  const { step, release } = held("done");
  const { cwd } = setUp({}, step);
  const run = start(cwd, ["--safety", "plan"], { columns: 150 });
  await run.sees("safety: plan");
  run.press("go\r");
  await run.sees("thinking");
  run.press(BACK_TAB);
  await run.sees("safety: default: ");
  release();
  await run.sees("done");
  run.press("\x04");
  await run.child.exited;
  expect(run.shown()).not.toContain("autonomous");
});
