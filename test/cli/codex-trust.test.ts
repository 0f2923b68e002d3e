import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const POLICY = JSON.stringify({ pre_tool_use: [{ hooks: [{ type: "command", command: "true" }] }] });

/**
 * A program that speaks as the app server of Codex does (0.169.0): it lists the hooks of hooks.json, and stores trust in
 * trust.json. It also says things that nobody asked for.
 */
const CODEX = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { createInterface } from "node:readline";
const home = process.env.HOME + "/.codex";
const say = (message) => console.log(JSON.stringify(message));
const trusted = () => (existsSync(home + "/trust.json") ? JSON.parse(readFileSync(home + "/trust.json", "utf8")) : {});
let isReady = false;
const answers = {
  initialize: () => ({ userAgent: "codex" }),
  "hooks/list": ({ cwds }) => {
    const { hooks } = JSON.parse(readFileSync(home + "/hooks.json", "utf8"));
    const list = Object.entries(hooks).flatMap(([event, groups]) =>
      groups.map(({ hooks: [entry] }, index) => {
        const key = home + "/hooks.json:" + event + ":" + index + ":0";
        const currentHash = "sha256:" + createHash("sha256").update(JSON.stringify(entry)).digest("hex");
        const trustStatus = trusted()[key]?.trusted_hash === currentHash ? "trusted" : "untrusted";
        return { key, eventName: event, command: entry.command, currentHash, trustStatus };
      }),
    );
    return { data: [{ cwd: cwds[0], hooks: list, warnings: [], errors: [] }] };
  },
  "config/batchWrite": ({ edits: [{ keyPath, value, mergeStrategy }] }) => {
    if (keyPath !== "hooks.state" || mergeStrategy !== "upsert") throw new Error("unexpected");
    writeFileSync(home + "/trust.json", JSON.stringify({ ...trusted(), ...value }));
    return { status: "ok" };
  },
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialized") isReady = true;
  if (id === undefined) continue;
  say({ method: "configWarning", params: {} });
  if (method !== "initialize" && !isReady) say({ id, error: { code: 1, message: "not initialized" } });
  else say({ id, result: answers[method](params) });
}
`;

/** A project, and a PATH with that program. */
function project(codex = CODEX) {
  const cwd = tempDir({
    "hooks.yaml": POLICY,
    ".home/.keep": "",
    "server.mjs": codex,
    "bin/codex!x": `#!/bin/sh\n[ "$1" = app-server ] || exit 64\nexec '${process.execPath}' "$(dirname "$0")/../server.mjs"\n`,
  });
  const run = (...args: string[]) =>
    hooksh(args, { cwd, env: { PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}` } });
  return { cwd, run };
}

describe("the trust of Codex", () => {
  test("is stored only with --trust, for the hooks of hooksh, and again after each change", async () => {
    const { cwd, run } = project();
    const first = await run("install", "codex", "--yes", "--file", "hooks.yaml");
    expect(first.stdout).toContain("note: Codex silently skips hooks that you have not trusted");
    expect((await run("status", "codex")).stdout).toContain(
      "warning: Codex skips hooks that it does not trust: PreToolUse; type /hooks in Codex",
    );
    const file = join(cwd, ".home/.codex/hooks.json");
    const settings = JSON.parse(readFileSync(file, "utf8"));
    settings.hooks.Stop = [{ hooks: [{ type: "command", command: "their own" }] }];
    await Bun.write(file, JSON.stringify(settings));

    const second = await run("install", "codex", "--yes", "--file", "hooks.yaml", "--trust");
    expect([second.code, second.stderr]).toEqual([0, ""]);
    expect(second.stdout).toEndWith("nothing to change\nCodex now trusts: PreToolUse\n");
    const trusted = JSON.parse(readFileSync(join(cwd, ".home/.codex/trust.json"), "utf8"));
    expect(Object.keys(trusted)).toEqual([`${file}:PreToolUse:0:0`]);
    expect(await run("status", "codex")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("trust") });

    await Bun.write(file, readFileSync(file, "utf8").replace("60", "61"));
    expect((await run("status", "codex")).stdout).toContain("Codex skips hooks that it does not trust: PreToolUse");
    const again = await run("install", "codex", "--yes", "--file", "hooks.yaml", "--trust");
    expect(again.stdout).toEndWith("Codex trusts these hooks\n");
  });

  test.each([
    [
      "answers an error",
      'for await (const _ of process.stdin) console.log(JSON.stringify({ id: 1, error: { message: "old" } }));',
      "codex app-server: initialize: old",
    ],
    [
      "answers something else",
      "for await (const line of process.stdin) for (const id of [1, 2]) console.log(JSON.stringify({ id, result: [] }));",
      "codex app-server answered in an unknown form: ",
    ],
  ])("is not claimed if Codex %s", async (_name, codex, message) => {
    const { run } = project(codex);
    const { code, stderr } = await run("install", "codex", "--yes", "--file", "hooks.yaml", "--trust");
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test("needs Codex", async () => {
    const { cwd } = project();
    const ran = await hooksh(["install", "codex", "--yes", "--file", "hooks.yaml", "--trust"], {
      cwd,
      env: { PATH: "/nonexistent" },
    });
    expect(ran).toMatchObject({
      code: 1,
      stderr: "codex: the hooks are not trusted: codex is not on PATH; type /hooks in Codex\n",
    });
  });
});
