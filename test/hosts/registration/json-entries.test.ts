import { describe, expect, test } from "bun:test";
import { type HostId, hostFiles } from "../../../src/dialects/host-files.ts";
import {
  type EntryFile,
  newJsonFile,
  ownJsonEntries,
  setJsonEntries,
  type WantedEntry,
} from "../../../src/hosts/registration/json-entries.ts";

/** The first file of a host, as if it were JSON with comments. */
function target(host: HostId, format: "json" | "jsonc" = "jsonc"): EntryFile {
  const files = hostFiles(host);
  const [file] = files.files;
  if (!file) throw new Error(`${host} has no file`);
  return { host: files, file: { ...file, format }, dialect: host, path: "settings.json" };
}

function wanted(event: string, host: HostId = "claude", flags = ""): WantedEntry {
  const command = `'/opt/my tools/hooksh' dispatch --dialect ${host} --event ${event}${flags}`;
  return { event, entry: { type: "command", command, timeout: 60 } };
}

const BOTH = [wanted("PreToolUse"), wanted("Stop")];

/** Files as people have them. None has an empty object or list where entries go. */
const MESSY: Record<string, string> = {
  "one line": '{"a":1}',
  "one line with spaces": '{"a": 1, "b": [1, 2]}',
  tabs: '{\n\t"a": 1,\n\t"b": {\n\t\t"c": []\n\t}\n}\n',
  "four spaces and CRLF": '{\r\n    "a": 1,\r\n    "b": 2\r\n}\r\n',
  "a byte order mark": '\uFEFF{\n  "a": 1\n}\n',
  "no line break at the end": '{\n  "a": 1\n}',
  "comments everywhere": '// top\n{\n  // c\n  "a": 1, // about a\n  /* end */\n} // bottom\n',
  "a comment after the last value": '{\n  "a": 1 // about a\n}\n',
  "trailing commas": '{\n  "a": [1, 2,],\n}\n',
  "hooks of others": `{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash", // mine
        "hooks": [
          { "type": "command", "command": "guard.sh", "timeout" : 5 }, // keep
        ],
      },
      // { "off": true }
    ],
    "Notification": [{"hooks":[{"type":"command","command":"say done"}]}]
  },
  "z": "}"
}
`,
  "hooks of others on one line": '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"x"}]}]}}',
  "a bracket on the line of the list":
    '{\n  "hooks": {\n    "Stop": [{\n      "hooks": [{\n        "type": "command",\n        "command": "x"\n      }]\n    }]\n  }\n}\n',
};

describe("the entries of hooksh in a JSON file", () => {
  test.each(Object.entries(MESSY))("are added and removed, and every other byte stays: %s", (_name, text) => {
    const installed = setJsonEntries(text, target("claude"), BOTH);
    expect(ownJsonEntries(installed, target("claude")).map(({ event, entry }) => ({ event, entry }))).toEqual(
      expect.arrayContaining(BOTH),
    );
    expect(setJsonEntries(installed, target("claude"), BOTH)).toBe(installed);
    expect(setJsonEntries(installed, target("claude"), [])).toBe(text);
  });

  test.each(Object.entries(MESSY))("only add to the file, with its line breaks: %s", (_name, text) => {
    const installed = setJsonEntries(text, target("claude"), BOTH);
    let at = 0;
    for (const character of installed) if (character === text[at]) at++;
    expect(at).toBe(text.length);
    expect(installed.replaceAll("\r\n", "").includes("\n")).toBe(text.replaceAll("\r\n", "").includes("\n"));
  });

  test.each(["{}", "{ }", "{\n}\n", '{\n  "hooks": {}\n}', '{\n  "hooks": {\n    "Stop": [ ]\n  }\n}'])(
    "go into empty objects and lists: %s",
    (text) => {
      const installed = setJsonEntries(text, target("claude"), BOTH);
      expect(ownJsonEntries(installed, target("claude"))).toHaveLength(2);
      expect(ownJsonEntries(setJsonEntries(installed, target("claude"), []), target("claude"))).toEqual([]);
    },
  );

  test("are indented as the file is", () => {
    expect(setJsonEntries('{\n\t"a": 1\n}\n', target("claude"), [wanted("Stop")])).toBe(`{
\t"a": 1,
\t"hooks": {
\t\t"Stop": [
\t\t\t{
\t\t\t\t"hooks": [
\t\t\t\t\t{
\t\t\t\t\t\t"type": "command",
\t\t\t\t\t\t"command": "'/opt/my tools/hooksh' dispatch --dialect claude --event Stop",
\t\t\t\t\t\t"timeout": 60
\t\t\t\t\t}
\t\t\t\t]
\t\t\t}
\t\t]
\t}
}
`);
  });

  test("are updated in place when the policy changes, and those of other people stay", () => {
    const before = setJsonEntries(MESSY["hooks of others"] ?? "", target("claude"), BOTH);
    const next = [wanted("PreToolUse", "claude", " --deadline 57s"), wanted("SessionEnd")];
    const after = setJsonEntries(before, target("claude"), next);
    expect(ownJsonEntries(after, target("claude")).map(({ event }) => event)).toEqual(["PreToolUse", "SessionEnd"]);
    expect(after).toContain("--deadline 57s");
    expect(setJsonEntries(after, target("claude"), [])).toBe(MESSY["hooks of others"] ?? "");
  });

  test("leave a group with a matcher, in which they would not run for every call", () => {
    const { entry } = wanted("PreToolUse");
    const text = JSON.stringify({ hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "x" }, entry] }] } });
    const after = JSON.parse(setJsonEntries(text, target("claude"), [wanted("PreToolUse")]));
    expect(after.hooks.PreToolUse).toEqual([{ matcher: "Bash", hooks: [{ type: "x" }] }, { hooks: [entry] }]);
  });

  test("are kept once if the user copied them", () => {
    const { entry } = wanted("Stop");
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [entry] }, { hooks: [entry] }] } });
    const after = JSON.parse(setJsonEntries(text, target("claude"), [wanted("Stop")]));
    expect(after.hooks.Stop).toEqual([{ hooks: [entry] }]);
  });

  test.each([
    ["another dialect", "hooksh dispatch --dialect codex --event Stop"],
    ["more than one command", "hooksh dispatch --dialect claude --event Stop | tee log"],
    ["a wrapper", "sh -c 'hooksh dispatch --dialect claude --event Stop'"],
    ["a variable", "$HOOKSH dispatch --dialect claude --event Stop"],
    ["another program", "/opt/nothooksh dispatch --dialect claude --event Stop"],
  ])("are not those with %s", (_name, command) => {
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } });
    expect(ownJsonEntries(text, target("claude"))).toEqual([]);
    expect(setJsonEntries(text, target("claude"), [])).toBe(text);
  });

  test.each([
    ["{", "settings.json:1:2: "],
    ['{\n  "a": 1,,\n}', "settings.json:2:10: "],
    ['{"a": 1, "a": 2}', "settings.json:1:10: "],
    ["[]", "settings.json:1:1: expected an object"],
    ['{"hooks": []}', "settings.json:1:11: expected an object"],
    ['{"hooks": null}', "settings.json:1:11: expected an object"],
  ])("have no place in a file that is not valid: %s", (text, place) => {
    expect(() => setJsonEntries(text, target("claude"), BOTH)).toThrow(place);
  });

  test("have no place in a file with comments if the host reads plain JSON", () => {
    expect(() => setJsonEntries('{\n  // why\n  "a": 1\n}', target("claude", "json"), BOTH)).toThrow(
      "settings.json:2:3: ",
    );
  });

  test("have no place in a list of hooks that is an object", () => {
    expect(() => setJsonEntries('{"hooks": {}}', target("kiro"), [])).toThrow("settings.json:1:11: expected a list");
  });
});

describe("a new file", () => {
  test("begins with the keys that the host needs", () => {
    expect(JSON.parse(newJsonFile(target("cursor"), [wanted("stop", "cursor")]))).toEqual({
      version: 1,
      hooks: { stop: [wanted("stop", "cursor").entry] },
    });
  });

  test("nests the events of tools for Antigravity, and no others", () => {
    const entries = [wanted("PreToolUse", "agy"), wanted("Stop", "agy")];
    expect(JSON.parse(newJsonFile(target("agy"), entries))).toEqual({
      hooksh: { PreToolUse: [{ hooks: [entries[0]?.entry] }], Stop: [entries[1]?.entry] },
    });
  });
});
