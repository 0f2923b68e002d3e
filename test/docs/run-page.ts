import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary } from "../helpers/binary.ts";
import { fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import type { CommandBlock, PageStep } from "./page.ts";

const root = join(import.meta.dir, "../..");

/** Ends what a command printed; `\u001e0 17` is the end of command 17, whose exit code was 0. */
const END = "\u001e";
const DEADLINE_MS = 180_000;

/** What a command printed on both streams, and its exit code. */
export interface PageRun {
  printed: string;
  code: number;
}

/** The steps that share a directory. */
export type Section = readonly PageStep[];

/** Splits the steps of a page where it asks for another directory. */
export function sectionsOf(steps: readonly PageStep[]): Section[] {
  const sections: PageStep[][] = [[]];
  for (const step of steps) {
    if (step.kind === "fresh") sections.push([]);
    else sections.at(-1)?.push(step);
  }
  return sections.filter((section) => section.some(isRun));
}

/** True for a block of commands that runs. */
export function isRun(step: PageStep): step is CommandBlock {
  return step.kind === "commands" && step.skipped === undefined;
}

/** What the outputs of a section name, and what a page shows in its place. */
export type Places = Readonly<Record<string, string>>;

/** The commands of a section, run in order by one shell, in `/home/you/project` of an empty home directory. */
export interface SectionRun {
  /** Undefined for a command that did not end, because an earlier one ended the shell or hangs. */
  runs: ReadonlyMap<object, PageRun>;
  /** What was printed after the last command that ended. */
  rest: string;
  places: Places;
}

/**
 * Runs a section with the compiled executable. For setups, `$EXAMPLES` is the folder `examples` of the sources,
 * `$HELPERS` is this folder, and `$BUN` runs its scripts.
 */
export async function runSection(section: Section): Promise<SectionRun> {
  const folder = tempDir();
  const [home, scratch] = [join(folder, "home/you"), join(folder, "scratch")];
  const project = join(home, "project");
  for (const path of [project, join(scratch, "bin"), join(folder, "tmp")]) mkdirSync(path, { recursive: true });
  symlinkSync(binary(), join(scratch, "bin/hooksh"));
  cpSync(join(root, "examples"), join(scratch, "examples"), { recursive: true });
  const server = fakeOpenAI(section.flatMap((step) => (step.kind === "model" ? step.replies : [])));
  const commands: object[] = [];
  const parts = section.map((step) => scriptOf(step, { scratch, url: server.url, commands }));
  writeFileSync(join(scratch, "script"), `exec 2>&1\nset -m\ncode=0\n${parts.join("")}`);
  try {
    const child = Bun.spawn(["bash", join(scratch, "script")], {
      cwd: project,
      env: environment(folder, home, scratch),
      stdout: "pipe",
      stderr: "pipe",
      timeout: DEADLINE_MS,
      killSignal: "SIGKILL",
    });
    const output = await child.stdout.text();
    return { runs: readRuns(output, commands), rest: output.replace(/^[^]*\u001e.*\n/, ""), places: placesOf(folder) };
  } finally {
    for (const pid of pidsIn(join(scratch, "pids"))) killGroup(pid);
    server.stop();
  }
}

function placesOf(folder: string): Places {
  return {
    [join(folder, "scratch/bin/hooksh")]: "/usr/local/bin/hooksh",
    [join(folder, "home")]: "/home",
    [join(folder, "tmp")]: "/tmp",
    [binary()]: "/usr/local/bin/hooksh",
  };
}

function environment(folder: string, home: string, scratch: string): Record<string, string> {
  const person = { NAME: "You", EMAIL: "you@example.com" };
  const git = Object.entries(person).flatMap(([key, value]) =>
    ["AUTHOR", "COMMITTER"].map((role) => [`GIT_${role}_${key}`, value] as const),
  );
  return {
    PATH: `${join(scratch, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: home,
    SHELL: "/bin/sh",
    TMPDIR: join(folder, "tmp"),
    LC_ALL: "C.UTF-8",
    NO_COLOR: "1",
    EXAMPLES: join(scratch, "examples"),
    BUN: process.execPath,
    HELPERS: join(root, "test/docs"),
    ...Object.fromEntries(git),
  };
}

interface ScriptContext {
  scratch: string;
  /** The base URL of the section's model. */
  url: string;
  /** Receives each command; its index is its number in the output. */
  commands: object[];
}

function scriptOf(step: PageStep, context: ScriptContext): string {
  if (step.kind === "file") return fileScript(step.path, step.text, context);
  if (step.kind === "setup") return setupScript(step, context);
  if (step.kind === "model") return modelScript(context);
  if (!isRun(step)) return "";
  return step.commands.map((command) => commandScript(step, command, context)).join("");
}

let written = 0;

/** Writes a text to a file of its own; returns its path, quoted for the shell. */
function scriptFile(text: string, { scratch }: ScriptContext): string {
  const file = join(scratch, `part-${++written}`);
  writeFileSync(file, text.endsWith("\n") ? text : `${text}\n`);
  return `'${file}'`;
}

function fileScript(path: string, text: string, context: ScriptContext): string {
  const target = path.startsWith("~/") ? `"$HOME/${path.slice(2)}"` : `'${path}'`;
  return `mkdir -p "$(dirname ${target})"; cat ${scriptFile(text, context)} > ${target}\n`;
}

function setupScript({ place, script }: { place: string; script: string }, context: ScriptContext): string {
  const log = join(context.scratch, "setup.log");
  const failed = `{ echo "${place}: setup failed:"; cat '${log}'; } >&3`;
  const file = scriptFile(script, context);
  return `exec 3>&1 >'${log}' 2>&1; trap '${failed.replaceAll("'", '"')}' EXIT; set -e\n. ${file} </dev/null\nset +e; trap - EXIT; exec >&3 2>&1 3>&-\n`;
}

function modelScript(context: ScriptContext): string {
  const config = `providers: { openai: { base_url: "${context.url}" } }`;
  const target = "$HOME/.config/hooksh/config.yaml";
  return `[ -e "${target}" ] || { mkdir -p "$(dirname "${target}")"; cat ${scriptFile(config, context)} > "${target}"; }\n`;
}

function commandScript(block: CommandBlock, command: CommandBlock["commands"][number], context: ScriptContext): string {
  const number = context.commands.push(command) - 1;
  const file = scriptFile(
    block.asks ? command.text.replace(/^hooksh .*?(?=\s*(#|$))/gm, "$& --yes") : command.text,
    context,
  );
  const end = `printf '${END}%d %d\\n' $code ${number}\n`;
  if (!block.stays) return `(exit $code)\n. ${file} </dev/null\ncode=$?\n${end}`;
  const output = join(context.scratch, `output-${number}`);
  const wait = `[ "$(wc -l < '${output}')" -ge ${command.shown?.length ?? 0} ] && break; sleep 0.1`;
  const start = `(. ${file}) > '${output}' 2>&1 </dev/null &\necho $! >> '${join(context.scratch, "pids")}'`;
  return `${start}\nfor try in $(seq 300); do ${wait}; done\ncat '${output}'\ncode=0\n${end}`;
}

function readRuns(output: string, commands: readonly object[]): Map<object, PageRun> {
  const runs = new Map<object, PageRun>();
  for (const [, printed = "", code, number] of output.matchAll(/([^\u001e]*)\u001e(\d+) (\d+)\n/g)) {
    const command = commands[Number(number)];
    if (command) runs.set(command, { printed, code: Number(code) });
  }
  return runs;
}

function pidsIn(file: string): number[] {
  try {
    return readFileSync(file, "utf8").trim().split("\n").map(Number);
  } catch {
    return [];
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
