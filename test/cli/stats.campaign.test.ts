import { expect, test } from "bun:test";
import { join } from "node:path";
import { percentile } from "../../src/lib/percentiles.ts";
import type { StatsReport } from "../../src/records/stats/stats-report.ts";
import { type EntryFields, writeAuditLog } from "../helpers/audit-log.ts";
import { hooksh } from "../helpers/binary.ts";
import { diceFrom } from "../helpers/dice.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

async function report(entries: Iterable<EntryFields>): Promise<StatsReport> {
  const cwd = tempDir();
  writeAuditLog(join(cwd, "data"), entries);
  const ran = await hooksh(["stats", "--data-dir", "data", "--json", "--since", "60d"], { cwd });
  expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(ran.stdout);
}

test("hooksh stats has percentiles within 1 % of the exact ones, in 200,000 entries of two months", async () => {
  const roll = diceFrom(5);
  const exact = { fast: [] as number[], "langsam-äöü": [] as number[] };
  function* entries(): Generator<EntryFields> {
    for (let at = 0; at < 200_000; at++) {
      const name = at % 2 === 0 ? "fast" : "langsam-äöü";
      const ms = Math.round((name === "fast" ? 1 + roll(900) / 100 : 10 ** (1 + roll(3000) / 1000)) * 100) / 100;
      exact[name].push(ms);
      yield { time: ago((200_000 - at) / 4), session: `s${at >> 6}`, hooks: [{ name, ms }], ms, call: `t${at}` };
    }
  }
  const { hooks, sessions, entries: count } = await report(entries());
  expect([count, sessions?.sessions]).toEqual([200_000, 3125]);
  expect(hooks.map(({ hook, runs }) => [hook, runs])).toEqual([
    ["langsam-äöü", 100_000],
    ["fast", 100_000],
  ]);
  for (const { hook, p50_ms, p95_ms, max_ms, total_ms } of hooks) {
    const sorted = exact[hook as keyof typeof exact].toSorted((a, b) => a - b);
    const at = (share: number) => percentile(sorted, share) ?? Number.NaN;
    expect(Math.abs(p50_ms / at(0.5) - 1)).toBeLessThan(0.0101);
    expect(Math.abs(p95_ms / at(0.95) - 1)).toBeLessThan(0.0101);
    expect([max_ms, Math.round(total_ms)]).toEqual([at(1), Math.round(sorted.reduce((sum, ms) => sum + ms))]);
  }
});
