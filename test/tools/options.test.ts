import { describe, expect, test } from "bun:test";
import { applyToolsetOptions } from "../../src/tools/options.ts";
import type { Tool, Toolset } from "../../src/tools/tool.ts";

function tool(name: string, readOnly: boolean): Tool {
  return {
    name,
    title: name,
    description: "",
    parameters: {},
    category: "test",
    readOnly,
    run: async () => ({ text: "" }),
  };
}

const toolset: Toolset = {
  tools: [tool("look", true), tool("touch", false), tool("peek", true)],
  instructions: "Costs $& a call.",
};

function names(choice: Parameters<typeof applyToolsetOptions>[1], warnings: string[] = []): string[] {
  return applyToolsetOptions(toolset, choice, (message) => warnings.push(message)).tools.map(({ name }) => name);
}

describe("the tools of an entry", () => {
  test("are all of them if it does not choose", () => expect(names({})).toEqual(["look", "touch", "peek"]));
  test("are those it names, in their own order", () =>
    expect(names({ tools: ["peek", "look"] })).toEqual(["look", "peek"]));
  test("are none if its list is empty", () => expect(names({ tools: [] })).toEqual([]));
  test("are the read-only ones on demand", () => expect(names({ readonly: true })).toEqual(["look", "peek"]));
  test("must pass both filters", () => expect(names({ tools: ["touch", "peek"], readonly: true })).toEqual(["peek"]));

  test("an unknown name is reported and changes nothing else", () => {
    const warnings: string[] = [];
    expect(names({ tools: ["peek", "poke"] }, warnings)).toEqual(["peek"]);
    expect(warnings).toEqual(['tools: "poke" is not a tool of this toolset']);
  });
});

describe("the text for the model", () => {
  const text = (instruction?: string, of = toolset) =>
    applyToolsetOptions(of, instruction === undefined ? {} : { instruction }, () => {}).instructions;

  test("is the toolset's own without an instruction", () => expect(text()).toBe("Costs $& a call."));
  test("is the instruction instead", () => expect(text("Be brief.")).toBe("Be brief."));
  test("can contain the original once", () => {
    expect(text("{ORIGINAL_INSTRUCTIONS} Also X {ORIGINAL_INSTRUCTIONS}")).toBe(
      "Costs $& a call. Also X {ORIGINAL_INSTRUCTIONS}",
    );
  });
  test("can contain an original that is missing", () =>
    expect(text("{ORIGINAL_INSTRUCTIONS}X", { tools: [] })).toBe("X"));
});
