import { expect, test } from "bun:test";
import { describeResult, run } from "./worker-calls.ts";

const KINDS = ["echo", "throw", "exit", "spin", "hang", "ours"] as const;

async function call(index: number): Promise<string> {
  const kind = KINDS[index % KINDS.length] ?? "echo";
  if (kind === "ours") return describeResult(await run("add_directory_listing"));
  const deadline = kind === "spin" || kind === "hang" ? AbortSignal.timeout(50) : undefined;
  return describeResult(await run(`./${kind}.ts`, [String(index)], deadline));
}

function expected(index: number): string {
  return {
    echo: `${index}s`,
    throw: "on purpose",
    exit: "worker ended with code 3 before it answered",
    spin: "ended before it answered",
    hang: "ended before it answered",
    ours: "listing",
  }[KINDS[index % KINDS.length] ?? "echo"];
}

test("300 mixed calls each get their own answer, and memory does not grow", async () => {
  const round = async (from: number) => {
    const indices = Array.from({ length: 30 }, (_, n) => from + n);
    expect(await Promise.all(indices.map(call))).toEqual(indices.map(expected));
  };
  for (let n = 0; n < 5; n++) await round(n * 30);
  Bun.gc(true);
  const before = process.memoryUsage.rss();
  for (let n = 5; n < 10; n++) await round(n * 30);
  Bun.gc(true);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});
