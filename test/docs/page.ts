import { parse } from "yaml";
import type { Step } from "../helpers/fake-openai.ts";

/** A command of a page, and what the page shows below it. */
export interface PageCommand {
  text: string;
  /** The lines that the page shows as output; undefined where a page shows commands only (```sh). */
  shown: readonly string[] | undefined;
}

/** A fenced block of a page that holds commands. */
export interface CommandBlock {
  kind: "commands";
  /** `docs/audit.md:11`, the place of the fence. */
  place: string;
  /** The word after the fence: `console`, `sh`, `powershell` ... */
  language: string;
  commands: readonly PageCommand[];
  /** Why the block cannot run in a test; undefined if it runs. */
  skipped: string | undefined;
  /** True if the commands ask for a confirmation. */
  asks: boolean;
  /** True if the command runs on in the background, as a server does. */
  stays: boolean;
}

/** What a page says to do, in its order. */
export type PageStep =
  | CommandBlock
  | { kind: "file"; place: string; path: string; text: string }
  | { kind: "setup"; place: string; script: string }
  | { kind: "model"; place: string; replies: readonly Step[] }
  | { kind: "fresh"; place: string };

/** The languages whose blocks hold commands. */
const COMMAND_LANGUAGES: ReadonlySet<string> = new Set(["console", "sh", "bash", "zsh", "fish", "shell", "powershell"]);

/** A comment or a fenced block of a page. */
const PARTS = /^<!-- test: ([^]*?) ?-->\n|^( *)(`{3,})([^\n`]*)\n([^]*?)^ *\3\n/gm;

/**
 * Reads a page. Comments `<!-- test: ... -->`, which readers do not see, say what is not obvious:
 *
 * - `file NAME`: the next block is this file. A block whose first line is a comment with a path is that file anyway.
 * - `setup`, with commands on the next lines: they run here; their output does not count.
 * - `model`, with a YAML list of replies on the next lines: what `openai/...` models answer from here on, in order, such
 *   as `- { text: "I look.", calls: [{ name: shell, arguments: { cmd: ls } }] }`.
 * - `fresh`: the commands below run in another empty directory.
 * - `one`: the next block has one command; lines of its output begin with `$ ` too.
 * - `yes`: the commands of the next block ask at a terminal; here they run with `--yes`.
 * - `stays`: the command of the next block runs on in the background.
 * - `skip because REASON`: the next block cannot run in a test. Its syntax and its flags are checked all the same.
 *
 * Throws on any other comment that begins with `test:`.
 */
export function readPage(page: string, text: string): PageStep[] {
  const steps: PageStep[] = [];
  let marks: Marks = {};
  for (const match of text.matchAll(PARTS)) {
    const place = `${page}:${text.slice(0, match.index).split("\n").length}`;
    const [, comment, indent = "", , language = "", body = ""] = match;
    if (comment === undefined) {
      steps.push(...readBlock({ place, language: language.trim(), body: unindent(body, indent), marks }));
      marks = {};
    } else if (/^(file|one|yes|stays|skip)\b/.test(comment)) marks = { ...marks, ...readMark(place, comment) };
    else steps.push(readStep(place, comment));
  }
  return steps;
}

/** What comments say about the next block. */
interface Marks {
  file?: string;
  skipped?: string;
  one?: true;
  asks?: true;
  stays?: true;
}

function readMark(place: string, comment: string): Marks {
  const [, file] = /^file (\S+)$/.exec(comment) ?? [];
  if (file !== undefined) return { file };
  const [, skipped] = /^skip because (.+)$/s.exec(comment) ?? [];
  if (skipped !== undefined) return { skipped };
  if (comment === "one") return { one: true };
  if (comment === "yes") return { asks: true };
  if (comment === "stays") return { stays: true };
  throw new Error(`${place}: unknown mark: ${comment}`);
}

function readStep(place: string, comment: string): PageStep {
  if (comment === "fresh") return { kind: "fresh", place };
  const [, name, body = ""] = /^(\w+)\n([^]*)$/.exec(comment) ?? [];
  if (name === "setup") return { kind: "setup", place, script: body };
  if (name === "model") return { kind: "model", place, replies: parse(body) };
  throw new Error(`${place}: unknown comment: ${comment}`);
}

function unindent(body: string, indent: string): string {
  return indent === "" ? body : body.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

function readBlock(block: { place: string; language: string; body: string; marks: Marks }): PageStep[] {
  const { place, language, body, marks } = block;
  const path = marks.file ?? pathInFirstLine(body);
  if (path !== undefined) return [{ kind: "file", place, path, text: body }];
  if (!COMMAND_LANGUAGES.has(language)) return [];
  const commands = language === "console" ? readConsole(body, marks.one ?? false) : readCommands(body);
  const { skipped, asks = false, stays = false } = marks;
  return [{ kind: "commands", place, language, commands, skipped, asks, stays }];
}

/** The path of `# agent.yaml`, `// guard.ts` or, behind `#!`, `# guard.sh`; undefined for any other text. */
function pathInFirstLine(body: string): string | undefined {
  const [, path] = /^(?:#!.*\n)?(?:#|\/\/) ((?:~?\/)?[\w./-]+\.\w+|[\w./-]*Dockerfile)\n/.exec(body) ?? [];
  return path;
}

/** Splits a console: lines behind `$ ` are commands, only the first one if there is `one`; those below them are output. */
function readConsole(body: string, one: boolean): PageCommand[] {
  return body
    .split(one ? /^\$ / : /^\$ /m)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const lines = part.replace(/\n+$/, "").split("\n");
      const end = lengthOfCommand(lines);
      return { text: lines.slice(0, end).join("\n"), shown: lines.slice(end) };
    });
}

function readCommands(body: string): PageCommand[] {
  const commands: PageCommand[] = [];
  let lines = body.trimEnd().split("\n");
  while (lines.length > 0) {
    const end = lengthOfCommand(lines);
    const text = lines.slice(0, end).join("\n");
    if (/^\s*[^#\s]/m.test(text)) commands.push({ text, shown: undefined });
    lines = lines.slice(end);
  }
  return commands;
}

/** The number of lines that the first command takes: as few as bash reads without a complaint. */
function lengthOfCommand(lines: readonly string[]): number {
  for (let end = 1; end < lines.length; end++) if (isComplete(lines.slice(0, end).join("\n"))) return end;
  return lines.length;
}

const OPEN_END = /(?:\\|\||&&)$/;

function isComplete(command: string): boolean {
  if (OPEN_END.test(command)) return false;
  return !/['"<({]|^(if|for|while|case)\b/.test(command) || syntaxProblem(command) === "";
}

/** What bash says about the syntax of a script; empty if it accepts it. */
export function syntaxProblem(script: string): string {
  const { exitCode, stderr } = Bun.spawnSync(["bash", "-n"], { stdin: Buffer.from(`${script}\n`), stderr: "pipe" });
  return stderr.toString() || (exitCode === 0 ? "" : `exit code ${exitCode}`);
}
