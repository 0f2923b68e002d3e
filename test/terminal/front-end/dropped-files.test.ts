import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { nameDropped } from "../../../src/terminal/front-end/dropped-files.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const names = ["a.png", "my shot.PNG", "it's.jpg", "paper.pdf", "notes.txt", "100%.webp"];

function setUp() {
  const cwd = tempDir();
  const outside = tempDir();
  for (const name of names) {
    writeFileSync(join(cwd, name), "x");
    writeFileSync(join(outside, name), "x");
  }
  mkdirSync(join(cwd, "folder.png"));
  return { cwd, outside, at: (name: string) => join(outside, name) };
}

test("a path is recognised as terminals write it", () => {
  const { cwd, at } = setUp();
  const plain = at("a.png");
  for (const pasted of [plain, `'${plain}'`, `"${plain}"`, pathToFileURL(plain).href, ` ${plain}\n`])
    expect(nameDropped(pasted, cwd)).toBe(`@${plain}`);
  const spaced = at("my shot.PNG");
  for (const pasted of [spaced, `'${spaced}'`, spaced.replace(" ", "\\ "), pathToFileURL(spaced).href])
    expect(nameDropped(pasted, cwd)).toBe(`@"${spaced}"`);
  expect(nameDropped(pathToFileURL(at("100%.webp")).href, cwd)).toBe(`@${at("100%.webp")}`);
});

test("several paths become several mentions, below the directory relative to it", () => {
  const { cwd, at } = setUp();
  expect(nameDropped(`${at("a.png")} '${at("my shot.PNG")}'\n${join(cwd, "paper.pdf")}`, cwd)).toBe(
    `@${at("a.png")} @"${at("my shot.PNG")}" @paper.pdf`,
  );
});

test("any other text stays as it is", () => {
  const { cwd, at } = setUp();
  const pastes = [
    "",
    "a.png",
    "hello",
    at("missing.png"),
    at("notes.txt"),
    join(cwd, "folder.png"),
    `look at ${at("a.png")}`,
    `${at("a.png")} and more`,
    `file://elsewhere${at("a.png")}`,
    "file://%zz/a.png",
    `/${"x".repeat(5_000)}.png`,
    Array.from({ length: 21 }, () => at("a.png")).join(" "),
    `${at("a.png")} `.repeat(10_000),
  ];
  for (const pasted of pastes) expect(nameDropped(pasted, cwd)).toBeUndefined();
});

test("a FIFO and a cycle of links are no images", () => {
  const { cwd, at } = setUp();
  execFileSync("mkfifo", [at("pipe.png")]);
  symlinkSync("loop.png", at("loop.png"));
  expect(nameDropped(at("pipe.png"), cwd)).toBeUndefined();
  expect(nameDropped(at("loop.png"), cwd)).toBeUndefined();
});
