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
import { delimiter, dirname, join } from "node:path";
import { binary } from "../helpers/binary.ts";
import { type Case, commandFor, noteFile, PRINTED, ranFile, rewrittenFile, type Verdict } from "./cases.ts";
import { FURTHER, type FurtherKind, type FurtherTool } from "./further-tools.ts";
import type { Host, Sandbox, Tool } from "./host.ts";
import { startModelServer } from "./model-server.ts";
import { type Ended, endStrays, environment, runToEnd } from "./programs.ts";

/** Seconds that a program may take before it is killed; hosts wait up to two minutes for a hook. */
const LIMIT = 300;

/** The result of a case that hooks of the program cannot do. */
const NO_WAY = "not possible";

/** The result of a case with a tool that the program does not have, or whose results cannot be replaced. */
const NO_TOOL = "no such tool";

/** What to tell about a run, and what to leave behind. */
export interface Options {
  verbose: boolean;
  keep: boolean;
}

/** Asks a program for its version; `unknown` if its answer holds none. */
export async function versionOf(host: Host, bin: string, { keep }: Options): Promise<string> {
  const { output } = await inSandbox({ name: host.name, url: "", keep }, (sandbox) =>
    runToEnd([join(bin, host.command), "--version"], {
      cwd: sandbox.project,
      env: environment(bin, sandbox),
      limit: LIMIT,
    }),
  );
  return /\d+\.\d+\.\d+/.exec(output)?.[0] ?? "unknown";
}

/** Gives an action an empty home and an empty project, and removes them with all processes that still use them. */
export async function inSandbox<T>(
  { name, url, keep }: { name: string; url: string; keep: boolean },
  act: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
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
    if (keep) console.error(`  kept: ${top}`);
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

/** The tool of a program that the model calls for a path or a command. */
function toolOf({ shell, file, readers = {} }: Host, kind: Case["tool"]): Tool | undefined {
  const tools: Partial<Record<Case["tool"], Tool>> = { shell, file, ...readers };
  return tools[kind];
}

/** Installs the policy of a case for a program, starts the program, and judges what happened. */
export async function tryCase(host: Host, each: Case, bin: string, options: Options): Promise<Verdict> {
  const cannot = host.cannot?.some((name) => name === each.name) ?? false;
  const further = FURTHER[host.name]?.[each.tool as FurtherKind];
  const tool = toolOf(host, each.tool);
  if (tool === undefined && further === undefined) return { ok: true, text: NO_TOOL };
  const server = startModelServer((tool ?? host.shell).name);
  try {
    return await inSandbox({ name: host.name, url: server.url, keep: options.keep }, async (sandbox) => {
      const path = ranFile(sandbox);
      writeFileSync(noteFile(sandbox), `${PRINTED}\n`);
      const about = each.tool === "shell" ? commandFor(sandbox) : each.tool === "file" ? path : noteFile(sandbox);
      const inputs = each.commands?.(sandbox) ?? [about];
      server.script.push(
        ...(tool ? inputs.map((input) => ({ call: tool.name, input: tool.input(input) })) : (further?.steps ?? [])),
        ...(each.tool === "agent" ? [{ text: PRINTED }] : []),
        { text: "done." },
      );
      const ended = await runUnderPolicy(host, each, bin, sandbox, further);
      if (ended === undefined) return { ok: cannot, text: NO_WAY };
      if (options.verbose) console.error([ended.output, ...server.seen, `exit ${ended.code}`].join("\n"));
      const { turns } = server;
      const rewritten = existsSync(rewrittenFile(sandbox));
      const { output, code, status } = ended;
      const verdict = each.judge({ ran: existsSync(path), rewritten, turns, output, code, status });
      return cannot && !verdict.ok ? { ok: true, text: NO_WAY } : verdict;
    });
  } finally {
    server.stop();
  }
}

/**
 * Sets the program up, installs the policy as a user does, and starts the program. Undefined if hooksh says that the
 * program cannot run these hooks, and installs nothing.
 */
async function runUnderPolicy(
  host: Host,
  { policy, spoil, scope = "user", install: flags = [] }: Case,
  bin: string,
  sandbox: Sandbox,
  further: FurtherTool | undefined,
): Promise<(Ended & { status: number | undefined }) | undefined> {
  const { start, options } = await setUp(host, bin, sandbox, further);
  // A file that a team shares names no file outside the project.
  const file = scope === "project" ? join(sandbox.project, "policy.yaml") : sandbox.policy;
  writeFileSync(file, policy(sandbox));
  const install = ["install", host.name, `--${scope}`, "--file", file, "--yes", ...flags];
  const installed = await runToEnd([sandbox.hooksh, ...install], options);
  if (/nothing was written|reads no hooks of a project/.test(installed.output)) return undefined;
  if (installed.code !== 0) throw new Error(`hooksh ${install.join(" ")}: exit ${installed.code}: ${installed.output}`);
  spoil?.(sandbox);
  const ended = await start();
  const after = await runToEnd([binary(), "status", host.name], options);
  return { ...ended, status: after.code, output: `${installed.output}${ended.output}${after.output}` };
}

/** Writes the files of a program, and returns how to start it. */
export async function setUp(host: Host, bin: string, sandbox: Sandbox, further?: FurtherTool) {
  const { args, env, files = {}, before } = host.start(sandbox, "make a file");
  for (const [path, text] of Object.entries({ ...files, ...further?.files?.(sandbox, files) })) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const own = environment(bin, sandbox);
  // What install --project registers is found on PATH.
  const path = [own["PATH"], dirname(sandbox.hooksh)].join(delimiter);
  const options = { cwd: sandbox.project, env: { ...own, PATH: path, ...env }, limit: LIMIT };
  const program = join(bin, host.command);
  if (before) await runToEnd([program, ...before], options);
  return { options, start: () => runToEnd([program, ...args], options) };
}
