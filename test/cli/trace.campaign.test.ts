import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { agentSpan, dispatchSpan, hookSpan, otlpLines, toolSpan } from "../helpers/otlp.ts";
import { tempDir } from "../helpers/temp-dir.ts";

describe("the waterfall", () => {
  test("of 10,000 spans, repeats are folded, and the last line says how many are not shown; --all shows them", async () => {
    const tools = Array.from({ length: 3333 }, (_none, index) =>
      toolSpan("shell", [dispatchSpan("pre_tool_use", [hookSpan("guard.sh")])], { at: index * 100 }),
    );
    const cwd = tempDir({ "run.jsonl": otlpLines([agentSpan("root", tools)]) });
    const show = (...args: string[]) => hooksh(["trace", "run.jsonl", ...args], { cwd, env: { COLUMNS: "100" } });
    const { stdout } = await show();
    expect(stdout.split("\n").length).toBeLessThan(60);
    expect(stdout).toMatch(/└ … 3330 more: tool shell ×3330\n\n9990 of 10000 spans are not shown: --all shows them\n$/);
    expect((await show("--all")).stdout.match(/hook guard.sh/g)).toHaveLength(3333);
  });
});
