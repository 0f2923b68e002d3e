import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { processEnv } from "../../../src/lib/env.ts";
import { applyToolsetOptions } from "../../../src/tools/options.ts";
import type { Toolset, ToolsetContext } from "../../../src/tools/tool.ts";
import { PDF, png, wav } from "../../helpers/images.ts";
import { settled } from "../../helpers/settled.ts";
import { until } from "../../helpers/until.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

const SERVER = join(import.meta.dir, "../../fixtures/mcp/server.ts");

const open: Toolset[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((toolset) => toolset.close?.()));
});

/** The fixture in one of its modes; `file` is where it writes what happens to it. */
async function make(
  { mode = "", file = "", ...options }: Record<string, unknown> & { mode?: string; file?: string } = {},
  more: Partial<ToolsetContext> = {},
): Promise<Toolset> {
  const entry = { command: process.execPath, args: [SERVER, mode, file], name: "fix", ...options };
  const toolset = await makeToolset("mcp", temporaryDirectory(), entry, more);
  open.push(toolset);
  return toolset;
}

const context = (more: Parameters<typeof toolContext>[1] = {}) => toolContext("/", more);
const tool = (toolset: Toolset, name: string) => toolset.tools.find((candidate) => candidate.name === name);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
}

describe("the tools of a server", () => {
  test("have the server's names if the toolset has no name", async () => {
    const toolset = await make({ name: "", server: "files" });
    expect(tool(toolset, "echo")).toMatchObject({ qualifiedName: "mcp:files:echo", bareName: "echo", category: "mcp" });
    expect(JSON.parse((await call(toolset, "echo", {}, context())).text)).toEqual({ name: "echo", arguments: {} });
  });

  test("have the toolset's name as a prefix, which the server does not see", async () => {
    const toolset = await make();
    expect(tool(toolset, "echo")).toBeUndefined();
    expect(tool(toolset, "fix_echo")).toMatchObject({ qualifiedName: "mcp:fix:echo", bareName: "echo" });
    const { text } = await call(toolset, "fix_echo", { text: "hi", nothing: null }, context());
    expect(JSON.parse(text)).toEqual({ name: "echo", arguments: { text: "hi" } });
  });

  test("are qualified by the server's URL or command if it has no name", async () => {
    const toolset = await make({ name: "" });
    expect(tool(toolset, "echo")?.qualifiedName).toMatch(/^mcp:bun[^:/]*:echo$/);
  });

  test("come from every page of the list", async () => {
    expect((await make()).tools.map(({ name }) => name)).toContain("fix_structured");
  });

  test("have hints, and destructive overrides read-only", async () => {
    const toolset = await make();
    expect(tool(toolset, "fix_look")).toMatchObject({ readOnly: true, title: "Look around" });
    expect(tool(toolset, "fix_wipe")).toMatchObject({ readOnly: false, destructive: true, title: "Wipe" });
    const description = "Says what it was given.";
    expect(tool(toolset, "fix_echo")).toMatchObject({ readOnly: false, title: "echo", description });
  });

  test("keep their schema, completed if necessary", async () => {
    const toolset = await make();
    expect(tool(toolset, "fix_echo")?.parameters).toEqual({ type: "object", properties: { text: { type: "string" } } });
    expect(tool(toolset, "fix_look")?.parameters).toEqual({ type: "object", properties: {} });
  });

  test("tell the model the schema of their results, unless it is long", async () => {
    const toolset = await make();
    expect(tool(toolset, "fix_shaped")?.description).toBe(
      'Answers as told.\n\nReturns JSON of this schema: {"type":"object","properties":{"n":{"type":"string"}},"required":["n"]}',
    );
    expect(tool(toolset, "fix_wide")?.description).toBe("Has much to say.");
  });

  test("get a name that providers accept, and are called by their own", async () => {
    const warnings: string[] = [];
    const toolset = await make({}, { log: (level, message) => level === "warn" && warnings.push(message) });
    expect(warnings).toEqual(['mcp: fix: "odd.name" is offered as "fix_odd_name"']);
    expect((await call(toolset, "fix_odd_name", {}, context())).text).toContain('"odd.name"');
  });

  test("are chosen by visible or bare name", async () => {
    const chosen = applyToolsetOptions(await make(), { tools: ["echo", "fix_look"] }, () => {});
    expect(chosen.tools.map(({ name }) => name)).toEqual(["fix_echo", "fix_look"]);
  });

  test("change when the server says so, also with a filter in the entry", async () => {
    const toolset = applyToolsetOptions(await make(), { tools: ["grow", "grown"] }, () => {});
    expect(toolset.tools.map(({ name }) => name)).toEqual(["fix_grow"]);
    await call(toolset, "fix_grow", {}, context());
    expect(toolset.tools.map(({ name }) => name)).toEqual(["fix_grow", "fix_grown"]);
  });

  test("come with the server's instructions", async () => {
    expect((await make()).instructions).toBe("Be gentle with the fixture.");
  });
});

describe("a result", () => {
  test("joins its texts, attaches images, audio and documents, and links resources", async () => {
    const { text, attachments } = await call(await make(), "fix_parts", {}, context());
    expect(text).toBe("one\ntwo\n[c\\]](https://example.com/a%20b)");
    expect(attachments).toEqual([
      { mimeType: "image/png", data: png(2, 2).toString("base64") },
      { mimeType: "audio/wav", data: wav().toString("base64") },
      { mimeType: "application/pdf", data: PDF.toString("base64"), name: "report.pdf" },
    ]);
  });

  test("says so when there is nothing", async () => {
    expect(await call(await make(), "fix_look", {}, context())).toEqual({ text: "no output" });
  });

  test("is an error when the server says so", async () => {
    expect(await call(await make(), "fix_fail", {}, context())).toEqual({ text: "it is broken", isError: true });
  });

  test("that does not satisfy the schema the server declared is an error, which says that the call has run", async () => {
    expect(await call(await make(), "fix_structured", {}, context())).toEqual({
      text: "Error: MCP server fix answered structured with content that does not satisfy its outputSchema: /n must be string; the call has run",
      isError: true,
    });
  });

  test.each<[string, object, object]>([
    ["is JSON where nothing else is said", { structuredContent: { n: "a" } }, { text: '{"n":"a"}' }],
    [
      "is behind a text that says something else",
      { content: [{ type: "text", text: "Found it." }], structuredContent: { n: "a" } },
      { text: 'Found it.\n{"n":"a"}' },
    ],
    [
      "is not repeated behind a text that holds the same",
      { content: [{ type: "text", text: '{ "n": "a" }' }], structuredContent: { n: "a" } },
      { text: '{ "n": "a" }' },
    ],
    ["need not be there", { content: [{ type: "text", text: "Only text." }] }, { text: "Only text." }],
    [
      "is not checked in an error",
      { content: [{ type: "text", text: "broken" }], structuredContent: { n: 1 }, isError: true },
      { text: 'broken\n{"n":1}', isError: true },
    ],
  ])("of structured content %s", async (_name, answer, result) => {
    expect(await call(await make(), "fix_shaped", { ...answer }, context())).toEqual(result as never);
  });

  test.each<[object]>([[{ result: "a" }], [{ result: ["a", "b"] }], [{ result: 5 }]])(
    "does not repeat the wrapped value %j",
    async ({ ...structuredContent }) => {
      const { result } = structuredContent as { result: unknown };
      const content = [result].flat().map((item) => ({ type: "text", text: String(item) }));
      const { text } = await call(await make(), "fix_unshaped", { content, structuredContent }, context());
      expect(text).toBe([result].flat().join("\n"));
    },
  );

  test("without the structured content that its tool promises is shown, and the log says so", async () => {
    const log: string[] = [];
    const toolset = await make({}, { log: (level, message) => void log.push(`${level} ${message}`) });
    await call(toolset, "fix_shaped", { content: [{ type: "text", text: "Only text." }] }, context());
    expect(log).toContain("warn mcp: fix: shaped declares an outputSchema and answered without structured content");
  });

  test("is not checked by a schema that cannot be used, and the log says so once", async () => {
    const log: string[] = [];
    const toolset = await make({}, { log: (level, message) => void log.push(`${level} ${message}`) });
    for (let n = 0; n < 2; n++) {
      expect((await call(toolset, "fix_foreign", { structuredContent: { n: 1 } }, context())).text).toBe('{"n":1}');
    }
    expect(log.filter((line) => line.includes("the outputSchema of foreign cannot be used"))).toHaveLength(1);
  });

  test.each([
    ["large", false],
    ["large_first", false],
    ["large_error", true],
  ])("larger than the limit is cut in the middle, and the server lives on: %s", async (name, isError) => {
    const file = join(temporaryDirectory(), "log");
    const toolset = await make({ file });
    const result = await call(toolset, `fix_${name}`, {}, context());
    expect(result.isError ?? false).toBe(isError);
    expect(result.text).toMatch(
      /xxx\n\[\.\.\. \d{8} bytes cut: the answer of \d{8} bytes is larger than 16 MiB \.\.\.\]\nxxx/,
    );
    expect(result.text.length).toBeLessThan(40_000);
    expect((await call(toolset, "fix_look", {}, context())).text).toBe("no output");
    expect(readFileSync(file, "utf8")).toBe(`start\n${name}\nlook\n`);
  });

  test("whose beginning and end do not show its id ends the connection", async () => {
    const toolset = await make();
    expect(await call(toolset, "fix_large_request", {}, context())).toEqual({
      text: "Error: MCP server fix sent a message of more than 16 MiB; the call may or may not have run and is not repeated",
      isError: true,
    });
    expect((await call(toolset, "fix_look", {}, context())).text).toBe("no output");
  });
});

test("a server that the package of MCP runs is understood", async () => {
  const toolset = await make({ args: [join(import.meta.dir, "../../fixtures/mcp/odd-schemas.ts")] });
  expect((await call(toolset, "fix_strictly", { name: "a" }, context())).text).toBe('{"name":"a"}');
});

test("a server that is no longer needed is not started", async () => {
  const file = join(temporaryDirectory(), "log");
  const unwanted = make({ file }, { signal: AbortSignal.abort(new Error("not wanted")) });
  expect(await settled(unwanted)).toThrow("MCP server fix: not wanted");
  await make({ file }); // takes as long as the other one would have taken
  expect(readFileSync(file, "utf8")).toBe("start\n");
});

describe("a server's environment", () => {
  test("is the process environment, overridden by the toolset's", async () => {
    const env = { ...processEnv(), MARK: "process", HOME: "/nowhere" };
    const toolset = await make({ env: { MARK: "toolset" } }, { env });
    const { text } = await call(toolset, "fix_env", {}, context());
    expect(JSON.parse(text)).toMatchObject({ mark: "toolset", home: "/nowhere" });
  });

  test("has the working directory of its entry", async () => {
    const directory = temporaryDirectory();
    const toolset = await make({ working_dir: directory });
    expect(JSON.parse((await call(toolset, "fix_env", {}, context())).text)).toMatchObject({ cwd: directory });
  });

  test("the debug log has its standard error", async () => {
    const lines: string[] = [];
    await make({}, { log: (level, message) => void lines.push(`${level} ${message}`) });
    expect(lines).toContain("debug mcp: MCP server fix: stderr: ready to serve");
  });
});

describe("a server that fails", () => {
  test.each<[string, Record<string, unknown>, string]>([
    [
      "is missing",
      { command: "no-such" },
      'the command "no-such" was not found in PATH: install it, or give its whole path',
    ],
    ["has no directory", { working_dir: "/no/such" }, 'working directory "/no/such": no such directory'],
    ["exits", { mode: "exits" }, "MCP server fix: exited with code 3: no licence found"],
    ["hangs", { mode: "hangs", lifecycle: { startup_timeout: 500 } }, "within 500ms (lifecycle.startup_timeout)"],
  ])("at its start because it %s says so", async (_name, options, message) => {
    expect(await settled(make(options))).toThrow(message);
  });

  test.each(["look_and_die_once", "set_and_die_once"])(
    "in the middle of a call that can be repeated is started once more, and the call made once more: %s",
    async (name) => {
      const file = join(temporaryDirectory(), "log");
      const toolset = await make({ file });
      expect(await call(toolset, `fix_${name}`, {}, context())).toEqual({ text: "alive again" });
      expect(readFileSync(file, "utf8")).toBe(`start\n${name}\nstart\n${name}\n`);
    },
  );

  test("again and again gives an error result after the second time", async () => {
    const file = join(temporaryDirectory(), "log");
    const toolset = await make({ file });
    expect(await call(toolset, "fix_look_and_die", {}, context())).toMatchObject({
      text: expect.stringContaining("MCP server fix exited with code 7"),
      isError: true,
    });
    expect(readFileSync(file, "utf8")).toBe("start\nlook_and_die\nstart\nlook_and_die\n");
  });

  test.each([
    ["without hints, which counts as destructive", "die"],
    ["that is destructive", "wipe_and_die"],
    ["that is not destructive, but adds something each time", "add_and_die"],
    ["that declares itself both read-only and destructive", "contradict_and_die"],
  ])(
    "in the middle of a call %s does not get that call again, and both the model and the user learn why",
    async (_which, name) => {
      const file = join(temporaryDirectory(), "log");
      const warnings: string[] = [];
      const toolset = await make({ file }, { warn: (message) => void warnings.push(message) });
      const reason = "MCP server fix exited with code 7: ready to serve";
      expect(await call(toolset, `fix_${name}`, {}, context())).toEqual({
        text: `Error: ${reason}; the call may or may not have run and is not repeated`,
        isError: true,
      });
      expect(warnings).toContain(
        `${reason} during a call of ${name}, which may or may not have run and is not repeated`,
      );
      expect(readFileSync(file, "utf8")).toBe(`start\n${name}\n`);
      expect((await call(toolset, "fix_look", {}, context())).text).toBe("no output");
      expect(readFileSync(file, "utf8")).toBe(`start\n${name}\nstart\nlook\n`);
    },
  );

  test.each([{ restart: "never" }, { profile: "strict" }])("is not restarted with %o", async (lifecycle) => {
    const toolset = await make({ lifecycle });
    for (const name of ["fix_look_and_die", "fix_look"]) {
      const result = await call(toolset, name, {}, context());
      expect(result).toMatchObject({ text: expect.stringContaining("exited with code 7"), isError: true });
    }
  });

  test("to answer in time gives an error result, gets a cancellation, and keeps running", async () => {
    const file = join(temporaryDirectory(), "log");
    const toolset = await make({ file, lifecycle: { call_timeout: 3000 } });
    expect(await call(toolset, "fix_hang", {}, context())).toEqual({
      text: "Error: MCP server fix did not answer within 3s (lifecycle.call_timeout)",
      isError: true,
    });
    await until(() => readFileSync(file, "utf8") === "start\nhang\ncancelled\n");
    expect((await call(toolset, "fix_look", {}, context())).text).toBe("no output");
  });

  test.each([["yes"], ["sh", "-c", "yes >&2"], ["cat", "/dev/zero"]])(
    "to say anything but nonsense, without end, is ended: %s",
    async (command, ...args) => {
      const made = make({ command, args, lifecycle: { startup_timeout: 3000 } });
      expect(await settled(made)).toThrow(/sends messages without end|sent a message of more|did not start within/);
    },
  );

  test("to stop sending is killed, and does not block this process", async () => {
    const toolset = await make();
    expect(await call(toolset, "fix_chatter", {}, context())).toEqual({
      text: "Error: MCP server fix sends messages without end; the call may or may not have run and is not repeated",
      isError: true,
    });
  });
});

test("a call ends when the run is cancelled, and the server is notified", async () => {
  const file = join(temporaryDirectory(), "log");
  const toolset = await make({ file });
  const controller = new AbortController();
  const result = call(toolset, "fix_hang", {}, context({ signal: controller.signal }));
  await until(() => readFileSync(file, "utf8").includes("hang"));
  controller.abort();
  expect(await result).toEqual({ text: "Tool call cancelled", isError: true });
  await until(() => readFileSync(file, "utf8").includes("cancelled"));
});

describe("a server's question", () => {
  const answerOf = async (more: Parameters<typeof toolContext>[1] = {}, options = {}) =>
    JSON.parse((await call(await make(options), "fix_ask", {}, context(more))).text);

  test("is declined without a user", async () => {
    expect(await answerOf()).toEqual({ action: "decline" });
  });

  test("goes to the user, who sees which server asks", async () => {
    const asked: unknown[] = [];
    const askUser = async (question: unknown) => {
      asked.push(question);
      return { action: "accept" as const, content: { which: "this" } };
    };
    expect(await answerOf({ askUser })).toEqual({ action: "accept", content: { which: "this" } });
    expect(asked).toMatchObject([{ title: "MCP server fix asks", message: "Which?", schema: { type: "object" } }]);
  });

  test("may take longer to answer than a call", async () => {
    const askUser = async () => {
      await Bun.sleep(2500);
      return { action: "decline" as const };
    };
    expect(await answerOf({ askUser }, { lifecycle: { call_timeout: 2000 } })).toEqual({ action: "decline" });
  });

  test("with an answer the protocol does not know is cancelled", async () => {
    expect(await answerOf({ askUser: async () => ({ action: "accept", content: [1] }) })).toEqual({ action: "cancel" });
  });
});

describe("closing", () => {
  test("ends what the server started", async () => {
    const file = join(temporaryDirectory(), "pid");
    const toolset = await make({ mode: "leaves-a-child", file });
    const pid = Number(readFileSync(file, "utf8"));
    expect(isAlive(pid)).toBe(true);
    await toolset.close?.();
    await until(() => !isAlive(pid));
  });

  test("kills a server that does not end", async () => {
    const toolset = await make({ mode: "ignores-end" });
    await toolset.close?.();
    expect(await call(toolset, "fix_look", {}, context())).toMatchObject({ isError: true });
  });

  test("is final: no call restarts the server", async () => {
    const file = join(temporaryDirectory(), "log");
    const toolset = await make({ file });
    await toolset.close?.();
    expect((await call(toolset, "fix_look", {}, context())).text).toContain("has been closed");
    expect(readFileSync(file, "utf8")).toBe("start\n");
    expect(existsSync(`${file}.died`)).toBe(false);
  });
});

test.each([
  [{}, "expected exactly one of command, remote and ref but got none"],
  [{ command: "a", ref: "b" }, "expected exactly one of command, remote and ref but got command and ref"],
  [{ ref: "b" }, 'ref: no mcps entry "b"'],
  [{ remote: { url: "nowhere" } }, 'remote.url: "nowhere" is not a URL'],
  [
    { remote: { url: "unix:///run/mcp" } },
    'remote.url: "unix:///run/mcp": unix: URLs are not supported, only http: and https:',
  ],
])("the entry %o is refused", async (entry, message) => {
  expect(await settled(makeToolset("mcp", temporaryDirectory(), entry))).toThrow(message);
});

test("a restart by the user ends the server and the calls under way, and starts it once", async () => {
  const file = join(temporaryDirectory(), "log");
  const warnings: string[] = [];
  const toolset = await make({ file }, { warn: (message) => void warnings.push(message) });
  const hanging = call(toolset, "fix_hang", {}, context());
  await until(() => readFileSync(file, "utf8").includes("hang"));
  const restarted = toolset.server?.restart();
  expect(toolset.server?.problem).toBe("is starting");
  const later = call(toolset, "fix_echo", {}, context());
  await restarted;
  expect((await hanging).text).toContain("MCP server fix was restarted; the call may or may not have run");
  expect((await later).isError).toBeUndefined();
  expect(toolset.server?.problem).toBeUndefined();
  expect(warnings).toHaveLength(1);
  expect(readFileSync(file, "utf8").match(/start/g)).toHaveLength(2);
});
