import { expect, test } from "bun:test";
import { join } from "node:path";
import { failureLine, redactedStderr } from "../../src/engine/failure-line.ts";
import { rememberSecret } from "../../src/lib/secrets/known-secrets.ts";

const SECRET = "walnut-9Kd83-orchard-Qx71m-gate";
rememberSecret(SECRET);

test("is the last line, without secrets and control characters", async () => {
  expect(await failureLine(`Traceback\n  at line 3\nno policy for ${SECRET}\u001b[2J\n`)).toBe(
    "no policy for [REDACTED]\\x1b[2J",
  );
  expect(await failureLine("ValueError: a: b\nno policy\n")).toBe("no policy");
  expect(await failureLine(" \n")).toBe("");
  const ofNode =
    "node:internal/modules:1\n  throw err;\n  ^\n\nError: Cannot find module '/x.js'\n    at a (b:1)\n\nNode.js v20.1.0\n";
  expect(await failureLine(ofNode)).toBe("Error: Cannot find module '/x.js'");
  expect(await redactedStderr(" \n")).toBe("");
});

test("is cut after 300 characters", async () => {
  const line = (length: number) => failureLine(`first\n${"x".repeat(length)}`);
  expect(await line(300)).toBe("x".repeat(300));
  expect(await line(301)).toBe(`${"x".repeat(300)}...`);
});

test("holds no value of a variable that is named like a secret", async () => {
  const script = `const { failureLine } = await import("./src/engine/failure-line.ts"); console.log(await failureLine("the key is plum-jetty-4471-quill"));`;
  const env = { PATH: process.env["PATH"] ?? "", DEPLOY_TOKEN: "plum-jetty-4471-quill" };
  const ran = Bun.spawnSync([process.execPath, "-e", script], { cwd: join(import.meta.dir, "../.."), env });
  expect(ran.stdout.toString()).toBe("the key is [REDACTED]\n");
});

test("holds no part of a secret, wherever a long output is cut", async () => {
  for (let shift = 0; shift < SECRET.length; shift++) {
    const stderr = `${"a".repeat(1000)}${SECRET}${"b".repeat(64 * 1024 - shift)}`;
    for (const shown of [await failureLine(stderr), await redactedStderr(stderr)])
      expect(shown).not.toMatch(/walnut|orchard|gate|Qx71m|9Kd83/);
  }
});
