import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanEnv, hooksh } from "../helpers/binary.ts";
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
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {});
let isReady = false;
const hooksIn = (folder) =>
  Object.entries(read(folder + "/hooks.json").hooks ?? {}).flatMap(([event, groups]) =>
    groups.map(({ hooks: [entry] }, index) => {
      const key = folder + "/hooks.json:" + event.replace(/\\B[A-Z]/g, "_$&").toLowerCase() + ":" + index + ":0";
      const currentHash = "sha256:" + createHash("sha256").update(JSON.stringify(entry)).digest("hex");
      const { trusted_hash, enabled = true } = read(home + "/trust.json")[key] ?? {};
      const trustStatus = trusted_hash === currentHash ? "trusted" : "untrusted";
      return { key, eventName: event, command: entry.command, currentHash, trustStatus, enabled };
    }),
  );
const answers = {
  initialize: () => ({ userAgent: "codex" }),
  "hooks/list": ({ cwds: [cwd] }) => {
    const folders = [home, ...(existsSync(home + "/trusted-project") ? [cwd + "/.codex"] : [])];
    return { data: [{ cwd, hooks: folders.flatMap(hooksIn), warnings: [], errors: [] }] };
  },
  "config/batchWrite": ({ edits: [{ keyPath, value, mergeStrategy }] }) => {
    if (keyPath !== "hooks.state" || mergeStrategy !== "upsert") throw new Error("unexpected");
    writeFileSync(home + "/trust.json", JSON.stringify({ ...read(home + "/trust.json"), ...value }));
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
    hooksh(args, { cwd, env: { PATH: `${join(cwd, "bin")}:${cleanEnv(cwd)["PATH"]}` } });
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
    expect(second.stdout).toContain("nothing to change\nCodex now trusts: PreToolUse\n");
    const trusted = JSON.parse(readFileSync(join(cwd, ".home/.codex/trust.json"), "utf8"));
    expect(Object.keys(trusted)).toEqual([`${file}:pre_tool_use:0:0`]);
    expect(await run("status", "codex")).toMatchObject({ code: 0, stdout: expect.not.stringContaining("trust") });

    await Bun.write(file, readFileSync(file, "utf8").replace("60", "61"));
    expect((await run("status", "codex")).stdout).toContain("Codex skips hooks that it does not trust: PreToolUse");
    const again = await run("install", "codex", "--yes", "--file", "hooks.yaml", "--trust");
    expect(again.stdout).toContain("Codex trusts these hooks\n");
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

  test("is not claimed for a project that Codex does not trust", async () => {
    const { cwd, run } = project();
    const file = join(cwd, ".codex/hooks.json");
    const install = ["install", "codex", "--project", "--yes", "--file", "hooks.yaml", "--trust"];
    const first = await run(...install);
    expect(first.code).toBe(1);
    expect(first.stdout).not.toContain("trusts");
    expect(first.stderr).toBe(
      `${file}: Codex does not trust the project ${cwd}, so it skips these hooks: start codex there and trust it, then repeat hooksh install codex --project with --trust\n`,
    );
    const before = await run("status", "codex");
    expect([before.code, before.stdout]).toEqual([1, expect.stringContaining(`warning: ${first.stderr.trim()}`)]);

    await Bun.write(join(cwd, ".home/.codex/trusted-project"), "");
    expect((await run("status", "codex")).stdout).toContain(
      "warning: Codex skips hooks that it does not trust: PreToolUse",
    );
    const second = await run(...install);
    expect([second.code, second.stdout]).toEqual([0, expect.stringContaining("Codex now trusts: PreToolUse\n")]);
    expect((await run("status", "codex")).code).toBe(0);

    const trust = join(cwd, ".home/.codex/trust.json");
    await Bun.write(trust, readFileSync(trust, "utf8").replace("}}", ',"enabled":false}}'));
    const disabled = await run("status", "codex");
    expect([disabled.code, disabled.stdout]).toEqual([
      1,
      expect.stringContaining("warning: Codex skips hooks that are disabled: PreToolUse; type /hooks in Codex"),
    ]);
  });

  test("is read from config.toml where Codex is not on PATH", async () => {
    const { cwd } = project();
    const run = (...args: string[]) => hooksh(args, { cwd, env: { PATH: "/nonexistent" } });
    const config = join(cwd, ".home/.codex/config.toml");
    const [user, own] = [join(cwd, ".home/.codex/hooks.json"), join(cwd, ".codex/hooks.json")];
    // Codex 0.169.0 listed these hooks with these digests.
    const line = (event: string) => `/opt/hooksh dispatch --dialect codex --event ${event}`;
    const group = (event: string, more: object) => ({ hooks: [{ type: "command", command: line(event), ...more }] });
    await Bun.write(
      user,
      JSON.stringify({
        hooks: {
          PreToolUse: [{ hooks: [] }, group("PreToolUse", { timeout: 60 })],
          SessionEnd: [group("SessionEnd", {})],
        },
      }),
    );
    await Bun.write(
      own,
      JSON.stringify({
        hooks: { PreToolUse: [{ ...group("PreToolUse", { timeout: 61, statusMessage: "x" }), matcher: "Bash" }] },
      }),
    );
    const warnings = async () => {
      const { code, stdout } = await run("status", "codex", "--json");
      const [{ warnings }] = JSON.parse(stdout);
      return { code, warnings: warnings.filter((text: string) => text.includes("Codex")) };
    };
    const state = (path: string, rest: string, hash: string) =>
      `[hooks.state."${path}:${rest}"]\ntrusted_hash = "sha256:${hash}"\n`;
    const untrusted = (events: string) =>
      `Codex skips hooks that it does not trust: ${events}; type /hooks in Codex, or repeat hooksh install codex with --trust`;
    expect(await warnings()).toEqual({
      code: 1,
      warnings: [
        expect.stringContaining(`${own}: Codex does not trust the project ${cwd}`),
        untrusted("PreToolUse, SessionEnd"),
      ],
    });
    const trusted = [
      `[projects."${cwd}"]\ntrust_level = "trusted"\n`,
      state(user, "pre_tool_use:1:0", "12cc2ecd07a63de85fab02eba9dcc80e0712e2330a4e94408d98521ed527173e"),
      state(user, "session_end:0:0", "31cba66590becaf182f9f48e5e78c1e5f024efea5d22446316d61073ccc7b260"),
      state(own, "pre_tool_use:0:0", "6a6e7be816f91feb13e99b62aa717ec1fece27fd4e016471b57b71258ee0c6dd"),
    ];
    await Bun.write(config, trusted.join("\n"));
    expect((await warnings()).warnings).toEqual([]);
    await Bun.write(config, trusted.slice(0, 3).join("\n"));
    expect((await warnings()).warnings).toEqual([untrusted("PreToolUse")]);
    await Bun.write(config, trusted.join("\n").replace('7b260"', '7b260"\nenabled = false'));
    expect((await warnings()).warnings).toEqual([
      "Codex skips hooks that are disabled: SessionEnd; type /hooks in Codex",
    ]);
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
