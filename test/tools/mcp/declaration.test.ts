import { describe, expect, test } from "bun:test";
import { compilePattern } from "../../../src/lib/pattern.ts";
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

  test("matches what stands for all tools of the server, whatever else is in it", () => {
    const { tools } = toolsNamed("a b", "ä/ö:ü", "x\u2028y", "__proto__", "\ud800");
    const matcher = compilePattern("mcp:files:.*");
    expect(tools).toHaveLength(5);
    for (const tool of tools) expect(matcher.test(tool.qualifiedName ?? "")).toBeTrue();
  });
});
