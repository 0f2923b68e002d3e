import { describe, expect, test } from "bun:test";
import { hostFiles } from "../../../src/dialects/host-files.ts";
import type { EntryFile } from "../../../src/hosts/registration/json-entries.ts";
import { ownTomlEntries, setTomlEntries } from "../../../src/hosts/registration/toml-entries.ts";

const files = hostFiles("kimi");
const [file] = files.files;
const target: EntryFile = { host: files, file: file as NonNullable<typeof file>, dialect: "kimi", path: "config.toml" };

function wanted(event: string, timeout = 60) {
  const command = `'/opt/my "tools"/hooksh' dispatch --dialect kimi --event ${event}`;
  return { event, entry: { event, command, timeout } };
}

const BOTH = [wanted("PreToolUse"), wanted("Stop")];

const MESSY: Record<string, string> = {
  empty: "",
  comments: "# mine\na = 1 # one\n\n[b] # two\nc = 'x'\n",
  CRLF: "a = 1\r\n[b]\r\nc = 2\r\n",
  "empty lines at the end": "a = 1\n\n\n",
  "hooks of others": '[[hooks]] # mine\nevent = "Stop"\ncommand = "say done"\n\n[other]\nx = 1\n',
  "a header in a text": 'a = """\n[[hooks]]\nevent = "Stop"\n"""\n',
};

describe("the [[hooks]] tables of hooksh", () => {
  test.each(Object.entries(MESSY))("are added and removed, and every other byte stays: %s", (_name, text) => {
    const installed = setTomlEntries(text, target, BOTH);
    expect(installed.startsWith(text)).toBe(true);
    expect(ownTomlEntries(installed, target).map(({ event, entry }) => ({ event, entry }))).toEqual(BOTH);
    expect(setTomlEntries(installed, target, BOTH)).toBe(installed);
    expect(setTomlEntries(installed, target, [])).toBe(text);
  });

  test("are updated when the policy changes; tables that the user added after them stay", () => {
    const later = `${setTomlEntries("a = 1\n", target, BOTH)}\n[[hooks]]\nevent = "Stop"\ncommand = "x"\n`;
    const updated = setTomlEntries(later, target, [wanted("Stop", 30)]);
    expect(ownTomlEntries(updated, target).map(({ entry }) => entry)).toEqual([wanted("Stop", 30).entry]);
    expect(setTomlEntries(updated, target, [])).toBe('a = 1\n\n[[hooks]]\nevent = "Stop"\ncommand = "x"\n');
  });

  test("hold exactly the keys that Kimi knows: one more and it ignores every hook", () => {
    expect(setTomlEntries("", target, [wanted("Stop")])).toBe(
      `[[hooks]]\nevent = "Stop"\ncommand = "'/opt/my \\"tools\\"/hooksh' dispatch --dialect kimi --event Stop"\ntimeout = 60\n`,
    );
  });

  test.each([
    ["a = \n", "config.toml:"],
    ["hooks = []\n", "config.toml:1:1: expected [[hooks]] tables"],
    ["[hooks]\nx = 1\n", "config.toml:1:1: expected [[hooks]] tables"],
  ])("have no place in %j", (text, message) => {
    expect(() => setTomlEntries(text, target, BOTH)).toThrow(message);
  });
});
