import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { cleanEnv, hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/**
 * One call of `dispatch` in a new folder. `$DIR` is replaced by the folder in input, and the folder by `$DIR` in
 * output.
 */
interface Case {
  name: string;
  /** A hooks block for `--hooks-file`, or the agents of an agent file for the reference. */
  hooks?: unknown;
  agents?: unknown;
  /** Files by path, and a shell script for everything that is not a text file. */
  files?: Record<string, string>;
  prepare?: string;
  env?: Record<string, string>;
  args?: string[];
  /** Standard input: one event, several (one per line), raw text, or a file that `prepare` wrote. */
  event?: Record<string, unknown>;
  events?: Record<string, unknown>[];
  input?: string;
  input_file?: string;
  /** The expected verdict, or list of verdicts; see {@link differences}. */
  want?: unknown;
  code?: number;
  /** Texts that standard error contains. */
  stderr?: string[];
  /** Files after the run: a text that each contains, or null for a file that must not exist. */
  left?: Record<string, string | null>;
  /** A shell script that must succeed after the run. */
  check?: string;
}

/**
 * Lists the differences between a value and its expectation. Mappings are compared by the expected keys only,
 * everything else as a whole. `{is: value}` expects exactly this value, `{like: pattern}` a match, `{holds: text}` a
 * text that contains this one, and `{none: true}` no value.
 */
function differences(want: unknown, got: unknown, at = "verdict"): string[] {
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length)
      return [`${at}: ${JSON.stringify(got)} is not a list of ${want.length}`];
    return want.flatMap((one, index) => differences(one, got[index], `${at}[${index}]`));
  }
  if (typeof want !== "object" || want === null)
    return want === got ? [] : [`${at}: ${JSON.stringify(got)} is not ${JSON.stringify(want)}`];
  const rule = want as Record<string, unknown>;
  if ("is" in rule)
    return Bun.deepEquals(rule["is"], got, true)
      ? []
      : [`${at}: ${JSON.stringify(got)} is not ${JSON.stringify(rule["is"])}`];
  if ("none" in rule) return got === undefined ? [] : [`${at}: ${JSON.stringify(got)} should not exist`];
  if ("like" in rule)
    return new RegExp(String(rule["like"]), "s").test(String(got))
      ? []
      : [`${at}: ${JSON.stringify(got)} is not like ${rule["like"]}`];
  if ("holds" in rule)
    return String(got).includes(String(rule["holds"]))
      ? []
      : [`${at}: ${JSON.stringify(got)} does not contain ${rule["holds"]}`];
  if (typeof got !== "object" || got === null) return [`${at}: ${JSON.stringify(got)} is not a mapping`];
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
