import { describe, expect, test } from "bun:test";
import { registryError } from "../../../src/config/sources/fetch-agent.ts";
import { ConfigError, errorText } from "../../../src/lib/errors.ts";

const unreachable = new ConfigError("no address found for registry-1.docker.io");

describe("a reference that is not in the registry", () => {
  for (const [reference, expected] of [
    ["coder", "coder: no such file or directory; as an image reference: no address found for registry-1.docker.io"],
    [
      "openai/gpt-4o",
      "openai/gpt-4o: no such file or directory; as an image reference: no address found for registry-1.docker.io; a model is given as --model openai/gpt-4o",
    ],
    ["agentcatalog/coder", "no address found for registry-1.docker.io"],
    ["openai", "openai: no such file or directory; as an image reference: no address found for registry-1.docker.io"],
  ] as const)
    test(reference, () => expect(errorText(registryError(reference, unreachable))).toBe(expected));

  test("a bug stays what it is", () => {
    const bug = new TypeError("undefined is not a function");
    expect(registryError("coder", bug)).toBe(bug);
  });
});
