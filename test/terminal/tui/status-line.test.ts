import { describe, expect, test } from "bun:test";
import { visibleWidth } from "@earendil-works/pi-tui";
import type { Status } from "../../../src/terminal/front-end/run-status.ts";
import { THEMES } from "../../../src/terminal/theme.ts";
import { StatusLine } from "../../../src/terminal/tui/status-line.ts";

const STATUS: Status = {
  model: "openai/gpt-4o",
  tokens: 12_345,
  isEstimated: false,
  contextLimit: 128_000,
  cost: 0.1234,
  isCostPartial: false,
  mode: "autonomous",
};

function row(columns: number, status: Partial<Status> = {}, branch: string | undefined = "main"): string {
  const options = {
    status: { read: () => ({ ...STATUS, ...status }) },
    branch: () => branch,
    theme: () => THEMES.none,
  };
  return new StatusLine(options).render(columns)[0] ?? "";
}

describe("the status line", () => {
  test("shows model, tokens, share of the context, cost, safety mode and branch", () => {
    expect(row(200)).toBe("openai/gpt-4o · 12k tokens · 10 % of context · $0.1234 · safety: autonomous · main");
  });

  test("shows all of it before the first message", () => {
    expect(row(200, { tokens: 0, cost: 0, mode: "default" })).toBe(
      "openai/gpt-4o · 0 tokens · 0 % of context · $0.00 · safety: default · main",
    );
  });

  test.each([
    [{ contextLimit: 0 }, "context size unknown"],
    [{ isEstimated: true }, "about 12k tokens"],
    [{ isCostPartial: true }, "over $0.1234"],
    [{ isCostPartial: true, cost: 0 }, "cost unknown"],
    [{ cost: 12.345 }, "$12.35"],
    [{ model: "a\x1b[2Kb" }, "a\\x1b[2Kb"],
  ])("%j is shown as %s", (status, text) => {
    expect(row(200, status).split(" · ")).toContain(text);
  });

  test("leaves out the least important part first, and never the safety mode", () => {
    expect(row(80)).toBe("openai/gpt-4o · 12k tokens · 10 % of context · $0.1234 · safety: autonomous");
    expect(row(70)).toBe("openai/gpt-4o · 10 % of context · $0.1234 · safety: autonomous");
    expect(row(55)).toBe("openai/gpt-4o · 10 % of context · safety: autonomous");
    expect(row(40)).toBe("openai/gpt-4o · safety: autonomous");
    expect(row(30)).toBe("openai/g… · safety: autonomous");
    expect(row(20)).toBe("safety: autonomous");
  });

  test("is never wider than the window", () => {
    for (let columns = 1; columns < 120; columns++) {
      const shown = row(columns, { model: "漢字/🎉模型-".repeat(5) });
      expect(visibleWidth(shown)).toBeLessThanOrEqual(columns);
      if (columns >= "safety: autonomous".length) expect(shown).toContain("safety: autonomous");
    }
  });
});
