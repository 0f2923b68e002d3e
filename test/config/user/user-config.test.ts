import { afterAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { editUserConfig } from "../../../src/config/user/edit-user-config.ts";
import { loadUserConfig, userConfigPath } from "../../../src/config/user/user-config.ts";
import { settled } from "../../helpers/settled.ts";

const root = mkdtempSync(join(tmpdir(), "hooksh-user-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A new configuration directory with this `config.yaml`. */
function directory(text?: string): { config: string } {
  const config = mkdtempSync(join(root, "config-"));
  if (text !== undefined) writeFileSync(join(config, "config.yaml"), text);
  return { config };
}

/** The warnings of a file, without the directory. */
async function warnings(text: string): Promise<string[]> {
  const { config } = directory(text);
  return (await loadUserConfig({ config })).warnings.map((line) => line.replace(`${config}/`, ""));
}

describe("the user's configuration", () => {
  test("may be missing or empty", async () => {
    for (const text of [undefined, "", "# nothing\n"]) {
      expect(await loadUserConfig(directory(text))).toMatchObject({
        aliases: {},
        providers: {},
        warnings: [],
      });
    }
  });

  test("is read, and keys without a meaning are ignored", async () => {
    const text = `version: v1
default_model: openai/gpt-4o
models_gateway: https://example.com
aliases:
  short: ./a.yaml
  long: {path: ./b.yaml, safety: strict, model: groq/x, sandbox: true}
providers:
  mine: {base_url: http://localhost:1}
settings:
  theme: dark
  snapshot: true
  hide_tool_results: true
  permissions: {deny: ['shell:cmd=rm *']}
  safety: balanced
  YOLO: true
`;
    const { document: _document, ...config } = await loadUserConfig(directory(text));
    expect(config).toEqual({
      defaultModel: "openai/gpt-4o",
      aliases: {
        short: { path: "./a.yaml" },
        long: { path: "./b.yaml", safety: "strict", model: "groq/x", sandbox: true },
      },
      providers: { mine: { base_url: "http://localhost:1" } },
      permissions: { deny: ["shell:cmd=rm *"] },
      safety: "balanced",
      hideToolResults: true,
      snapshot: true,
      terminal: { plain: false, theme: "dark", notify: "off" },
      warnings: [],
      unenforced: [],
    });
  });

  test("YOLO alone means autonomous", async () => {
    expect((await loadUserConfig(directory("settings: {YOLO: true}"))).safety).toBe("autonomous");
  });

  test("an unknown version is a warning", async () => {
    expect(await warnings("version: v2")).toEqual([
      'config.yaml:1:10: version: unknown version "v2"; the file is read as v1',
    ]);
  });

  test("every key of docker-agent is accepted, even without a use in hooksh", async () => {
    const keys = [
      "busy_send_mode",
      "cache_stable_prompts",
      "keybindings",
      "layout",
      "lean",
      "panel",
      "sound",
      "theme_dark",
      "warn_on_cache_miss",
    ];
    const text = `board: {}\ncredential_helper: {command: x}\nsandbox_allowlist: []\nsettings: {${keys.map((key) => `${key}: x`).join(", ")}}\n`;
    expect(await warnings(text)).toEqual([]);
  });

  test.each([
    [
      "settings: {safety: yolo}",
      'settings.safety: expected one of strict, plan, accept-edits, balanced, restricted, autonomous but got "yolo"',
    ],
    ["settings: {permissions: {denny: [x]}}", 'settings.permissions.denny: unknown key; did you mean "deny"?'],
    ["settings: {permissions: {deny: ['[x']}}", 'settings.permissions.deny[0]: "[x" has a [ that is never closed'],
    ["setings: {hooks: {}}", 'config.yaml:1:1: setings: unknown key; did you mean "settings"?'],
    ["settings: {hook: {}}", 'config.yaml:1:12: settings.hook: unknown key; did you mean "hooks"?'],
    ["settings: {Hooks: {}}", 'settings.Hooks: unknown key; did you mean "hooks"?'],
    ["settings: {permision: {}}", 'settings.permision: unknown key; did you mean "permissions"?'],
    ["hooks: {}", "config.yaml:1:1: hooks: unknown key; write it under settings: settings.hooks"],
    ["permissions: {}", "permissions: unknown key; write it under settings: settings.permissions"],
    ["settings: {aliases: {}}", "settings.aliases: unknown key; it belongs to the top level, next to settings"],
    [
      "settings: {wholly: 1}",
      "settings.wholly: unknown key; known keys are hooks, rules, sets, permissions, safety, YOLO, unknown_tools, snapshot, audit, trace, plain, theme, notify, hide_tool_results",
    ],
    ["settings: {snapshot: yes}", 'settings.snapshot: expected true or false but got "yes"'],
    ["settings: []", "settings: expected a mapping"],
    ["aliases: {a: {path: b, modle: c}}", 'aliases.a.modle: unknown key; did you mean "model"?'],
    ["aliases: {a: {path: b, model: 1}}", "aliases.a.model: expected a text but got 1"],
    ["aliases: {-a: x}", "config.yaml:1:11: aliases.-a: expected a name of letters, digits, _ and -"],
    ["aliases: {a: {model: b}}", "config.yaml:1:14: aliases.a: expected the path or reference of an agent"],
    [
      "aliases: {a: {path: b, safety: c}}",
      'aliases.a.safety: expected one of strict, plan, accept-edits, balanced, restricted, autonomous but got "c"',
    ],
    ["providers: {a: {base_uri: b}}", 'config.yaml:1:17: providers.a.base_uri: unknown key; did you mean "base_url"?'],
    ["providers: {a: http://b}", 'config.yaml:1:16: providers.a: expected a mapping but got "http://b"'],
    ["default_model: gpt-4o", 'config.yaml:1:16: default_model: no model "gpt-4o"; did you mean "openai/gpt-4o"?'],
    ["default_model: {provider: 5}", "config.yaml:1:27: default_model.provider: expected a text but got 5"],
    ["a: [", ""],
    ["a: 1\na: 2", 'Repeated key "a"'],
    ["- a", "expected a mapping"],
  ])("%s is an error", async (text, message) => {
    expect(await settled(loadUserConfig(directory(text)))).toThrow(message);
  });
});

test("what the table of keys and the schema of providers both see is reported once", async () => {
  const text = "providers: {a: {base_uri: b, thinking_budget: {efort: high}, max_tokens: 0}, b: [1], c: {zzzzzzzz: 1}}";
  const error = await loadUserConfig(directory(text)).catch((thrown) => thrown);
  expect(error.problems.map((line: string) => line.replace(/^.*config.yaml:/, "")).sort()).toEqual([
    '1:17: providers.a.base_uri: unknown key; did you mean "base_url"?',
    '1:48: providers.a.thinking_budget.efort: unknown key; did you mean "effort"?',
    expect.stringContaining("providers.a.max_tokens: "),
    "1:81: providers.b: expected a mapping but got a list",
    expect.stringContaining("providers.c.zzzzzzzz: unknown key; known keys are provider, api_type, "),
  ]);
});

describe("editing the user's configuration", () => {
  test("keeps comments, order and unknown keys", async () => {
    const text = `# mine\nzeta: [1, 2] # unknown\naliases:\n  # the first\n  a: ./a.yaml\nsettings:\n  theme: dark\n`;
    const path = userConfigPath(directory(text));
    await editUserConfig(path, (document) => document.setIn(["aliases", "b"], "./b.yaml"));
    expect(readFileSync(path, "utf8")).toBe(
      text.replace("  a: ./a.yaml\n", "  a: ./a.yaml\n  b: ./b.yaml\n").replace("[1, 2]", "[ 1, 2 ]"),
    );
  });

  test("keeps the comment of a file without keys", async () => {
    const path = userConfigPath(directory("# mine\n"));
    await editUserConfig(path, (document) => document.setIn(["aliases", "a"], "x"));
    expect(readFileSync(path, "utf8")).toBe("# mine\n\naliases:\n  a: x\n");
  });

  test("creates a private directory and file, and no other files", async () => {
    const path = join(directory().config, "below", "config.yaml");
    await editUserConfig(path, (document) => document.setIn(["aliases", "a"], "./a.yaml"));
    expect(readFileSync(path, "utf8")).toBe("aliases:\n  a: ./a.yaml\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(path, ".."))).toEqual(["config.yaml"]);
  });

  test("does not lose concurrent changes", async () => {
    const path = userConfigPath(directory(""));
    const names = Array.from({ length: 8 }, (_, index) => `a${index}`);
    await Promise.all(names.map((name) => editUserConfig(path, (document) => document.setIn(["aliases", name], "x"))));
    expect(Object.keys((await loadUserConfig({ config: join(path, "..") })).aliases).sort()).toEqual(names);
  });

  test("rejects an invalid file without changing it", async () => {
    const path = userConfigPath(directory("a: 1\na: 2\n"));
    expect(await settled(editUserConfig(path, () => {}))).toThrow("Repeated key");
    await editUserConfig(path, () => {}).catch(() => {});
    expect(readFileSync(path, "utf8")).toBe("a: 1\na: 2\n");
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  test("follows a symbolic link", async () => {
    const real = userConfigPath(directory("a: 1\n"));
    const link = join(directory().config, "config.yaml");
    symlinkSync(real, link);
    await editUserConfig(link, (document) => document.set("b", 2));
    expect(readFileSync(real, "utf8")).toBe("a: 1\nb: 2\n");
  });
});

test("a mistyped theme is a warning, and a theme of docker-agent is not", async () => {
  expect(await warnings("settings: {theme: drak}\n")).toEqual([
    'config.yaml:1:19: settings.theme: no theme "drak"; did you mean "dark"?',
  ]);
  for (const theme of ["auto", "github-light", "catppuccin-latte", "nord"])
    expect(await warnings(`settings: {theme: ${theme}}\n`)).toEqual([]);
});

describe("the options of a provider or of the default model", () => {
  test("that are not sent are warnings", async () => {
    expect(await warnings("providers: {mine: {provider: google, provider_opts: {min_p: 1}}}\n")).toEqual([
      expect.stringMatching(
        /^config\.yaml:1:\d+: providers\.mine\.provider_opts\.min_p: the Gemini API has no such setting/,
      ),
    ]);
    expect(await warnings("default_model: {provider: openai, model: gpt-4o, provider_opts: {nosuch: 1}}\n")).toEqual([
      expect.stringMatching(/^config\.yaml:1:\d+: default_model\.provider_opts\.nosuch: not sent: unknown option/),
    ]);
  });

  test("that select Vertex AI are errors", async () => {
    const loading = settled(
      loadUserConfig(directory("providers: {mine: {provider: google, provider_opts: {project: p}}}\n")),
    );
    expect(await loading).toThrow(/providers\.mine\.provider_opts\.project: .*selects Vertex AI/);
  });
});
