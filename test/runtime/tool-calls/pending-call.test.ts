import { expect, test } from "bun:test";
import { toolFields, toolReport, unreadCallFields } from "../../../src/runtime/tool-calls/pending-call.ts";
import type { Tool } from "../../../src/tools/tool.ts";

const tool = {
  name: "read_file",
  qualifiedName: "files__read_file",
  description: "Reads.",
  category: "filesystem",
  readOnly: true,
  parameters: { type: "object", properties: { path: { type: "string" } } },
} as unknown as Tool;
const writing = { ...tool, name: "write_file", qualifiedName: undefined, readOnly: false } as unknown as Tool;

test("the fields of a call have what is known about tool, arguments and mode, and nothing empty", () => {
  expect(toolFields({ id: "c1", tool, input: { path: "a" } }, "plan")).toEqual({
    tool_name: "read_file",
    tool_qualified_name: "files__read_file",
    tool_use_id: "c1",
    tool_input: { path: "a" },
    tool_category: "filesystem",
    tool_read_only: true,
    safety_policy: "plan",
  });
  expect(toolFields({ id: "c1", tool: writing, input: { path: "a" } }, undefined)).toEqual({
    tool_name: "write_file",
    tool_use_id: "c1",
    tool_input: { path: "a" },
    tool_category: "filesystem",
  });
});

test("a call that never reached its tool has its arguments if they are an object that is not too deep", () => {
  const fields = (text: string, of?: Tool) =>
    unreadCallFields(
      { id: "c1", name: "nothing", arguments: text } as Parameters<typeof unreadCallFields>[0],
      of,
      "plan",
    );
  const unknown = { tool_name: "nothing", tool_use_id: "c1", safety_policy: "plan" };
  expect(fields('{"a":1}')).toEqual({ ...unknown, tool_input: { a: 1 } });
  for (const text of ["[1]", "{", "7", `${'{"a":'.repeat(600)}1${"}".repeat(600)}`])
    expect(fields(text)).toEqual(unknown);
  expect(fields('{"path":"a"}', tool)).toMatchObject({ tool_name: "read_file", tool_input: { path: "a" } });
  expect(fields("{", tool)).toMatchObject({ tool_name: "read_file", tool_category: "filesystem" });
});

test("a tool in an event says that it only reads; one that does not exist has a name", () => {
  expect(toolReport("read_file", tool)).toMatchObject({ name: "read_file", read_only: true });
  expect(toolReport("write_file", writing)).not.toHaveProperty("read_only");
  expect(toolReport("nothing", undefined)).toEqual({ name: "nothing" });
});
