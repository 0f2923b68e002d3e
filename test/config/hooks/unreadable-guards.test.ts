import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadUserHooks } from "../../../src/config/hooks/hook-sources.ts";
import { loadUserConfig } from "../../../src/config/user/user-config.ts";
import { DEFAULT_WATCH } from "../../../src/config/user/watch-settings.ts";
import { ConfigError } from "../../../src/lib/errors.ts";
import { settled } from "../../helpers/settled.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const load = (config: string) =>
  loadUserHooks({ directories: { config, data: "/nowhere", cache: "/nowhere" }, warn: () => {} });

describe("guards that cannot be read are an error: they must not look like guards that are not configured", () => {
  const places: [string, (at: string) => string][] = [
    ["a config.yaml that leads nowhere", (at) => link(at, "config.yaml")],
    ["a config.yaml that leads to itself", (at) => link(at, "config.yaml", join(at, "config.yaml"))],
    ["a hooks.d that leads nowhere", (at) => link(at, "hooks.d")],
    ["a drop-in that leads to itself", (at) => loopIn(join(at, "hooks.d"))],
    ["a folder that leads nowhere", (at) => join(link(at, "gone"), "hooksh")],
    ["a folder that is a file", (at) => join(file(at), "hooksh")],
  ];
  test.each(places)("%s", async (_name, prepare) => {
    const at = tempDir();
    const given = prepare(at);
    const config = given.startsWith(join(at, "config.yaml")) || given.startsWith(join(at, "hooks.d")) ? at : given;
    expect(await settled(load(config))).toThrow(ConfigError);
  });

  test.if(process.getuid?.() !== 0)("a folder without permission to list it", async () => {
    const config = join(tempDir({ "c/config.yaml": "settings: {}\n" }), "c");
    chmodSync(config, 0);
    expect(await settled(load(config))).toThrow(ConfigError);
    expect(await settled(loadUserConfig({ config }))).toThrow(ConfigError);
    chmodSync(config, 0o700);
  });

  test("the user's permission rules count as guards", async () => {
    const config = tempDir();
    link(config, "config.yaml");
    expect(await settled(loadUserConfig({ config }))).toThrow(ConfigError);
  });
});

test.each(["", "not/there/yet"])("a missing configuration directory has no hooks: %j", async (below) => {
  expect(await load(join(tempDir(), below))).toEqual({
    entries: [],
    rules: [],
    snapshot: false,
    watch: DEFAULT_WATCH,
    observe: false,
  });
});

function link(at: string, name: string, target = "/nowhere/at/all"): string {
  symlinkSync(target, join(at, name));
  return join(at, name);
}

function loopIn(folder: string): string {
  mkdirSync(folder);
  return link(folder, "a.yaml", join(folder, "a.yaml"));
}

function file(at: string): string {
  writeFileSync(join(at, "file"), "");
  return join(at, "file");
}
