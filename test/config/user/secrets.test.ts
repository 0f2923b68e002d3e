import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSecrets, type SecretSources } from "../../../src/config/user/secrets.ts";
import { secretCandidates } from "../../../src/lib/secrets/known-secrets.ts";

const root = mkdtempSync(join(tmpdir(), "hooksh-secrets-"));
afterAll(() => rmSync(root, { recursive: true }));

function file(path: string, text: string): string {
  const whole = join(root, path);
  mkdirSync(join(whole, ".."), { recursive: true });
  writeFileSync(whole, text);
  return whole;
}

function open(sources: Partial<SecretSources> = {}) {
  return openSecrets({
    env: {},
    configDirectory: join(root, "none"),
    cwd: root,
    secretsDirectory: join(root, "run"),
    ...sources,
  });
}

describe("a variable", () => {
  test("is taken from env files, then the process, then mounted secrets, then the user's .env", () => {
    file("one.env", "A=file one\n");
    file("two.env", "A=file two\nB=file two\n");
    file("run/A", "mounted\n");
    file("run/C", "mounted\n");
    file("run/D", "mounted\n\n");
    file("config/.env", "A=own\nD=own\nE=own\n");
    const env = { A: "process", B: "process", C: "process" };
    const lookup = open({ envFiles: ["one.env", "two.env"], env, configDirectory: join(root, "config") });
    expect(["A", "B", "C", "D", "E", "F"].map(lookup)).toEqual([
      "file one",
      "file two",
      "process",
      "mounted\n",
      "own",
      undefined,
    ]);
  });

  test("never leads to another file by its name", () => {
    file("outside", "x");
    mkdirSync(join(root, "run"), { recursive: true });
    expect(open()("../outside")).toBeUndefined();
  });

  test("with the name of a built-in property of objects is not set", () => {
    expect(open()("constructor")).toBeUndefined();
  });

  test("that refers to 1Password is an error that does not show it", () => {
    expect(() => open({ env: { A: "op://vault/item" } })("A")).toThrow(
      "A: 1Password references (op://) are not supported yet",
    );
  });
});

describe("an env file", () => {
  test("contains KEY=VALUE lines, blank lines and comments; double quotes are removed, and the first of equal names wins", () => {
    file("a.env", '\n# comment\n A = one two \r\nB="quoted = yes"\nC=\nD="\nA=again\n');
    const lookup = open({ envFiles: ["a.env"] });
    expect(["A", "B", "C", "D"].map(lookup)).toEqual(["one two", "quoted = yes", "", '"']);
  });

  test.each(["A=1\nnonsense value", "A=1\nexport B=2", "A=1\n=x", "A=1\n1A=x"])(
    "with a bad line is an error that names the line, not its text: %j",
    (text) => {
      file("bad.env", text);
      expect(() => open({ envFiles: ["bad.env"] })).toThrow(/^bad\.env:2: expected KEY=VALUE$/);
    },
  );

  test("may be below the home directory", () => {
    file("home/x.env", "A=home\n");
    expect(open({ envFiles: ["~/x.env"], env: { HOME: join(root, "home") } })("A")).toBe("home");
  });

  test("that is missing or outside the working directory is an error", () => {
    expect(() => open({ envFiles: ["none.env"] })).toThrow("none.env: no such file");
    expect(() => open({ envFiles: ["../x.env"] })).toThrow(
      "../x.env: outside the working directory; pass an absolute path",
    );
  });

  test("in the configuration directory is an error too if it is invalid", () => {
    file("config2/.env", "nonsense");
    expect(() => open({ configDirectory: join(root, "config2") })).toThrow(".env:1: expected KEY=VALUE");
  });
});

describe("redaction knows", () => {
  const certainty = (value: string) => secretCandidates().find((each) => each.value === value)?.certainty;
  const fresh = () => crypto.randomUUID();

  test("the values of env files and of the user's .env, even if no configuration names them", () => {
    const [token, other, own, path] = [fresh(), fresh(), fresh(), fresh()];
    file("known.env", `DB_TOKEN=${token}\nOTHER=${other}\nKEY_PATH=${path}\n`);
    file("known/.env", `OWN_PASSWORD=${own}\n`);
    open({ envFiles: ["known.env"], configDirectory: join(root, "known") });
    expect([token, other, own, path].map(certainty)).toEqual(["key", "hinted", "key", undefined]);
  });

  test("every mounted secret, and a new value of one as soon as it is looked up", () => {
    const [first, second, hyphened] = [fresh(), fresh(), fresh()];
    file("mounts/db_main", `${first}\n`);
    file("mounts/api-key.txt", hyphened);
    file("mounts/folder/x", "a folder is left alone");
    const lookup = open({ secretsDirectory: join(root, "mounts") });
    expect([first, hyphened].map(certainty)).toEqual(["named", "key"]);
    file("mounts/db_main", second);
    expect(lookup("db_main")).toBe(second);
    expect([first, second].map(certainty)).toEqual(["named", "named"]);
  });
});
