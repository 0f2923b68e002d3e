import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { KIND_GROUPS, SECRET_KINDS } from "../../src/redaction/kinds/kinds.ts";
import { createRedactor, redactText } from "../../src/redaction/redact.ts";

const root = join(import.meta.dir, "../..");
const page = (name: string) => readFileSync(join(root, name), "utf8");
const text = page("docs/redaction.md");

describe("docs/redaction.md", () => {
  test("names values that no level redacts", () => {
    const { redact } = createRedactor({ generic: "strict" });
    const [, list = ""] = /so that they do not look real: (.*) stay\./.exec(text) ?? [];
    const values = [...list.matchAll(/`([^`]+)`/g)].map(([, value = ""]) => value);
    expect(values.length).toBeGreaterThan(3);
    for (const value of values) {
      for (const line of [`API_KEY=${value}`, `password: "${value}"`, `Authorization: Bearer ${value}`])
        expect(redact(line)).toBe(line);
    }
  });

  test("shows a value that only the strict level finds", () => {
    const [, sample = ""] = /such as `(password = [^`]+)`/.exec(text) ?? [];
    expect(redactText(sample)).toBe(sample);
    expect(createRedactor({ generic: "strict" }).redact(sample)).toBe('password = "[REDACTED]"');
  });
});

describe("the number of kinds", () => {
  test.each(["README.md", "docs/security.md"])("in %s is correct to the hundred", (name) => {
    const [, number] = /over (\d+) kinds of secret/.exec(page(name)) ?? [];
    expect(Number(number)).toBe(Math.floor(SECRET_KINDS.length / 100) * 100);
  });

  test("is the sum of all groups, and no group is empty", () => {
    expect(KIND_GROUPS.map(({ ids }) => ids.length)).not.toContain(0);
    expect(page("docs/kinds.md")).toContain(`the ${SECRET_KINDS.length} kinds`);
  });
});
