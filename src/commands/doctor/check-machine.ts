import { accessSync, constants, existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fallbackWarning } from "../../cli/global-flags.ts";
import { mistypedVariables } from "../../cli/mistyped-variables.ts";
import type { FoundValue } from "../../config/user/secrets.ts";
import { type Directories, type Env, variableName } from "../../lib/env.ts";
import { findExecutable, hasJit } from "../../lib/platform.ts";
import { runProcess } from "../../lib/process/process.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import { BASE_URL_PROBLEM, isBaseUrl, withoutCredentials } from "../../model/catalog/base-url.ts";
import { PROVIDERS, type ProviderRow } from "../../model/catalog/providers.ts";
import { findDmr, isInContainer, viaSocket } from "../../model/dmr/find-dmr.ts";
import {
  type DirectoryState,
  type DoctorReport,
  type Findings,
  type ProgramState,
  type VariableState,
  WORKS,
} from "./doctor-report.ts";

const PROGRAM_DEADLINE_MS = 5000;
const PROBE_MS = 2000;

/** Variables that change what hooksh does, in addition to the keys and hosts of providers. */
const OTHER_VARIABLES = [
  "GITHUB_TOKEN",
  "GH_TOKEN",
  "GITHUB_API_URL",
  "HOOKSH_DEFAULT_MODEL",
  "HOOKSH_SAFETY",
  "HOOKSH_YOLO",
  "HTTPS_PROXY",
  "HTTP_PROXY",
  "NO_PROXY",
] as const;

/** Variables that make the runtime inside the executable load other code, or run as plain Bun. */
const RUNTIME_VARIABLES = ["BUN_OPTIONS", "BUN_BE_BUN", "BUN_INSPECT", "BUN_INSPECT_PRELOAD"] as const;

const UNSUPPORTED_VARIABLES = ["DOCKER_AGENT_MODELS_GATEWAY", "CAGENT_MODELS_GATEWAY"] as const;

export function checkDirectories(directories: Directories, findings: Findings): DoctorReport["directories"] {
  const check = (name: keyof Directories, purpose: string): DirectoryState => {
    const path = directories[name];
    const warning = fallbackWarning(name, path);
    const state = { path, exists: existsSync(path), writable: canWrite(path), temporary: warning !== undefined };
    if (existsSync(path) && !statSync(path).isDirectory()) findings.issues.push(`${path}: not a directory`);
    else if (!state.writable && name !== "config") findings.issues.push(`${path}: not writable: ${purpose}`);
    if (warning !== undefined) findings.warnings.push(warning);
    return state;
  };
  return {
    config: check("config", ""),
    data: check("data", "sessions and snapshots cannot be stored"),
    cache: check("cache", "downloads cannot be stored"),
  };
}

function canWrite(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    try {
      accessSync(at, constants.W_OK | constants.X_OK);
      return true;
    } catch (error) {
      const missing = error instanceof Error && "code" in error && error.code === "ENOENT";
      if (!missing || at === dirname(at)) return false;
    }
  }
}

/** Returns the variables that matter to hooksh and are set, and where. */
export function checkVariables(
  find: (name: string) => FoundValue | undefined,
  env: Env,
  findings: Findings,
): VariableState[] {
  const rows: readonly ProviderRow[] = Object.values(PROVIDERS);
  const keys = rows.flatMap(({ keys, hostVariable, urlVariable, variableHeaders = {} }) =>
    [...keys, hostVariable, urlVariable, ...Object.values(variableHeaders)].filter((name) => name !== undefined),
  );
  const names = [...new Set([...keys, ...OTHER_VARIABLES])].sort();
  const found = names.flatMap((name): VariableState[] => {
    const value = find(name);
    if (value?.value.startsWith("op://"))
      findings.issues.push(`${name}: references to 1Password (op://) are not supported`);
    if (!value) return [];
    const state = { name, source: value.source, empty: value.value === "" };
    if (state.empty || !rows.some(({ urlVariable }) => urlVariable === name)) return [state];
    if (isBaseUrl(value.value)) return [{ ...state, url: withoutCredentials(value.value) }];
    findings.issues.push(`${name}: ${BASE_URL_PROBLEM}`);
    return [state];
  });
  for (const name of RUNTIME_VARIABLES) {
    if (env[name])
      findings.warnings.push(`${name} is set: the runtime inside hooksh acts on it before any hook runs; unset it`);
  }
  findings.warnings.push(...mistypedVariables(env));
  for (const name of UNSUPPORTED_VARIABLES) {
    if (env[name]) findings.warnings.push(`${name} is set, but a models gateway is not supported`);
  }
  return found;
}

/** Checks the programs that hooks and tools use. A broken shell is an issue, because nothing works without it. */
export async function checkPrograms(cwd: string, env: Env, findings: Findings): Promise<DoctorReport["programs"]> {
  const [shell, git, docker] = await Promise.all([
    tryProgram(shellCommand(`echo ${WORKS}`, env), cwd, env),
    tryProgram(["git", "--version"], cwd, env),
    tryProgram(["docker", "version", "--format", "Docker {{.Client.Version}}, engine {{.Server.Version}}"], cwd, env),
  ]);
  if (!shell.found)
    findings.issues.push(`${shell.command}: ${shell.detail}: command hooks and the shell tool cannot run`);
  if (!git.found) findings.warnings.push("git does not work: snapshots, hooksh undo and the git builtins do nothing");
  return { shell, git, docker };
}

/** Warns if hooksh runs without the JIT, and reports the programs that it then needs if they are missing. */
export function checkJit(env: Env, findings: Findings): void {
  if (process.platform === "win32" || hasJit()) return;
  findings.warnings.push(
    "hooksh may not compile code at run time here (BUN_JSC_useJIT=0, or systemd's MemoryDenyWriteExecute): it is slower, starts programs to open pipes and lock files, and hooks in TypeScript or JavaScript fail in agents that read the answer from a socket",
  );
  const isMissing = (name: string) => !findExecutable(name, env[variableName(env, "PATH")] ?? "");
  if (isMissing("mkfifo")) findings.issues.push("mkfifo: not found: without the JIT, command hooks cannot run");
  if (isMissing("flock") && isMissing("perl"))
    findings.issues.push("flock: not found, and no perl: without the JIT, the audit log cannot be written");
}

async function tryProgram(command: readonly string[], cwd: string, env: Env): Promise<ProgramState> {
  const [name = ""] = command;
  const { end, stdout, stderr } = await runProcess({
    command,
    cwd,
    env,
    deadlineMs: PROGRAM_DEADLINE_MS,
    stdoutLimit: 4096,
    stderrLimit: 4096,
  });
  const firstLine = (text: string) => text.trim().split("\n")[0] ?? "";
  if (end.kind === "not_started") return { command: name, found: false, detail: "not found" };
  if (end.kind !== "exited")
    return { command: name, found: false, detail: end.kind === "timed_out" ? "does not answer" : "does not work" };
  if (end.code === 0) return { command: name, found: true, detail: firstLine(stdout) };
  return { command: name, found: false, detail: firstLine(stderr) || `exits with status ${end.code}` };
}

/** Checks whether Docker Model Runner answers, if it or Docker is configured. */
export async function checkModelRunner(env: Env): Promise<DoctorReport["model_runner"]> {
  if (!env["MODEL_RUNNER_HOST"] && !findExecutable("docker", env[variableName(env, "PATH")] ?? "")) return undefined;
  const { baseUrl, unix } = await findDmr({ env, inContainer: isInContainer(), fetch });
  const url = new URL(baseUrl);
  url.username = "";
  url.password = "";
  try {
    const response = await fetch(new URL("models", baseUrl), {
      signal: AbortSignal.timeout(PROBE_MS),
      ...viaSocket(unix),
    });
    await response.body?.cancel();
    return { url: url.href, answers: response.ok };
  } catch {
    return { url: url.href, answers: false }; // no server, or not an HTTP server
  }
}

/** Adds notes about this directory that may surprise the user. */
export function addNotes(cwd: string, findings: Findings): void {
  if (existsSync(join(cwd, ".agentsignore"))) {
    findings.notes.push(".agentsignore restricts the file tools; a shell command can still read the files it lists");
  }
}
