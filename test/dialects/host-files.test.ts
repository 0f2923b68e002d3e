import { describe, expect, test } from "bun:test";
import { HOST_FILES, type HostId, hostFiles } from "../../src/dialects/host-files.ts";
import { filesOnPlatform, type HostPlace, hostPath } from "../../src/dialects/host-paths.ts";
import { DIALECTS, dialectRow } from "../../src/dialects/names.ts";

const place: HostPlace = { home: "/home/dev", project: "/home/dev/shop", env: {}, platform: "linux" };
const hosts = Object.keys(HOST_FILES) as HostId[];

describe("the table of host files", () => {
  test("has a row for every dialect", () => {
    expect(hosts.sort()).toEqual(Object.keys(DIALECTS).sort() as HostId[]);
  });

  test.each(hosts)("%s: names only events that the dialect knows", async (host) => {
    const { dialect } = await dialectRow(host).load();
    const files = hostFiles(host);
    const named = [
      ...(files.flatEvents ?? []),
      ...(files.failClosed?.events ?? []),
      ...Object.keys(files.timeout.fixed ?? {}),
      ...Object.keys(files.leftOut ?? {}),
      ...Object.keys(files.fileNames ?? {}),
    ];
    expect(named.filter((event) => dialect.events[event] === undefined)).toEqual([]);
  });

  test.each(hosts)("%s: an event that is left out is covered by one that is registered", async (host) => {
    const { dialect } = await dialectRow(host).load();
    const { leftOut = {} } = hostFiles(host);
    const covered = new Set(
      Object.entries(dialect.events).flatMap(([event, row]) => (leftOut[event] === undefined ? row.is : [])),
    );
    const lost = Object.keys(leftOut).flatMap((event) =>
      (dialect.events[event]?.is ?? []).filter((own) => !covered.has(own)),
    );
    // A hook of Claude Code's WorktreeCreate has to make the worktree, which hooksh does not.
    expect(lost).toEqual(host === "claude" ? ["worktree_create"] : []);
  });

  test.each(hosts)("%s: install writes at most one file for a scope, and one for the user", (host) => {
    for (const platform of ["linux", "darwin", "win32"]) {
      const written = filesOnPlatform(hostFiles(host), { ...place, platform }).filter(
        ({ install }) => install !== undefined,
      );
      const scopes = written.map(({ scope }) => scope);
      expect(scopes).toContain("user");
      expect(new Set(scopes).size).toBe(scopes.length);
    }
  });

  test.each(hosts)("%s: an entry can say its event and its command", (host) => {
    const { files, entry } = hostFiles(host);
    for (const { nesting, path, at } of files) {
      expect(path).toMatch(/^(~\/|<project>\/|\/|C:\\)/);
      if (nesting === "list") expect(entry.event).toBeDefined();
      if (nesting === "list" || nesting === "flat" || nesting === "groups") expect(entry.command).not.toEqual([]);
      if (nesting === "flat") expect(at).not.toEqual([]);
    }
  });
});

describe("hostPath", () => {
  test.each([
    ["claude", "~/.claude/settings.json", {}, "/home/dev/.claude/settings.json"],
    ["claude", "<project>/.claude/settings.json", {}, "/home/dev/shop/.claude/settings.json"],
    ["claude", "/etc/claude-code/managed-settings.json", {}, "/etc/claude-code/managed-settings.json"],
    ["codex", "~/.codex/hooks.json", { CODEX_HOME: "/srv/codex" }, "/srv/codex/hooks.json"],
    ["codex", "~/.codex/hooks.json", { CODEX_HOME: "" }, "/home/dev/.codex/hooks.json"],
    ["codex", "<project>/.codex/hooks.json", { CODEX_HOME: "/srv/codex" }, "/home/dev/shop/.codex/hooks.json"],
    ["copilot", "~/.copilot/hooks/*.json", { COPILOT_HOME: "/srv/co" }, "/srv/co/hooks/*.json"],
    ["gemini", "~/.gemini/settings.json", { GEMINI_CLI_HOME: "/srv/g" }, "/srv/g/.gemini/settings.json"],
    ["kimi", "~/.kimi/config.toml", { KIMI_CODE_HOME: "/srv/k" }, "/home/dev/.kimi/config.toml"],
    ["opencode", "~/.config/opencode/plugins/hooksh.js", { XDG_CONFIG_HOME: "/x" }, "/x/opencode/plugins/hooksh.js"],
  ] as const)("%s: %s with %j", (host, template, env, path) => {
    expect(hostPath(template, hostFiles(host), { ...place, env })).toBe(path);
  });
});
