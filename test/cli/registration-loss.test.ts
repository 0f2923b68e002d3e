import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const command = (line: string) => ({ type: "command", command: line });
const POLICY = JSON.stringify({
  pre_tool_use: [{ hooks: [command("true")] }],
  post_tool_use: [{ hooks: [command("true")] }],
});

/** A project with hooksh in a host; `file` is what install wrote. */
async function installed(host: string, path: string, scope = "--user") {
  const cwd = tempDir({ "hooks.yaml": POLICY });
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await hooksh(args, { cwd });
    return { code, text: stdout + stderr };
  };
  const ran = await run("install", host, scope, "--yes", "--file", "hooks.yaml");
  expect(ran.code).toBe(0);
  const file = join(cwd, path);
  expect(existsSync(file)).toBe(true);
  return { cwd, file, run, settings: () => JSON.parse(readFileSync(file, "utf8")) };
}

const CLAUDE = ".home/.claude/settings.json";
const DAY = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC";
const gone = (path: string, events: string) =>
  new RegExp(`${path}: ${events}: registered on ${DAY}, gone since ${DAY} at the latest`);

describe("a registration that something other than uninstall removed", () => {
  test("is reported by status, doctor and diff until it is installed again", async () => {
    const { file, run } = await installed("claude", CLAUDE);
    writeFileSync(file, "{}");
    const message = gone(file, "PreToolUse, PostToolUse, PostToolUseFailure, ConfigChange");
    for (const args of [["status"], ["status", "claude"], ["doctor"]]) {
      const { code, text } = await run(...args);
      expect([args, code, text]).toEqual([args, 1, expect.stringMatching(message)]);
    }
    const diff = await run("diff");
    expect([diff.code, diff.text]).toEqual([1, expect.stringContaining(`${file}: not as installed: PreToolUse, Post`)]);
    expect((await run("status", "claude")).text).toStartWith("claude (Claude Code): registered before, and gone now; ");
    expect(JSON.parse((await run("status", "--json")).text)).toMatchObject([{ host: "claude", state: "gone" }]);

    await run("install", "claude", "--yes", "--file", "hooks.yaml");
    expect(await run("status", "claude")).toMatchObject({ code: 0, text: expect.not.stringContaining("gone since") });
  });

  test.each([
    ["uninstall", ["uninstall", "claude", "--yes"]],
    ["status --forget", ["status", "--forget", "claude"]],
  ])("is no longer reported after %s", async (_name, args) => {
    const { file, run } = await installed("claude", CLAUDE);
    rmSync(file);
    const { code, text } = await run("status", "claude");
    expect([code, text]).toEqual([1, expect.stringMatching(/gone since .* at the latest: the file does not exist/)]);
    expect(await run("uninstall", "claude", "--dry-run")).toMatchObject({ code: 0 });
    expect((await run("status")).code).toBe(1);
    expect((await run(...args)).code).toBe(0);
    expect(await run("status")).toMatchObject({ code: 0, text: expect.not.stringContaining("gone") });
    expect((await run("diff")).text).toBe("hooksh is not registered in any agent\n");
    expect(await run("status", "--forget", "claude")).toEqual({ code: 0, text: "claude: nothing to forget\n" });
  });

  test("is reported only in its project", async () => {
    const { cwd, file, run } = await installed("claude", ".claude/settings.json", "--project");
    rmSync(file);
    expect((await run("status")).code).toBe(1);
    const elsewhere = join(cwd, "elsewhere");
    mkdirSync(elsewhere);
    const ran = await hooksh(["status"], { cwd: elsewhere, env: { HOME: join(cwd, ".home") } });
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("hooksh is not registered in any agent")]);
  });

  test("is reported in part; --forget accepts what is left", async () => {
    const { file, run, settings } = await installed("claude", CLAUDE);
    const value = settings();
    delete value.hooks.PreToolUse;
    value.hooks.PostToolUse[0].matcher = "Read";
    value.hooks.ConfigChange[0].hooks[0].command += " --deadline 1s";
    writeFileSync(file, JSON.stringify(value));
    const { code, text } = await run("status", "claude");
    expect([code, text]).toEqual([1, expect.stringMatching(gone(file, "PreToolUse"))]);
    expect(text).toMatch(
      new RegExp(`${file}: PostToolUse, ConfigChange: registered on ${DAY}, changed since ${DAY} at`),
    );
    expect(await run("status", "--forget", "claude")).toEqual({ code: 0, text: `${file}: accepted as it is\n` });
    expect((await run("status", "claude")).text).not.toContain("registered on");
    // What uninstall restores must not be the file of before with the entries of now.
    await run("uninstall", "claude", "--yes");
    expect(readFileSync(file, "utf8")).not.toContain("hooksh");
  });

  test("stays reported after install from before this check, once install has seen it", async () => {
    const { cwd, file, run } = await installed("claude", CLAUDE);
    const record = join(cwd, ".home/.hooksh/hosts/installed.json");
    const { version, files } = JSON.parse(readFileSync(record, "utf8"));
    const { digest, original, folders } = files[file];
    writeFileSync(record, JSON.stringify({ version, files: { [file]: { digest, original, folders } } }));
    expect((await run("install", "claude", "--yes", "--file", "hooks.yaml")).text).toContain("nothing to change");
    const before = readFileSync(file, "utf8");
    writeFileSync(file, "{}");
    expect((await run("status", "claude")).text).toMatch(gone(file, "PreToolUse, .*"));
    writeFileSync(file, before);
    await run("uninstall", "claude", "--yes");
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ["kimi", ".home/.kimi-code/config.toml", (text: string) => text.replace(/timeout = \d+/, "timeout = 1")],
    [
      "opencode",
      ".home/.config/opencode/plugins/hooksh.js",
      (text: string) => text.replace("throw error", "return {}"),
    ],
    ["cline-sdk", ".home/.cline/hooks/PreToolUse", (text: string) => text.replace("printf", "true")],
    ["goose", ".home/.agents/plugins/hooksh/hooks/hooks.json", (text: string) => text.replace("block", "warn")],
  ])("is reported for %s: %s, changed or removed", async (host, path, change) => {
    const { file, run } = await installed(host, path);
    expect((await run("status", host)).code).toBe(0);
    const before = readFileSync(file, "utf8");
    const changed = change(before);
    expect(changed).not.toBe(before);
    writeFileSync(file, changed);
    expect(await run("status", host)).toMatchObject({ code: 1, text: expect.stringMatching(/(gone|changed) since/) });
    rmSync(file);
    expect(await run("status", host)).toMatchObject({
      code: 1,
      text: expect.stringContaining("the file does not exist"),
    });
  });

  test("is reported if the second file that goose needs is gone", async () => {
    const { file, run } = await installed("goose", ".home/.agents/plugins/hooksh/hooks/hooks.json");
    const plugin = join(dirname(file), "../plugin.json");
    rmSync(plugin);
    expect((await run("status", "goose")).text).toContain(`${plugin}: registered on `);
  });
});

describe("a change of Claude Code's settings during a session", () => {
  /** Sends ConfigChange with the registered command, as a running session does, and returns the answer. */
  async function session(scope = "--user", path = CLAUDE) {
    const each = await installed("claude", path, scope);
    const line: string = each.settings().hooks.ConfigChange[0].hooks[0].command;
    const answer = (changed = each.file) => {
      const payload = {
        session_id: "s",
        transcript_path: "/t",
        cwd: each.cwd,
        hook_event_name: "ConfigChange",
        source: "user_settings",
        file_path: changed,
      };
      const env = cleanEnv(each.cwd);
      const ran = Bun.spawnSync(["/bin/sh", "-c", line], {
        cwd: each.cwd,
        env,
        stdin: Buffer.from(JSON.stringify(payload)),
      });
      return { code: ran.exitCode, stdout: ran.stdout.toString() };
    };
    return { ...each, answer };
  }
  const silence = { code: 0, stdout: "" };

  test("is registered so that a failing hook blocks it, and passes if the registration stays", async () => {
    const { file, settings, answer } = await session();
    expect(settings().hooks.ConfigChange[0].hooks[0]).toMatchObject({ onFailure: "block" });
    writeFileSync(file, JSON.stringify({ ...settings(), model: "opus" }));
    expect(answer()).toEqual(silence);
  });

  test.each([
    ["blanks", (file: string) => writeFileSync(file, "{}"), "gone since"],
    ["deletes", (file: string) => rmSync(file), "the file does not exist"],
    ["breaks", (file: string) => writeFileSync(file, "{"), "not readable since"],
    [
      "mutes",
      (file: string) => writeFileSync(file, readFileSync(file, "utf8").replace("{", '{"disableAllHooks":true,')),
      "disableAllHooks is true: no hook runs",
    ],
    [
      "edits",
      (file: string) =>
        writeFileSync(file, readFileSync(file, "utf8").replaceAll("--event PreToolUse", "--event Stop")),
      "changed since",
    ],
  ])("is refused if it %s the registration", async (_name, change, why) => {
    const { file, answer, run } = await session();
    change(file);
    const { decision, reason } = JSON.parse(answer().stdout);
    expect(decision).toBe("block");
    expect(reason).toStartWith("hooksh: this change would end the guard of hooksh: ");
    expect(reason).toContain(why);
    expect((await run("audit", "--json")).text).toContain("this change would end the guard");
  });

  test("is refused with broken hooks too, and in a project's own settings", async () => {
    const { cwd, file, answer } = await session("--project", ".claude/settings.json");
    expect(answer()).toEqual(silence);
    writeFileSync(join(cwd, "hooks.yaml"), "broken: [");
    expect(answer()).toEqual(silence);
    const local = join(cwd, ".claude/settings.local.json");
    writeFileSync(local, JSON.stringify({ disableAllHooks: true }));
    expect(JSON.parse(answer(local).stdout).reason).toContain(`${local}: disableAllHooks is true`);
    renameSync(file, `${file}.away`);
    expect(JSON.parse(answer().stdout).decision).toBe("block");
    symlinkSync(`${file}.away`, file);
    expect(answer()).toEqual(silence);
  });

  test("passes after uninstall", async () => {
    const { answer, run } = await session();
    await run("uninstall", "claude", "--yes");
    expect(answer()).toEqual(silence);
  });
});
