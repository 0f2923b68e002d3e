import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "../scripts/docs.ts";
import { TESTED } from "../scripts/docs-providers.ts";
import { CHAT_PROVIDERS } from "./model/servers/chat-providers.ts";

const root = join(import.meta.dir, "..");

describe("the reference pages say what the tables say (bun scripts/docs.ts writes them)", async () => {
  test.each(Object.entries(await pages()))("%s", (path, text) => {
    expect(readFileSync(join(root, path), "utf8")).toBe(text);
  });
});

test("hooksh knows every key of docker-agent's agent file", () => {
  expect(readFileSync(join(root, "docs/docker-agent-keys.md"), "utf8")).toContain("does not know the key | 0 |");
});

describe("the table of providers", () => {
  const chat: readonly string[] = Object.keys(CHAT_PROVIDERS);
  const tested = Object.entries(TESTED);

  test.each(tested)("%s was tested as it says", (name, trials) => {
    const server = join(root, "test/model/servers", `${name}.ts`);
    expect(chat.includes(name) || existsSync(server)).toBe(trials?.includes("strict server") ?? false);
  });

  test("it names every strict server of a provider", () => {
    const templates = ["gemini", "template", "vllm"];
    expect(chat.filter((name) => !templates.includes(name) && !tested.some(([known]) => known === name))).toEqual([]);
  });
});
