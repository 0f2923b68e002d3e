import { describe, expect, test } from "bun:test";
import { compilePattern } from "../../../src/pattern/pattern.ts";
import { readDeclarations, toTools } from "../../../src/tools/mcp/declaration.ts";

function toolsNamed(...names: unknown[]) {
  const problems: string[] = [];
  const onProblem = (message: string) => problems.push(message);
  const run = () => async () => ({ text: "" });
  const listed = names.map((name) => ({ name, inputSchema: { type: "object" } }));
  const tools = toTools(readDeclarations(listed, onProblem), { server: "files", prefix: "" }, { run, onProblem });
  return { tools, problems };
}

describe("the name of a server's tool", () => {
  test.each(["wipe\nall", "\u0000", "a\rb", "a\u0085b", "", 1])("that is %j leaves the tool out", (name) => {
    const { tools, problems } = toolsNamed(name, "echo");
    expect(tools.map((tool) => tool.name)).toEqual(["echo"]);
    expect(problems).toEqual(["a tool whose name is missing or holds control characters is left out"]);
  });

  test("is converted to one that every model accepts: Gemini requires a letter or _ at the beginning", () => {
    const { tools, problems } = toolsNamed("21st_search", "-x", "a.b/c", "y".repeat(70));
    expect(tools.map((tool) => tool.name)).toEqual(["_21st_search", "_-x", "a_b_c", "y".repeat(64)]);
    expect(problems[0]).toBe('"21st_search" is offered as "_21st_search"');
  });

  test("matches the pattern for all tools of the server, whatever else it contains", () => {
    const { tools } = toolsNamed("a b", "ä/ö:ü", "x\u2028y", "__proto__", "\ud800");
    const matcher = compilePattern("mcp:files:.*");
    expect(tools).toHaveLength(5);
    for (const tool of tools) expect(matcher.test(tool.qualifiedName ?? "")).toBeTrue();
  });
});
