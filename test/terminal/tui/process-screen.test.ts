import { expect, test } from "bun:test";
import { join } from "node:path";

const source = JSON.stringify(join(import.meta.dir, "../../../src/terminal/tui/process-screen.ts"));

test("an escape sequence without an end is not kept for ever, and what is typed afterwards arrives", async () => {
  const program = `import { ProcessScreen } from ${source};
    const screen = new ProcessScreen();
    let typed = "";
    let most = 0;
    screen.start((data) => (typed += data), () => {});
    process.stdin.on("data", () => (most = Math.max(most, screen["stdinBuffer"].getBuffer().length)));
    process.stdin.on("end", () => {
      console.error(JSON.stringify({ most, last: typed.slice(-3) }));
      process.exit(0);
    });`;
  const child = Bun.spawn([process.execPath, "-e", program], { stdin: "pipe", stdout: "ignore", stderr: "pipe" });
  child.stdin.write(`\x1b[${"1".repeat(1_000_000)}`);
  child.stdin.write("mxyz");
  await child.stdin.end();
  const { most, last } = JSON.parse(await child.stderr.text());
  expect(last).toBe("xyz");
  expect(most).toBeLessThanOrEqual(64 * 1024);
});
