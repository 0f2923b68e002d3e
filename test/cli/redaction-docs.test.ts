import { describe, expect, test } from "bun:test";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { KIND_GROUPS, SECRET_KINDS } from "../../src/redaction/kinds/kinds.ts";
import { createRedactor, redactText } from "../../src/redaction/redact.ts";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const root = join(import.meta.dir, "../..");
const page = (name: string) => readFileSync(join(root, name), "utf8");
const text = page("docs/redaction.md");

/** The commands of the page's consoles, each with its output. */
const commands = [...text.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block = ""]) =>
  block
    .split(/^\$ /m)
    .filter(Boolean)
    .map((part) => [part.slice(0, part.indexOf("\n")), part.slice(part.indexOf("\n") + 1)] as const),
);

describe("docs/redaction.md", () => {
  test("shows what its commands print", async () => {
    const token = ["ghp", "a1B2".repeat(9)].join("_");
    const env = `# local settings\nGITHUB_TOKEN=${token}\nDATABASE_URL=postgres://app:hunter-two@db.internal/app\nREGION=eu-west-1\n`;
    const cwd = tempDir({ "app.env": env });
    const bin = tempDir();
    symlinkSync(binary(), join(bin, "hooksh"));
    expect(commands.length).toBeGreaterThan(4);
    // One shell for all commands, because the last one prints the exit code of the one before.
    const script = commands.map(([command]) => `${command}\ncode=$?; printf '\\036'; (exit $code)`).join("\n");
    const shell = Bun.spawn(["sh", "-c", script], {
      cwd,
      env: cleanEnv(cwd, { PATH: `${bin}:${process.env["PATH"]}` }),
      stdout: "pipe",
    });
    const printed = (await shell.stdout.text()).split("\u001e").slice(0, -1);
    expect(printed).toEqual(commands.map(([, output]) => output));
  });

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
    expect(page("docs/kinds.md")).toContain(`The ${SECRET_KINDS.length} kinds`);
  });
});
