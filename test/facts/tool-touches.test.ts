import { describe, expect, test } from "bun:test";
import { type ToolTouches, type ToolUse, toolTouches } from "../../src/facts/tool-touches.ts";
import { ownToolClass } from "../../src/protocol/tool-class.ts";
import { HOLE } from "../../src/shell/steps/invocation.ts";

function touchesOf(tool: string, input: ToolUse["input"], more: Partial<ToolUse> = {}): ToolTouches {
  return toolTouches({
    tool,
    name: tool,
    class: ownToolClass(tool),
    input,
    isMcp: false,
    isKnown: true,
    also: [],
    deletes: false,
    isDeclared: false,
    readOnly: false,
    ...more,
  });
}

/** The parts that a test is about: paths with what is touched of them, hosts, effects; `?` marks what is not sure. */
type Shown = Record<string, string[]>;

function shown(touches: ToolTouches): Shown {
  const mark = (text: string, sure: boolean) => (sure ? text : `${text}?`);
  const paths = (kind: "reads" | "writes" | "lists") =>
    touches[kind].map(({ path, sure, extent, glob }) =>
      mark(`${path}${extent === "itself" ? "" : ` ${extent}`}${glob ? " glob" : ""}`, sure),
    );
  const parts = {
    reads: paths("reads"),
    writes: paths("writes"),
    lists: paths("lists"),
    hosts: touches.hosts.map(({ host, port, sure }) => mark(port === undefined ? host : `${host}:${port}`, sure)),
    sends: touches.sends.map(({ host, sure }) => mark(host, sure)),
    effects: touches.effects.map(({ text, sure }) => mark(text, sure)),
  };
  return Object.fromEntries(Object.entries(parts).filter(([, values]) => values.length > 0));
}

describe("tools of hooksh", () => {
  test.each<[string, ToolUse["input"], Shown]>([
    ["write_file", { path: "a", content: "/etc/x" }, { writes: ["a"], effects: ["fs-overwrite"] }],
    ["write_file", { path: "a", mode: "append" }, { writes: ["a"], effects: ["fs-modify"] }],
    ["edit_file", { path: "a", edits: [{ oldText: "b", newText: "c" }] }, { writes: ["a"], effects: ["fs-modify"] }],
    ["create_directory", { paths: ["a", "b"] }, { writes: ["a", "b"] }],
    ["remove_directory", { paths: ["a", "b"] }, { writes: ["a tree", "b tree"], effects: ["fs-delete"] }],
    ["read_file", { path: "a" }, { reads: ["a"] }],
    ["read_multiple_files", { paths: ["a", "b*"] }, { reads: ["a", "b*"] }],
    ["list_directory", { path: "a" }, { lists: ["a"] }],
    ["directory_tree", { path: "a" }, { lists: ["a"] }],
    ["search_files_content", { path: "a", query: "/etc/x" }, { reads: ["a tree"] }],
    [
      "fetch",
      { urls: ["https://a.example/", "b.example:81/x"] },
      { hosts: ["a.example", "b.example:81"], effects: ["fetches"] },
    ],
    ["fetch", { urls: ["file:///etc/passwd"] }, { reads: ["/etc/passwd"], effects: ["fetches"] }],
    ["transfer_task", { agent: "x", task: "y" }, { effects: ["delegates"] }],
    ["handoff", { agent: "x" }, { effects: ["delegates"] }],
    ["run_background_agent", { agent: "x", task: "y" }, { effects: ["delegates"] }],
    ["run_skill", { name: "x", task: "y" }, { effects: ["delegates"] }],
    ["think", { thought: "x", path: "/etc/x" }, {}],
  ])("%s %j", (tool, input, expected) => {
    const touches = touchesOf(tool, input);
    expect(shown(touches)).toEqual(expected);
    expect(touches).toMatchObject({ readable: true, opaque: false });
  });

  test.each<[string, ToolUse["input"]]>([
    ["write_file", { content: "x" }],
    ["write_file", { path: 5 }],
    ["edit_file", { path: ["a", 5] }],
    ["edit_file", { patch: "no files" }],
    ["edit_file", { patch: 5 }],
    ["create_directory", {}],
    ["read_file", { path: "" }],
    ["read_file", { path: { a: "b" } }],
    ["read_multiple_files", { paths: [] }],
    ["list_directory", { path: 5 }],
    ["fetch", { urls: [5] }],
    ["fetch", {}],
    ["edit_file", { path: ["a"] }],
    ["read_file", { path: ["a"] }],
  ])("%s %j cannot be read", (tool, input) => {
    expect(touchesOf(tool, input).readable).toBe(false);
  });
});

test("every file of a patch, with the effect on it", () => {
  const patch =
    "*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n-x\n+y\n*** Add File: c\n+z\n*** Delete File: d\n*** End Patch";
  expect(shown(touchesOf("edit_file", { path: "a", paths: ["a"], patch }, { also: ["write_file"] }))).toEqual({
    writes: ["a", "b", "c", "d"],
    effects: ["fs-delete", "fs-overwrite", "fs-modify"],
  });
  const update = "*** Begin Patch\n*** Update File: a\n@@\n-x\n*** End Patch";
  expect(shown(touchesOf("edit_file", { patch: update }))).toEqual({ writes: ["a"], effects: ["fs-modify"] });
});

test("a tool that writes new files and edits old ones possibly does the other of the two", () => {
  expect(shown(touchesOf("edit_file", { path: "a" }, { also: ["write_file"] })).effects).toEqual([
    "fs-overwrite?",
    "fs-modify",
  ]);
  expect(shown(touchesOf("write_file", { path: "a" }, { also: ["edit_file"] })).effects).toEqual([
    "fs-overwrite",
    "fs-modify?",
  ]);
  expect(shown(touchesOf("edit_file", { path: "a" }, { also: ["write_file"], deletes: true })).effects).toEqual([
    "fs-delete",
  ]);
});

describe("tools of other agents", () => {
  const writes = { class: "writes-files" } as const;
  const reads = { class: "reads-files" } as const;
  const network = { class: "network" } as const;
  type Case = [string, ToolUse["input"], Partial<ToolUse>, Shown];
  test.each<Case>([
    ["delete_file", { target_file: "a" }, writes, { writes: ["a"], effects: ["fs-delete"] }],
    ["move_file", { source: "a", destination: "b" }, writes, { writes: ["a", "b"], effects: ["fs-overwrite"] }],
    ["Glob", { pattern: "/etc/ssl/**/*.pem" }, reads, { lists: [".", "/etc/ssl/"] }],
    ["Glob", { patterns: ["*.ts"], folder: "src" }, reads, { lists: ["src"] }],
    ["find_by_name", { SearchDirectory: "/srv", Pattern: "*" }, reads, { lists: ["/srv"] }],
    ["semantic_search", { query: "x" }, reads, { reads: [". tree"] }],
    ["view_image", { filePath: "a.png" }, reads, { reads: ["a.png"] }],
    ["slack_post_file", { filePath: "a", channel: "c" }, network, { reads: ["a"], effects: ["fetches", "sends"] }],
    ["WebSearch", { query: "https://a.example/" }, network, { effects: ["fetches"] }],
    ["open_browser_url", { Url: "https://a.example/" }, network, { hosts: ["a.example"], effects: ["fetches"] }],
    ["browser_click", { index: 3 }, network, { effects: ["fetches"] }],
    ["RemoveFile", { path: "a" }, writes, { writes: ["a"], effects: ["fs-delete"] }],
    ...["RenameFile", "createFile", "new_file", "Write"].map(
      (name): Case => [name, { path: "a" }, writes, { writes: ["a"], effects: ["fs-overwrite"] }],
    ),
    ["apply", { path: "a" }, writes, { writes: ["a"], effects: ["fs-modify"] }],
    ["x", { path: ["a", "b"] }, { ...writes, tool: "edit_file" }, { writes: ["a", "b"], effects: ["fs-modify"] }],
    ["Append", { path: "a" }, { ...writes, tool: "write_file" }, { writes: ["a"], effects: ["fs-modify"] }],
    ...["list", "LS", "file_search", "fileSearch", "get_project_structure"].map(
      (name): Case => [name, {}, reads, { lists: ["."] }],
    ),
    ...["tools", "lsp"].map((name): Case => [name, {}, reads, {}]),
    ...["Grep", "References", "diagnostics", "read_lints", "usages"].map(
      (name): Case => [name, {}, reads, { reads: [". tree"] }],
    ),
    ["x", {}, { ...reads, tool: "list_directory" }, { lists: ["."] }],
    ["x", {}, { ...reads, tool: "search_files_content" }, { reads: [". tree"] }],
    ["search", { path: "a" }, { ...reads, tool: "read_file" }, { reads: ["a"] }],
    ["x", { operations: [{ path: "a" }] }, { ...reads, tool: "read_file" }, { reads: ["a"] }],
    ["glob", { pattern: "src", xpattern: "x", patternx: "y" }, reads, { lists: [".", "src"] }],
    ["glob", { pattern: "a/b*/c" }, reads, { lists: [".", "a/"] }],
    ["glob", { pattern: "a*" }, reads, { lists: ["."] }],
    ["grep", { path: "d", glob: "/etc/*", xglob: "x", globx: "y" }, reads, { reads: ["d tree", "/etc/* glob"] }],
    ...["globs", "glob_pattern", "include", "includes", "include_pattern", "file_pattern"].map(
      (field): Case => ["grep", { path: "d", [field]: ".e*" }, reads, { reads: ["d tree", "d/.e* glob"] }],
    ),
    ...["Send", "push", "share", "create_pull_request", "report_issue", "gh_issue", "Artifact"].map(
      (name): Case => [name, {}, network, { effects: ["fetches", "sends"] }],
    ),
    ["get_artifact", {}, network, { effects: ["fetches"] }],
    ["artifacts", {}, network, { effects: ["fetches"] }],
    [
      "search",
      { url: "https://a.example/" },
      { ...network, tool: "fetch" },
      { hosts: ["a.example"], effects: ["fetches"] },
    ],
    ["x", { path: "a" }, { ...network, tool: "fetch" }, { effects: ["fetches"] }],
    [
      "open",
      { xurl: "a.example", urlx: "b.example", href: "c.example", uri: "d.example" },
      network,
      { hosts: ["c.example", "d.example"], effects: ["fetches"] },
    ],
  ])("%s %j", (name, input, more, expected) => {
    expect(shown(touchesOf(name, input, more))).toEqual(expected);
  });

  test("fields for paths", () => {
    const fields = `path paths file files dir directory directories folder folders filename source destination absolutePath
      relative_path relative_workspace_path target_path search_path file_path dir_path directory_path notebook_path image_path
      input_image_paths source_path destination_path old_path new_path worktreePath target_file search_directory target_directories
      searchDirectories searchDir`;
    const named = (field: string) => shown(touchesOf("view", { [field]: "a" }, reads)).reads;
    expect(fields.split(/\s+/).filter((field) => named(field)?.[0] !== "a")).toEqual([]);
    for (const field of ["xpath", "pathx", "filesx", "text"]) expect(named(field)).toBeUndefined();
  });

  test("what may lack a path and what may not", () => {
    const readable = (name: string, input: ToolUse["input"], more: Partial<ToolUse>) =>
      touchesOf(name, input, more).readable;
    expect(readable("view", {}, reads)).toBe(true);
    expect(readable("list", {}, { ...reads, tool: "read_file", also: ["list_directory"] })).toBe(false);
    expect(readable("read_file", { operations: [{ mode: "Directory" }] }, { ...reads, tool: "read_file" })).toBe(true);
    expect(readable("read_file", { operations: [5] }, reads)).toBe(false);
    expect(readable("x", {}, { ...network, tool: "fetch" })).toBe(true);
    expect(readable("fetch", {}, { ...network, tool: "x" })).toBe(true);
    expect(readable("fetch", { url: "https://a.example/", path: ["b"] }, { also: ["write_file"], name: "x" })).toBe(
      true,
    );
    expect(readable("fetch", { url: "https://a.example/", path: 5, file: "b" }, { also: ["write_file"] })).toBe(false);
    expect(readable("edit", { path: 5, file: "b" }, writes)).toBe(false);
  });

  test("a tool that writes where its input does not say is opaque", () => {
    expect(touchesOf("save_memory", { fact: "x" }, writes)).toMatchObject({ opaque: true, readable: true });
  });

  test("one call reads, lists and searches", () => {
    const operations = [
      { mode: "Line", path: "a" },
      { mode: "Directory", path: "b" },
      { mode: "Search", path: "c", pattern: "x" },
      { mode: "Image", image_paths: ["d.png"] },
    ];
    const use = { name: "fs_read", also: ["list_directory", "search_files_content"] };
    expect(shown(touchesOf("read_file", { operations, path: "a", paths: ["a", "b", "c"] }, use))).toEqual({
      reads: ["a", "c tree", "d.png"],
      lists: ["b"],
    });
    expect(touchesOf("read_file", { operations: ["a"] }, use).readable).toBe(false);
  });

  test("a search in files of some names reads these in its directories", () => {
    const use = { name: "Grep" };
    expect(shown(touchesOf("search_files_content", { pattern: "x", glob: "{.env,*.pem}" }, use))).toEqual({
      reads: [". tree", ".env glob", "*.pem glob"],
    });
    expect(shown(touchesOf("search_files_content", { pattern: "x", path: "/a/", include: ".env" }, use))).toEqual({
      reads: ["/a/ tree", "/a/.env glob"],
    });
  });

  test("several files by patterns", () => {
    const use = { name: "read_many_files", also: ["read_multiple_files"] };
    expect(shown(touchesOf("read_file", { paths: ["a", ".e*"] }, use))).toEqual({ reads: ["a", ".e* glob"] });
  });

  test("a download writes, and a fetch by an agent delegates", () => {
    const download = { url: "https://a.example/", path: "b" };
    expect(shown(touchesOf("fetch", download, { name: "download", also: ["write_file"] }))).toEqual({
      hosts: ["a.example"],
      writes: ["b"],
      effects: ["fetches", "fs-overwrite"],
    });
    expect(touchesOf("fetch", { url: "https://a.example/" }, { also: ["write_file"] }).readable).toBe(false);
    expect(shown(touchesOf("fetch", { url: "https://a.example/" }, { also: ["transfer_task"] })).effects).toEqual([
      "fetches",
      "delegates",
    ]);
  });
});

describe("the network", () => {
  test.each<[ToolUse["input"], boolean]>([
    [{}, false],
    [{ method: "GET" }, false],
    [{ method: "head" }, false],
    [{ method: "POST" }, true],
    [{ httpMethod: "delete" }, true],
    [{ body: "x" }, true],
    [{ data: { a: 1 } }, true],
    [{ body: "" }, false],
    [{ method: "" }, false],
    [{ method: 5 }, false],
    ...["json", "form", "form_data", "payload"].map((field): [ToolUse["input"], boolean] => [{ [field]: "x" }, true]),
    [{ embody: "x", bodyx: "x" }, false],
    [{ body: null }, false],
  ])("data goes to the host with %j: %p", (input, sends) => {
    const found = shown(touchesOf("fetch", { url: "https://a.example/", ...input }));
    expect(found).toEqual({
      hosts: ["a.example"],
      effects: sends ? ["fetches", "sends"] : ["fetches"],
      ...(sends ? { sends: ["a.example"] } : {}),
    });
  });

  test("a URL beside the one that is fetched is only possible; without one it is what is fetched", () => {
    const url = "https://a.example/x";
    expect(
      shown(touchesOf("fetch", { url, prompt: "Compare http://b.example and https://a.example/." })).hosts,
    ).toEqual(["a.example", "b.example?"]);
    expect(shown(touchesOf("fetch", { prompt: "Read http://b.example/." })).hosts).toEqual(["b.example"]);
    expect(shown(touchesOf("fetch", { requests: [{ url, prompt: "x" }] })).hosts).toEqual(["a.example"]);
    const ports = { url, prompt: "http://a.example:81/ http://a.example:81/x file:///x" };
    expect(shown(touchesOf("fetch", ports)).hosts).toEqual(["a.example", "a.example:81?"]);
  });

  test("a tool of an agent file connects to a host that its input does not show", () => {
    const declared = { class: "network", isDeclared: true } as const;
    const search = touchesOf("search_pets", { url: "https://a.example/", path: "/etc/x" }, declared);
    expect(shown(search)).toEqual({ hosts: [HOLE], sends: [HOLE], effects: ["fetches", "sends"] });
    const reading = touchesOf("list_pets", {}, { ...declared, readOnly: true });
    expect(shown(reading)).toEqual({ hosts: [HOLE], effects: ["fetches"] });
  });
});

describe("tools of MCP servers, and unknown ones", () => {
  const mcp = { class: "other", isMcp: true } as const;
  test.each<[ToolUse["input"], Shown]>([
    [{ url: "https://a.example:81/x" }, { hosts: ["a.example:81?"] }],
    [{ href: "a.example" }, { hosts: ["a.example?"] }],
    [{ host: "a.example" }, { hosts: ["a.example?"] }],
    [{ uri: "file:///etc/x" }, { reads: ["/etc/x?"], writes: ["/etc/x?"] }],
    [{ path: "a" }, { reads: ["a?"], writes: ["a?"] }],
    [{ options: { file_path: "a" } }, { reads: ["a?"], writes: ["a?"] }],
    [{ files: [{ path: "a" }, "b"] }, { reads: ["a?", "b?"], writes: ["a?", "b?"] }],
    [{ file: "https://a.example/" }, { hosts: ["a.example?"] }],
    [{ text: "/etc/x https://a.example/", target: "/etc/x" }, {}],
    [{ path: 5, host: null }, {}],
    [{ xpath: "a", pathx: "a", xhost: "a.example", hostx: "a.example" }, {}],
    [{ file: "HTTPS://a.example/" }, { hosts: ["a.example?"] }],
    [{ file: "./x://y" }, { reads: ["./x://y?"], writes: ["./x://y?"] }],
    [{ url: "mailto:x" }, {}],
  ])("%j", (input, expected) => {
    const touches = touchesOf("mcp:x:y", input, mcp);
    expect(shown(touches)).toEqual(expected);
    expect(touches).toMatchObject({ opaque: true, readable: true });
    expect(shown(touchesOf("frobnicate", input, { class: "other", isKnown: false }))).toEqual(expected);
  });

  test.each(["directory", "dir", "paths", "filename", "filepath"])("the field %s names a path", (field) => {
    expect(shown(touchesOf("mcp:x:y", { [field]: "a" }, mcp))).toEqual({ reads: ["a?"], writes: ["a?"] });
  });
});

test("hostile input is read in time and without a throw", () => {
  let deep: unknown = "a";
  for (let level = 0; level < 100_000; level++) deep = { files: [deep] };
  expect(touchesOf("mcp:x:y", { deep, path: "a" }, { class: "other", isMcp: true }).reads).toHaveLength(1);
  expect(touchesOf("fetch", { url: "https://a.example/", deep }).readable).toBe(false);
});
