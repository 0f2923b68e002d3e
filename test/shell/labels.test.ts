import { describe, expect, test } from "bun:test";
import { classifyCommand } from "../../src/shell/classify.ts";
import { DESTRUCTIVE, EVERYDAY, HIDDEN } from "./corpus.ts";

const labelled = (commands: readonly string[], isWrong: (label: string) => boolean) =>
  commands.filter((command) => isWrong(classifyCommand(command).label));

describe("destructive commands are called destructive", () => {
  test.each(Object.entries(DESTRUCTIVE))("%s", (_name, commands) => {
    expect(labelled(commands, (label) => label !== "destructive")).toEqual([]);
  });
});

test("commands that hide their effect are never called safe", () => {
  expect(labelled(HIDDEN, (label) => label === "safe")).toEqual([]);
});

describe("everyday commands are not called destructive", () => {
  test.each(Object.entries(EVERYDAY))("%s", (_name, commands) => {
    expect(labelled(commands, (label) => label === "destructive")).toEqual([]);
  });
});
