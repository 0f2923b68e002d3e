import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { redactText, SECRET_KINDS } from "../../src/redaction/redact.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const token = ["ghp", "a1B2".repeat(9)].join("_");
const slack = ["xoxb", "123456789012", "123456789012", "abcdefABCDEF0123456789ab"].join("-");

function redact(
  args: readonly string[],
  { cwd = tempDir(), input = "" }: { cwd?: string; input?: string | Uint8Array } = {},
) {
  return hooksh(["redact", ...args], { cwd, input });
}

/** Returns the standard output of the filter as bytes. */
async function bytesOut(input: Uint8Array): Promise<Buffer> {
  const cwd = tempDir();
  const child = Bun.spawn([binary(), "redact"], { cwd, env: cleanEnv(cwd), stdin: input, stdout: "pipe" });
  const bytes = await child.stdout.bytes();
  expect(await child.exited).toBe(0);
  return Buffer.from(bytes);
}

describe("the filter", () => {
  test("replaces secrets in standard input and keeps the rest", async () => {
    const ran = await redact([], { input: `a\r\n\tkey=${token}\r\n\r\nlast` });
    expect(ran).toMatchObject({ code: 0, stdout: "a\r\n\tkey=[REDACTED]\r\n\r\nlast", stderr: "" });
  });

  test.each([
    ["", ""],
    ["\n", "\n"],
    [token, "[REDACTED]"],
    [`${token}\n`, "[REDACTED]\n"],
  ])("%j", async (input, output) => {
    expect(await redact([], { input })).toMatchObject({ code: 0, stdout: output });
  });

  test("copies files in order, with - for standard input, and reports those it cannot read", async () => {
    const cwd = tempDir({ "a.txt": `a ${token}\n`, "b.txt": `b ${slack}`, "dir/x": "" });
    const ran = await redact(["b.txt", "missing", "dir", "-", "a.txt"], { cwd, input: `in ${token}\n` });
    expect(ran).toMatchObject({
      code: 1,
      stdout: "b [REDACTED]in [REDACTED]\na [REDACTED]\n",
      stderr: "missing: no such file\ndir: is a directory, which only --report and --check search\n",
    });
  });

  test("names the kind with --label", async () => {
    const ran = await redact(["--label"], { input: `${token} ${slack}` });
    expect(ran.stdout).toBe("[REDACTED:github-pat] [REDACTED:slack-bot-token]");
    expect((await redact(["--label"], { input: ran.stdout })).stdout).toBe(ran.stdout);
  });

  test("keeps every byte outside secrets: UTF-8, Latin-1, UTF-16, binary", async () => {
    const secret = Buffer.from(token);
    const mark = Buffer.from("[REDACTED]");
    const around: [Buffer, Buffer][] = [
      [Buffer.from("\ufeffé😀 "), Buffer.from(" ¿\n")],
      [Buffer.from("caf\xe9 ", "latin1"), Buffer.from("\xff\xfe\x00 \x80", "latin1")],
      [Buffer.from([0, 1, 2, 0xff, 0xd8, 0x0a]), Buffer.from([0xf0, 0x9f, 0x98])],
    ];
    for (const [before, after] of around) {
      const out = await bytesOut(Buffer.concat([before, secret, after]));
      expect(out.toString("hex")).toBe(Buffer.concat([before, mark, after]).toString("hex"));
    }
    const wide = (text: string) => Buffer.from(`\ufeff${text}\r\n`, "utf16le");
    expect((await bytesOut(wide(`key ${token}`))).equals(wide("key [REDACTED]"))).toBe(true);
    expect((await bytesOut(wide(`key ${token}`).swap16())).equals(wide("key [REDACTED]").swap16())).toBe(true);
  });

  test("writes complete lines when the input pauses", async () => {
    const cwd = tempDir();
    const child = Bun.spawn([binary(), "redact"], { cwd, env: cleanEnv(cwd), stdin: "pipe", stdout: "pipe" });
    child.stdin.write(`first ${token}\nsecond `);
    await child.stdin.flush();
    const reader = child.stdout.getReader();
    const { value } = await reader.read();
    expect(new TextDecoder().decode(value)).toBe("first [REDACTED]\n");
    child.stdin.write(token);
    await child.stdin.end();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("second [REDACTED]");
    expect(await child.exited).toBe(0);
  });

  test("knows the secrets of its environment", async () => {
    const env = { DATABASE_PASSWORD: "kT9vQ2xLm4Zb", NODE_ENV: "production" };
    const input = "login kT9vQ2xLm4Zb to production\n";
    const ran = await hooksh(["redact", "--label"], { cwd: tempDir(), input, env });
    expect(ran.stdout).toBe("login [REDACTED:known-value] to production\n");
    const check = await hooksh(["redact", "--check"], { cwd: tempDir(), input, env });
    expect(check).toMatchObject({ code: 1, stdout: "-:1:7: known-value\n" });
  });

  test("agrees with redact_secrets on JSON whose escapes hide a secret", async () => {
    const json = JSON.stringify({ a: `x\n${token}`, url: "postgres://u:hunter-two@h/d" }).replaceAll("/", "\\/");
    const { stdout } = await redact([], { input: json });
    expect(stdout).toBe(redactText(json));
    expect(stdout).not.toContain("hunter");
  });

  test("exits 141 if its reader closes the pipe", async () => {
    const cwd = tempDir();
    const script = `yes "a ${token}" | { "$0" redact; echo $? > code; } | head -1; cat code`;
    const child = Bun.spawn(["sh", "-c", script, binary()], { cwd, env: cleanEnv(cwd), stdout: "pipe" });
    expect(await child.stdout.text()).toBe("a [REDACTED]\n141\n");
  });
});

describe("the report", () => {
  const files = {
    "a.txt": `\ufeff${token}\n\té😀 ${slack} ${token}\r\n`,
    "b/c.env": `X=1\nKEY=${token}`,
    "b/.git/config": token,
    clean: "x",
  };

  test("says where each secret is, and never prints it", async () => {
    const ran = await redact(["--report", "a.txt", "clean", "b"], { cwd: tempDir(files) });
    const lines = [
      "a.txt:1:1: github-pat",
      "a.txt:2:6: slack-bot-token",
      `a.txt:2:${7 + slack.length}: github-pat`,
      "b/c.env:2:5: github-pat",
    ];
    expect(ran).toMatchObject({ code: 0, stdout: `${lines.join("\n")}\n`, stderr: "" });
  });

  test("is one JSON object per line with --json", async () => {
    const ran = await redact(["--report", "--json", "b/c.env", "-"], { cwd: tempDir(files), input: `\n${token}` });
    expect(ran.lines()).toEqual([
      { file: "b/c.env", line: 2, column: 5, kind: "github-pat" },
      { file: "-", line: 2, column: 1, kind: "github-pat" },
    ]);
  });

  test("with --check exits 1 if there is a secret, and 0 otherwise", async () => {
    const cwd = tempDir(files);
    expect(await redact(["--check", "b/c.env"], { cwd })).toMatchObject({
      code: 1,
      stdout: "b/c.env:2:5: github-pat\n",
    });
    expect(await redact(["--check", "clean"], { cwd })).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await redact(["--check", "--json", "b"], { cwd })).toMatchObject({ code: 1 });
    expect(await redact(["--check"], { cwd, input: token })).toMatchObject({ code: 1, stdout: "-:1:1: github-pat\n" });
    expect(await redact(["--check", "clean", "missing"], { cwd })).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "missing: no such file\n",
    });
  });

  test("searches folders without following links, and reports those it cannot read", async () => {
    const cwd = tempDir({ "top/b.txt": token, "top/a/x.txt": token, "elsewhere/y.txt": token });
    symlinkSync("../elsewhere", join(cwd, "top/link"));
    symlinkSync("../elsewhere/y.txt", join(cwd, "top/file-link"));
    mkdirSync(join(cwd, "top/locked"));
    chmodSync(join(cwd, "top/locked"), 0);
    const ran = await redact(["--report", "top/"], { cwd });
    expect(ran.stdout).toBe("top/b.txt:1:1: github-pat\ntop/a/x.txt:1:1: github-pat\n");
    const isRoot = process.getuid?.() === 0;
    expect(ran).toMatchObject(
      isRoot ? { code: 0, stderr: "" } : { code: 1, stderr: "top/locked: permission denied\n" },
    );
  });

  test("escapes a file name that would forge a line", async () => {
    const name = "a\nclean.txt:1:1: x";
    const ran = await redact(["--report", name], { cwd: tempDir({ [name]: token }) });
    expect(ran.stdout).toBe("a\\nclean.txt:1:1: x:1:1: github-pat\n");
  });
});

describe("--list-kinds", () => {
  test("prints every kind once, with its group", async () => {
    const ran = await redact(["--list-kinds"]);
    const kinds = ran.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ {2,}/));
    expect(kinds.map(([kind]) => kind)).toEqual([...SECRET_KINDS]);
    expect(new Set(SECRET_KINDS).size).toBe(SECRET_KINDS.length);
    expect(kinds).toContainEqual(["github-pat", "Forges, CI, package registries and code quality"]);
  });

  test("as JSON includes the name of the group", async () => {
    const rows = (await redact(["--list-kinds", "--json"])).lines();
    expect(rows).toHaveLength(SECRET_KINDS.length);
    expect(rows).toContainEqual({
      kind: "private-key",
      group: "private-keys",
      summary: expect.stringContaining("Private keys"),
    });
  });
});

test.each([
  [["--json"], "--json requires --report, --check or --list-kinds"],
  [["--check", "--label"], "--label cannot be used with --report and --check, which name the kind anyway"],
  [["--list-kinds", "--check"], "--check cannot be used with --list-kinds"],
  [["--list-kinds", "a.txt"], "--list-kinds takes no file"],
  [["--generic", "high"], '--generic takes off, on, strict, not "high"'],
  [["--lable"], "unknown flag --lable, did you mean --label?"],
])("%j is wrong usage", async (args, message) => {
  const ran = await redact(args, { input: token });
  expect(ran).toMatchObject({ code: 64, stdout: "" });
  expect(ran.stderr.split("\n")[0]).toBe(message);
});
