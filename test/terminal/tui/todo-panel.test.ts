import { expect, test } from "bun:test";
import { THEMES } from "../../../src/terminal/theme.ts";
import { TodoPanel } from "../../../src/terminal/tui/todo-panel.ts";
import { responseOf } from "./tool-call/calls.ts";

/** A panel that saw a list: `x` for a completed todo, `>` for one in progress, `.` for a pending one. */
function panelOf(states: string, screenRows = 40, description = "item") {
  const panel = new TodoPanel({ theme: () => THEMES.none, screenRows: () => screenRows, isHidden: false });
  const status: Record<string, string> = { x: "completed", ">": "in-progress", ".": "pending" };
  const all_todos = [...states].map((state, at) => ({
    description: `${description} ${at + 1}`,
    status: status[state],
  }));
  const result = responseOf("update_todos", JSON.stringify({ all_todos }), { category: "todo" });
  panel.see({ ...result, agent_name: "root" });
  return panel;
}

test.each([
  [
    "a short list is shown in full",
    "x>.",
    40,
    ["todos of root: 1 of 3 done", "[x] item 1", "[>] item 2", "[ ] item 3"],
  ],
  ["without open items nothing is shown", "xx", 40, []],
  [
    "a long one is cut to what is in progress and what comes next",
    "xxxx......>.",
    40,
    ["todos of root: 4 of 12 done · 7 more", "[ ] item 5", "[ ] item 6", "[ ] item 7", "[ ] item 8", "[>] item 11"],
  ],
  ["in a low window only the present item is shown", "x>.", 12, ["todos of root: 1 of 3 done  [>] item 2"]],
] as const)("the panel of todos: %s", (_name, states, screenRows, rows) => {
  expect(panelOf(states, screenRows).render(80)).toEqual([...rows]);
});

test("the panel ignores results that are no list and escapes what the model wrote", () => {
  const panel = panelOf(">", 40, `\x1b[2J${"w".repeat(100)}`);
  for (const text of ["not JSON", "[]", '{"all_todos":7}'])
    panel.see(responseOf("list_todos", text, { category: "todo" }));
  const rows = panel.render(40);
  expect(rows).toHaveLength(2);
  expect(rows[1]).toStartWith("[>] \\x1b[2Jwww");
  for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(40);
});
