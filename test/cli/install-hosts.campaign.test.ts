import { describe, expect, test } from "bun:test";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hostFiles } from "../../src/dialects/host-files.ts";
import { HOST_IDS } from "../../src/hosts/registration/named-host.ts";
import { hooksh } from "../helpers/binary.ts";
import { project } from "../helpers/policy-project.ts";

const install = (cwd: string, ...args: string[]) => hooksh(["install", ...args, "--file", "hooks.yaml"], { cwd });

/** Every file below a directory with its content, except the data of hooksh. */
function filesBelow(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => !name.includes(".hooksh"));
  const files = names.map((name) => join(folder, name)).filter((path) => lstatSync(path).isFile());
  return Object.fromEntries(files.sort().map((path) => [path, readFileSync(path, "utf8")]));
}

describe("every host", () => {
  const scopes = HOST_IDS.flatMap((host) =>
    (["user", "project"] as const)
      .filter((scope) => hostFiles(host).files.some((file) => file.scope === scope && file.install !== undefined))
      .map((scope) => [host, scope] as const),
  );

  test.each(scopes)(
    "%s, %s: a second install changes nothing, and uninstall leaves nothing behind",
    async (host, scope) => {
      const cwd = project();
      const before = filesBelow(cwd);
      const first = await install(cwd, host, `--${scope}`, "--yes");
      expect([first.code, first.stderr]).toEqual([0, ""]);
      const installed = filesBelow(cwd);
      expect(Object.values(installed).join("\n")).toMatch(/dispatch\W+--dialect\W+[a-z-]+\W+--event/);
      expect((await install(cwd, host, `--${scope}`, "--yes")).stdout).toContain("nothing to change");
      expect(filesBelow(cwd)).toEqual(installed);
      const removed = await hooksh(["uninstall", host, `--${scope}`, "--yes"], { cwd });
      expect([removed.code, removed.stderr]).toEqual([0, ""]);
      expect(filesBelow(cwd)).toEqual(before);
      expect(readdirSync(join(cwd, ".home")).sort()).toEqual([".hooksh", ".keep"]);
      expect(readdirSync(cwd).sort()).toEqual([".home", "hooks.yaml"]);
    },
  );
});
