import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type DrivenProgram, drivenTable } from "../../scripts/docs-driven.ts";
import { binary } from "../helpers/binary.ts";
import { CASES, type Case, ranFile, rewrittenFile, type Verdict } from "./cases.ts";
import { HOSTS } from "./drivers/index.ts";
import type { Host, Sandbox } from "./host.ts";
import { startModelServer } from "./model-server.ts";
import { type Ended, endStrays, environment, folderOf, runToEnd } from "./programs.ts";
import { keepResults } from "./results.ts";

/** Seconds that a program may take before it is killed; hosts wait up to two minutes for a hook. */
const LIMIT = 300;

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true },
    write: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});

const unknown = positionals.filter((name) => !HOSTS.some((host) => host.name === name));
if (unknown.length > 0) throw new Error(`no such host: ${unknown.join(", ")}`);
const cases = CASES.filter(({ name }) => flags.only?.includes(name) ?? true);
const driven: DrivenProgram[] = [];
for (const host of HOSTS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))) {
  const bin = folderOf(host.command, process.env["HOOKSH_TEST_HOSTS"]);
  if (bin === undefined)
    console.error(`${host.name}: left out, there is no command "${host.command}" (${host.package})`);
  else driven.push(await drive(host, bin));
}
console.log(drivenTable({ cases, programs: driven }));
if (flags.write) keepResults(driven);
const failed = driven.flatMap(({ results }) => Object.values(results)).filter(({ ok }) => !ok).length;
console.error(`${driven.length} programs, ${cases.length} cases, ${failed} failed`);
process.exit(failed > 0 || driven.length === 0 ? 1 : 0);

/** Drives one program through all cases, one after the other. */
async function drive(host: Host, bin: string): Promise<DrivenProgram> {
  const program = join(bin, host.command);
  const version = await inSandbox(host.name, "", (sandbox) =>
    runToEnd([program, "--version"], { cwd: sandbox.project, env: environment(bin, sandbox), limit: LIMIT }),
  );
  const results: Record<string, Verdict> = {};
  const found = /\d+\.\d+\.\d+/.exec(version.output)?.[0] ?? "unknown";
  for (const each of cases) {
    const verdict = await tryCase(host, each, bin);
    console.error(`${host.name} ${found}, ${each.name}: ${verdict.ok ? "" : "FAILED: "}${verdict.text}`);
    results[each.name] = verdict;
  }
  return {
    host: host.name,
    package: host.package,
    version: found,
    date: new Date().toISOString().slice(0, 10),
    results,
  };
}

/** Gives an action an empty home and an empty project, and removes them with all processes that still use them. */
async function inSandbox<T>(name: string, url: string, act: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), `hooksh-${name}-`)));
  const at = (part: string) => join(top, part);
  const sandbox = { home: at("home"), project: at("project"), policy: at("policy.yaml"), hooksh: at("hooksh"), url };
  mkdirSync(sandbox.home);
  mkdirSync(sandbox.project);
  linkOrCopy(binary(), sandbox.hooksh);
  try {
    return await act(sandbox);
  } finally {
    endStrays(sandbox.home);
    if (flags.keep) console.error(`  kept: ${top}`);
    else rmSync(top, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The executable has more than 100 MB, so it is copied only to another file system. */
function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}

/** Installs the policy of a case for a program, starts the program, and judges what happened. */
async function tryCase(host: Host, each: Case, bin: string): Promise<Verdict> {
  if (each.scope === "project" && host.cannot?.includes("project")) return { ok: true, text: "no such hooks" };
  const { name, input } = host[each.tool];
  const server = startModelServer(name);
  try {
    return await inSandbox(host.name, server.url, async (sandbox) => {
      const path = ranFile(sandbox);
      server.script.push(
        { call: name, input: input(each.tool === "shell" ? `touch ${path}` : path) },
        { text: "done." },
      );
      const ended = await runUnderPolicy(host, each, bin, sandbox);
      if (flags.verbose) console.error([ended.output, ...server.seen, `exit ${ended.code}`].join("\n"));
      const { turns } = server;
      return each.judge(
        { ran: existsSync(path), rewritten: existsSync(rewrittenFile(sandbox)), turns, code: ended.code },
        host,
      );
    });
  } finally {
    server.stop();
  }
}

/** Sets the program up, installs the policy as a user does, and starts the program. */
async function runUnderPolicy(
  host: Host,
  { policy, spoil, scope = "user" }: Case,
  bin: string,
  sandbox: Sandbox,
): Promise<Ended> {
  const { args, env, files, before } = host.start(sandbox, "make a file");
  for (const [path, text] of Object.entries(files ?? {})) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  writeFileSync(sandbox.policy, policy(sandbox));
  const options = { cwd: sandbox.project, env: { ...environment(bin, sandbox), ...env }, limit: LIMIT };
  const program = join(bin, host.command);
  if (before) await runToEnd([program, ...before], options);
  const install = ["install", host.name, `--${scope}`, "--file", sandbox.policy, "--yes"];
  const installed = await runToEnd([sandbox.hooksh, ...install], options);
  if (flags.verbose) console.error(installed.output);
  if (installed.code !== 0) throw new Error(`hooksh ${install.join(" ")}: exit ${installed.code}: ${installed.output}`);
  spoil?.(sandbox);
  return runToEnd([program, ...args], options);
}
