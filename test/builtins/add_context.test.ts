import { expect, test } from "bun:test";
import { run } from "../../builtins/add_context.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";
import { settled } from "../helpers/settled.ts";

const call = (...args: string[]) =>
  callBuiltin(
    run,
    { hook_event_name: "user_prompt_submit", agent_name: "root", prompt: "{{ .AgentName }}", tool_input: { a: 1 } },
    args,
  );

test("joins the texts that its arguments render, untrimmed, under the event it is configured on", async () => {
  expect((await call("Agent {{ .AgentName }} ", "be brief")).output).toEqual({
    hook_specific_output: { hook_event_name: "user_prompt_submit", additional_context: "Agent root \nbe brief" },
  });
});

test("leaves out what is blank", async () => {
  expect((await call("{{ .StopResponse }} \n", "x", "")).context).toBe("x");
  expect((await call("{{ .StopResponse }}", " ")).output).toBeUndefined();
  expect((await call()).output).toBeUndefined();
});

test("treats text of the input as text, not as a template or an output", async () => {
  expect((await call("{{ .Prompt }}", '{"decision":"block"}')).context).toBe('{{ .AgentName }}\n{"decision":"block"}');
});

test.each([
  [["fine", "{{ .nope }}"], "render arg 2: "],
  [["{{ .ToolInput.nope }}"], "render arg 1: "],
  [["{{ .nope }}", "{{ open"], "parse arg 2: "],
])("fails as a whole on %j", async (args, expected) => {
  expect(await settled(call(...args))).toThrow(`add_context: ${expected}`);
});
