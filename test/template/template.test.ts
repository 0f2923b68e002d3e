import { describe, expect, test } from "bun:test";
import { FIELDS } from "../../src/protocol/fields.ts";
import { parseTemplate as parse, TemplateError } from "../../src/template/template.ts";

const input = {
  session_id: "s1",
  cwd: "/work",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "call_1",
  tool_input: { cmd: "ls <b>", n: 3, big: 1000000, list: ["x", "y"], "a-b": 1, none: null, deep: { z: 1, a: true } },
  steering_messages: ["one", "two", "three"],
  iteration: 2,
  messages: [
    { role: "user", content: "hi", extra: 1 },
    {
      role: "assistant",
      multi_content: [{ type: "image_url", image_url: { url: "http://x" } }],
      tool_calls: [{ id: "c1", type: "function", function: { name: "shell", arguments: "{}" } }],
    },
    { role: "tool", content: "no", tool_call_id: "c1", is_error: true },
  ],
  from_agent_models: [{ provider: "dmr", model: "m", base_url: "http://b", unload_api: "/u" }],
  stop_response: "abcdef",
  prompt: "héllo",
};

function render(template: string, data: Record<string, unknown> = input): string {
  return parseTemplate(template).render(data);
}

function parseTemplate(text: string, options: { missingKey?: "error" } = {}) {
  return parse(text, { fields: FIELDS, ...options });
}

describe("a template renders", () => {
  test.each([
    ["plain", "plain"],
    ["{{ .ToolName }}:{{.ToolUseID}}:{{.SessionID}}", "shell:call_1:s1"],
    ["{{ .Cwd }}:{{ .HookEventName }}", "/work:pre_tool_use"],
    ["{{ .ToolInput.cmd }}", "ls <b>"],
    ["{{ .ToolInput.deep.z }}", "1"],
    ["{{ .ToolInput.deep | toJSON }}", '{"a":true,"z":1}'],
    ["{{ toJSON .SteeringMessages }}", '["one","two","three"]'],
    ["{{ truncate 3 .StopResponse }}", "abc…"],
    ["{{ .StopResponse | truncate 3 }}", "abc…"],
    ["{{ truncate 6 .StopResponse }}", "abcdef"],
    ["{{ truncate 0 .StopResponse }}{{ truncate -1 .StopResponse }}", "abcdefabcdef"],
    ["{{ truncate 2 .Prompt }}", "h…"],
    ["{{ truncate 3 .Prompt }}", "hé…"],
    ["{{ (index .Messages 1).Role }}", "assistant"],
    ["{{ .ToolInput.big }}", "1000000"],
    ["{{ .ToolInput.list }}{{ .ToolInput.deep }}", "[x y]map[a:true z:1]"],
  ])("values: %s", (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  test.each([
    ["{{ if .ToolError }}e{{ else if eq .ToolName `shell` }}s{{ else }}o{{ end }}", "s"],
    ["{{ if .ToolError }}e{{ else }}o{{ end }}", "o"],
    ["{{ if .ToolError }}e{{ else with .ToolName }}{{ . }}{{ end }}", "shell"],
    ["{{ if not .Summary }}empty{{ end }}", "empty"],
    ["{{ if .Usage }}u{{ else }}none{{ end }}", "none"],
    ["{{ if .ToolInput }}t{{ end }}{{ if .ToolInput.nope }}x{{ end }}{{ if .ToolInput.none }}x{{ end }}", "t"],
    ["{{ range .SteeringMessages }}- {{ . }}{{ else }}none{{ end }}", "- one- two- three"],
    ["{{ range $i, $m := .SteeringMessages }}{{ $i }}={{ $m }} {{ end }}", "0=one 1=two 2=three "],
    ["{{ range $m := .SteeringMessages }}{{ $m }}{{ $.ToolName }}{{ end }}", "oneshelltwoshellthreeshell"],
    ["{{ range $k, $v := .ToolInput.deep }}{{ $k }}{{ $v }}{{ end }}", "atruez1"],
    ["{{ range .ToolInput.nope }}x{{ else }}none{{ end }}", "none"],
    ["{{ range 3 }}{{ . }}{{ end }}", "012"],
    ["{{ range .SteeringMessages }}{{ if eq . `two` }}{{ break }}{{ end }}{{ . }}{{ end }}", "one"],
    ["{{ range .SteeringMessages }}{{ if eq . `two` }}{{ continue }}{{ end }}{{ . }}{{ end }}", "onethree"],
    ["{{ with .ToolInput }}{{ .cmd }}{{ else }}none{{ end }}", "ls <b>"],
    ["{{ with .Summary }}x{{ else }}{{ .ToolName }}{{ end }}", "shell"],
    ["{{ $x := .ToolName }}{{ if true }}{{ $x = `changed` }}{{ end }}{{ $x }}", "changed"],
    ["{{ $x := `a` }}{{ if true }}{{ $x := `b` }}{{ $x }}{{ end }}{{ $x }}", "ba"],
    ["{{ $n := `` }}{{ range .SteeringMessages }}{{ $n = . }}{{ end }}{{ $n }}", "three"],
    ["{{ with $x := .ToolInput }}{{ $x.cmd }}{{ end }}", "ls <b>"],
  ])("control: %s", (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  test.each([
    ["a  {{- .ToolName -}}  \n b", "ashellb"],
    ["a \n {{- /* note */ -}} \n b", "ab"],
    ["a{{/* {{ .Nope }} \n */}}b", "ab"],
    ["a {{ -3 }}{{-3}} b", "a -3-3 b"],
    ["a }} b { {", "a }} b { {"],
    ["{{\n.ToolName\n}}", "shell"],
  ])("markers: %j", (template, expected) => {
    expect(render(template)).toBe(expected);
  });

  test.each([
    ['{{ "a\\n\\"\\x41\\u00e9\\U0001F600\\101" }}', 'a\n"Aé😀A'],
    ["{{ `raw\\n` }}", "raw\\n"],
    ["{{ 'x' }}", "120"],
    ["{{ 12 }} {{ 0x1F }} {{ 017 }} {{ 1_000 }} {{ 1.5 }} {{ 0b11 }} {{ 1e3 }}", "12 31 15 1000 1.5 3 1000"],
    ["{{ true }}{{ print nil }}", "true<nil>"],
    ['{{ print "a" 1 2 "b" }}', "a1 2b"],
    ['{{ println "a" 1 }}', "a 1\n"],
    [
      '{{ printf "%s %d %v %q %t %.2f %5d|%-4s|%05d %x %c %%" "s" 3 .ToolInput.list "q" true 1.5 7 "ab" 42 255 65 }}',
      's 3 [x y] "q" true 1.50     7|ab  |00042 ff A %',
    ],
    ['{{ printf "%d %s" "x" }}', "%!d(string=x) %!s(MISSING)"],
    ['{{ printf "a" 1 }}', "a%!(EXTRA number=1)"],
    ["{{ len .StopResponse }} {{ len .Prompt }} {{ len .SteeringMessages }} {{ len .ToolInput.deep }}", "6 6 3 2"],
    ["{{ index .SteeringMessages 1 }} {{ index .ToolInput `a-b` }} {{ index .ToolInput.deep `z` }}", "two 1 1"],
    ["{{ index .ToolInput `nope` }}", "<no value>"],
    ["{{ slice .StopResponse 1 3 }} {{ slice .SteeringMessages 2 }}", "bc [three]"],
    ["{{ eq .ToolName `a` `shell` }} {{ ne .Iteration 2 }} {{ eq .ToolInput.nope `x` }}", "true false false"],
    ["{{ lt 1 2 }} {{ le 2 2 }} {{ gt `a` `b` }} {{ ge 1 2 }}", "true true false false"],
    ["{{ and true `` `x` }}|{{ and 1 2 }}|{{ or `` `x` (index .SteeringMessages 9) }}|{{ or 0 `` }}", "|2|x|"],
    ["{{ and .ToolError (index .SteeringMessages 9) }}", "false"],
    ['{{ html `<a href="x">\'&` }}', "&lt;a href=&#34;x&#34;&gt;&#39;&amp;"],
    ["{{ js `it's <b>` }}", "it\\'s \\u003Cb\\u003E"],
    ["{{ urlquery `a b&c/é!` }}", "a+b%26c%2F%C3%A9%21"],
    ["{{ (printf `%s!` .ToolName) | printf `%s %s` `a` }}", "a shell!"],
  ])("functions and literals: %s", (template, expected) => {
    expect(render(template)).toBe(expected);
  });
});

describe("the input's fields", () => {
  test("nested fields have Go names", () => {
    const calls = "{{ range .ToolCalls }}{{ .ID }},{{ .Type }},{{ .Function.Name }},{{ .Function.Arguments }}{{ end }}";
    const message = `{{ .Role }}:{{ .Content }}:${calls}:{{ .ToolCallID }}:{{ .IsError }}:{{ .ReasoningContent }};`;
    expect(render(`{{ range .Messages }}${message}{{ end }}`)).toBe(
      "user:hi:::false:;assistant::c1,function,shell,{}::false:;tool:no::c1:true:;",
    );
    expect(render("{{ range (index .Messages 1).MultiContent }}{{ .ImageURL.URL }}{{ end }}")).toBe("http://x");
    expect(
      render("{{ range .FromAgentModels }}{{ .Provider }} {{ .Model }} {{ .BaseURL }} {{ .UnloadAPI }}{{ end }}"),
    ).toBe("dmr m http://b /u");
  });

  test("every field of an empty input is a zero value", () => {
    const capital = (word: string): string => (word === "id" ? "ID" : word.slice(0, 1).toUpperCase() + word.slice(1));
    for (const name of Object.keys(FIELDS).map((field) => field.split("_").map(capital).join(""))) {
      expect(render(`{{ if .${name} }}set{{ end }}`, {})).toBe("");
    }
    expect(render("{{ .ToolName }}{{ .Iteration }}{{ .ToolError }}{{ .Cost }}", {})).toBe("0false0");
    expect(render("{{ .Usage.InputTokens }}", {})).toBe("0");
    expect(render("{{ .ToolResponse }}{{ range .Messages }}x{{ end }}{{ len .SteeringMessages }}", {})).toBe("0");
    expect(render("{{ .ToolInput.nope }}", {})).toBe("<no value>");
  });

  test("a message keeps its unknown keys as JSON, and the whole input can be printed", () => {
    expect(render("{{ index .Messages 0 | toJSON }}")).toBe('{"role":"user","content":"hi","extra":1}');
    expect(render("{{ . | toJSON }}", { prompt: "p", cwd: "/" })).toBe('{"cwd":"/","prompt":"p"}');
  });

  test("an unknown field fails the rendering", () => {
    expect(() => render("a\n{{ .Foo }}")).toThrow(new TemplateError("unknown field .Foo", 2));
    expect(() => render("{{ range .Messages }}{{ .Nope }}{{ end }}")).toThrow("unknown field .Nope");
    expect(() => render("{{ .constructor }}")).toThrow("unknown field .constructor");
  });

  test("a wire name is refused, and the error names the right field", () => {
    expect(() => render("{{ .tool_use_id }}")).toThrow("unknown field .tool_use_id: write .ToolUseID");
  });

  test("a missing map key prints <no value>, at any depth, and an inherited property is missing", () => {
    const missing = "<no value>";
    expect(render("{{ .ToolInput.nope }}{{ .ToolInput.nope.deeper }}{{ .ToolInput.none }}")).toBe(missing.repeat(3));
    expect(render("{{ .ToolInput.constructor }}{{ .ToolInput.toString }}")).toBe(missing.repeat(2));
  });

  test("with missingKey error a missing map key fails", () => {
    const template = parseTemplate("{{ .ToolInput.nope }}", { missingKey: "error" });
    expect(() => template.render(input)).toThrow('map has no entry for key "nope"');
    expect(parseTemplate("{{ .ToolInput.cmd }}{{ .Summary }}", { missingKey: "error" }).render(input)).toBe("ls <b>");
  });

  test("the input is never read as template text", () => {
    expect(render("{{ .Prompt }}", { prompt: "{{ .ToolName }}" })).toBe("{{ .ToolName }}");
  });
});

describe("an invalid template is refused at load time", () => {
  test.each([
    ["{{ .ToolName", "line 1: unclosed action"],
    ["\n{{ .ToolName\n", "line 2: unclosed action"],
    ["{{/* x", "line 1: unclosed comment"],
    ['{{ "a }}', "line 1: unterminated quoted string"],
    ['{{ "\\q" }}', 'line 1: invalid escape in "\\q"'],
    ["{{ 'ab' }}", "line 1: 'ab' is not one character"],
    ["{{ 1x }}", 'line 1: bad number "1"'],
    ["{{ nope .X }}", 'line 1: function "nope" not defined'],
    ["{{ constructor }}", 'line 1: function "constructor" not defined'],
    ["{{ $x }}", 'line 1: undefined variable "$x"'],
    ["{{ if true }}{{ $x := 1 }}{{ else }}{{ $x }}{{ end }}", 'line 1: undefined variable "$x"'],
    ["{{ if true }}{{ $x := 1 }}{{ end }}{{ $x }}", 'line 1: undefined variable "$x"'],
    ["{{ $x = 1 }}", 'line 1: undefined variable "$x"'],
    ["a\n{{ if .X }}", "line 2: {{if}} without {{end}}"],
    ["{{ range .X }}{{ else }}", "line 1: {{range}} without {{end}}"],
    ["{{ end }}", "line 1: unexpected {{end}}"],
    ["\n{{ else }}", "line 2: unexpected {{else}}"],
    ["{{ if 1 }}{{ else }}{{ else }}{{ end }}", "line 1: unexpected {{else}}"],
    ["{{ if }}x{{ end }}", "line 1: missing value"],
    ["{{ }}", "line 1: missing value"],
    ["{{ .X | }}", "line 1: missing value"],
    ["{{ nil }}", "line 1: nil is not a command"],
    ["{{ .X | 3 }}", "line 1: stage 2 of the pipeline is not a function"],
    ["{{ .X | .Y }}", "line 1: stage 2 of the pipeline is not a function"],
    ["{{ .X .Y }}", "line 1: arguments given to something that is not a function"],
    ["{{ (len .X }}", "line 1: unclosed left parenthesis"],
    ["{{ len .X) }}", 'line 1: unexpected ")"'],
    ['{{ len "a""b" }}', 'line 1: unexpected "\\"b\\""'],
    ["{{ $a, $b := .X }}", "line 1: two variables are for {{range}} only"],
    ["{{ break }}", "line 1: {{break}} outside {{range}}"],
    ["{{ define `x` }}{{ end }}", "line 1: {{define}} is not supported"],
    ["{{ template `x` }}", "line 1: {{template}} is not supported"],
    ["{{ .X & }}", 'line 1: unexpected "&" in action'],
    ["{{if 1}}".repeat(201), "line 1: actions nest too deeply"],
  ])("%j", (template, message) => {
    expect(() => parseTemplate(template)).toThrow(message);
    expect(() => parseTemplate(template)).toThrow(TemplateError);
  });
});

describe("rendering fails with a reason", () => {
  test.each([
    ["{{ truncate `x` .Prompt }}", "truncate: expected a whole number, not string"],
    ["{{ truncate 3 .ToolInput.nope }}", "truncate: expected a string, not nil"],
    ["{{ truncate 3 }}", "wrong number of arguments for truncate: 1"],
    ["{{ index .SteeringMessages 3 }}", "index: index out of range: 3"],
    ["{{ index .Iteration 3 }}", "index: cannot index number"],
    ["{{ slice .StopResponse 3 1 }}", "slice: index out of range: 3"],
    ["{{ len .Iteration }}", "len: number has no length"],
    ["{{ eq .ToolName 3 }}", "eq: cannot compare string with number"],
    ["{{ eq .SteeringMessages .SteeringMessages }}", "eq: cannot compare a list"],
    ["{{ lt true false }}", "lt: boolean has no order"],
    ["{{ and }}", "wrong number of arguments for and: 0"],
    ["{{ .ToolName.x }}", "no field .x in a string"],
    ["{{ .SteeringMessages.x }}", "no field .x in a list"],
    ["{{ range .ToolName }}{{ end }}", "range cannot iterate over string"],
  ])("%s", (template, message) => {
    expect(() => render(template)).toThrow(message);
  });

  test("more than 1 MiB of text is refused", () => {
    expect(render("{{ .Prompt }}", { prompt: "x".repeat(1024 * 1024) })).toHaveLength(1024 * 1024);
    expect(() => render("{{ .Prompt }}", { prompt: `${"x".repeat(1024 * 1024)}x` })).toThrow("exceeds the limit");
    expect(() => render("{{ .Prompt }}", { prompt: "é".repeat(600 * 1024) })).toThrow("exceeds the limit");
  });

  test("endless work is refused", () => {
    expect(() => render("{{ range 100000000 }}{{ end }}")).toThrow("more than 1000000 steps");
    const doubling = "{{ $x := `xxxxxxxx` }}{{ range 60 }}{{ $x = printf `%s%s` $x $x }}{{ end }}";
    expect(() => render(doubling)).toThrow("too much text");
  });

  test("an input too deep for the stack is an error, not a crash", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 200_000; level++) deep = [deep];
    expect(() => render("{{ .ToolInput | toJSON }}", { tool_input: { deep } })).toThrow(TemplateError);
    expect(() => render("{{ .ToolInput }}", { tool_input: { deep } })).toThrow(TemplateError);
  });
});
