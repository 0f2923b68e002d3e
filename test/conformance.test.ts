import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { cleanEnv, hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** One case of `dispatch`, run in a folder of its own; `$DIR` stands for the folder in texts that go in and come out. */
interface Case {
  name: string;
  /** A hooks block, given by `--hooks-file`, or a whole agent file, given as the reference. */
  hooks?: unknown;
  agents?: unknown;
  /** Files by path, and a shell script that makes what a file cannot hold. */
  files?: Record<string, string>;
  prepare?: string;
  env?: Record<string, string>;
  args?: string[];
  /** Standard input: one event, several (one a line), raw text, or a file that `prepare` wrote. */
  event?: Record<string, unknown>;
  events?: Record<string, unknown>[];
  input?: string;
  input_file?: string;
  /** What the verdict holds, or each of several; see {@link differences}. */
  want?: unknown;
  code?: number;
  /** Texts that stand on standard error. */
  stderr?: string[];
  /** What files hold afterwards: a text in them, or null for a file that must not be there. */
  left?: Record<string, string | null>;
  /** A shell script that succeeds afterwards. */
  check?: string;
}

/**
 * Where a value differs from what is wanted. Scalars and lists are compared whole, mappings key by key; `{is: value}`
 * wants exactly that, `{like: pattern}` a text that matches, `{holds: text}` a text in it, `{none: true}` nothing at all.
 */
function differences(want: unknown, got: unknown, at = "verdict"): string[] {
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length)
      return [`${at}: ${JSON.stringify(got)} is no list of ${want.length}`];
    return want.flatMap((one, index) => differences(one, got[index], `${at}[${index}]`));
  }
  if (typeof want !== "object" || want === null)
    return want === got ? [] : [`${at}: ${JSON.stringify(got)} is not ${JSON.stringify(want)}`];
  const rule = want as Record<string, unknown>;
  if ("is" in rule)
    return Bun.deepEquals(rule["is"], got, true)
      ? []
      : [`${at}: ${JSON.stringify(got)} is not ${JSON.stringify(rule["is"])}`];
  if ("none" in rule) return got === undefined ? [] : [`${at}: ${JSON.stringify(got)} should not be there`];
  if ("like" in rule)
    return new RegExp(String(rule["like"]), "s").test(String(got))
      ? []
      : [`${at}: ${JSON.stringify(got)} is not like ${rule["like"]}`];
  if ("holds" in rule)
    return String(got).includes(String(rule["holds"]))
      ? []
      : [`${at}: ${JSON.stringify(got)} does not hold ${rule["holds"]}`];
  if (typeof got !== "object" || got === null) return [`${at}: ${JSON.stringify(got)} is no mapping`];
  return Object.entries(rule).flatMap(([key, inner]) =>
    differences(inner, (got as Record<string, unknown>)[key], `${at}.${key}`),
  );
}

function script(text: string, cwd: string, env: Record<string, string>): void {
  const ran = Bun.spawnSync(["/bin/sh", "-ec", text], { cwd, env, stdout: "pipe", stderr: "pipe" });
  if (ran.exitCode !== 0) throw new Error(`script ended with ${ran.exitCode}: ${ran.stderr.toString()}`);
}

function inputOf(one: Case, cwd: string): string | Uint8Array {
  if (one.input_file !== undefined) return readFileSync(join(cwd, one.input_file));
  const events = one.events ?? (one.event ? [one.event] : []);
  return (one.input ?? events.map((event) => JSON.stringify(event)).join("\n")).replaceAll("$DIR", cwd);
}

function argsOf(one: Case, cwd: string): string[] {
  const args = (one.args ?? []).map((arg) => arg.replaceAll("$DIR", cwd));
  return [
    "dispatch",
    ...(one.agents ? [join(cwd, "agents.yaml")] : []),
    ...(one.hooks ? ["--hooks-file", join(cwd, "hooks.yaml")] : []),
    ...(args.includes("--output") ? [] : ["--output", "result"]),
    ...args,
  ];
}

async function run(one: Case): Promise<void> {
  const cwd = tempDir(one.files);
  if (one.hooks) await Bun.write(join(cwd, "hooks.yaml"), JSON.stringify(one.hooks));
  if (one.agents) await Bun.write(join(cwd, "agents.yaml"), JSON.stringify({ agents: one.agents }));
  const env = Object.fromEntries(
    Object.entries(one.env ?? {}).map(([name, value]) => [name, value.replaceAll("$DIR", cwd)]),
  );
  if (one.prepare) script(one.prepare, cwd, cleanEnv(cwd, env));
  const ran = await hooksh(argsOf(one, cwd), { cwd, input: inputOf(one, cwd), env });
  const [stdout, stderr] = [ran.stdout, ran.stderr].map((text) => text.replaceAll(cwd, "$DIR"));
  if (one.want !== undefined) {
    const verdicts = (stdout ?? "")
      .split("\n")
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
    expect(differences(one.want, Array.isArray(one.want) ? verdicts : verdicts[0])).toEqual([]);
  }
  if (one.code !== undefined) expect({ code: ran.code, stderr }).toEqual({ code: one.code, stderr: stderr ?? "" });
  for (const text of one.stderr ?? []) expect(stderr).toContain(text);
  for (const [name, text] of Object.entries(one.left ?? {})) {
    if (text === null) expect(existsSync(join(cwd, name))).toBe(false);
    else expect(readFileSync(join(cwd, name), "utf8").replaceAll(cwd, "$DIR")).toContain(text);
  }
  if (one.check) script(one.check, cwd, cleanEnv(cwd, env));
}

const folder = join(import.meta.dir, "conformance");
for (const file of [...new Bun.Glob("*.yaml").scanSync(folder)].sort()) {
  describe(`dispatch: ${basename(file, ".yaml")}`, () => {
    const cases = Bun.YAML.parse(readFileSync(join(folder, file), "utf8")) as Case[];
    test.each(cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => run(one));
  });
}
