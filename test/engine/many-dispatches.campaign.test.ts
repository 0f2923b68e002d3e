import { expect, test } from "bun:test";
import { join } from "node:path";

test("10,000 dispatches in one process leak no memory, descriptor, thread or zombie", async () => {
  const fixture = join(import.meta.dir, "../fixtures/many-dispatches.ts");
  const child = Bun.spawn([process.execPath, fixture, "10000"], { stdout: "pipe", stderr: "pipe" });
  const [text, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect(errors).toBe("");
  const { wrong, measures, children } = JSON.parse(text);
  expect({ wrong, children }).toEqual({ wrong: 0, children: 0 });
  const [early, late] = measures;
  expect(late.rss - early.rss).toBeLessThan(60);
  expect(late.descriptors - early.descriptors).toBeLessThan(60);
  expect(late.threads - early.threads).toBeLessThan(4);
});
