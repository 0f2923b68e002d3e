import { FETCHING_CALLS, findCalls, SENDING_CALLS } from "../../other-languages.ts";
import type { CommandView } from "./command-view.ts";
import { type Effect, effectOfCategory } from "./effect.ts";

/** Interpreters, and the options whose values they run. */
const CODE_OPTIONS: Readonly<Record<string, string>> = {
  python: "-c",
  pypy: "-c",
  ipython: "-c",
  perl: "-e -E",
  ruby: "-e",
  node: "-e -p",
  nodejs: "-e -p",
  tsx: "-e -p",
  bun: "-e -p",
  deno: "",
  php: "-r",
  lua: "-e",
  rscript: "-e",
  osascript: "-e",
  tclsh: "",
  julia: "-e",
  groovy: "-e",
  scala: "-e",
  elixir: "-e",
};

/** True for an interpreter of a language other than a shell's. */
export function isInterpreter(program: string): boolean {
  return Object.hasOwn(CODE_OPTIONS, program);
}

/** True if the command runs code of another language, from an option, a file or its input. */
export function runsSource({ program, parsed, invocation }: CommandView): boolean {
  if (!isInterpreter(program)) return false;
  const asksOnly = parsed.options.some(({ name }) => /^-{1,2}version$|^--help$/.test(name));
  if (asksOnly) return false;
  return (
    parsed.operands.length > 0 ||
    parsed.options.some(({ name, value }) => value !== undefined && /^(?:-[cemrpE]|--eval|--print)$/.test(name)) ||
    invocation.given.length > 0 ||
    invocation.fedBy.length > 0 ||
    invocation.redirects.some(({ operator }) => operator.startsWith("<"))
  );
}

/** Calls that lead to something beside the calls of labels. */
const CALLS: readonly (readonly [Effect, RegExp])[] = [
  ["fs-modify", /\bopen\s*\([^()\n]{0,200},\s*(?:mode\s*=\s*)?["']a|\bappendFile(?:Sync)?\b/],
  ["fs-permissions", /\b(?:os|fs|File|promises)["')\s]{0,4}\.(?:l?chmod|l?chown)(?:Sync)?\b|\bchmodSync\b/],
  [
    "remote-code",
    /\b(?:exec|eval|compile|Function)\s?\([^]{0,120}(?:urlopen|requests\.get|urlretrieve|httpx\.get|fetch\s?\(|open-uri|LWP|file_get_contents\s?\(\s?["']https?:)/,
  ],
  ["hidden-code", /\beval\b[^\n]{0,120}(?:decode_base64|unpack1?\b|pack\s?\(|\.decode\b)/],
  ["sends", SENDING_CALLS],
  ["fetches", FETCHING_CALLS],
];

/** What the code of a one-liner leads to. */
export function sourceEffects(view: CommandView): Effect[] {
  if (!isInterpreter(view.program)) return [];
  const options = CODE_OPTIONS[view.program]?.split(" ").filter((option) => option !== "") ?? [];
  const inline = view.program === "deno" && view.path[0] === "eval" ? view.operands : [];
  const sources = [...options.flatMap((option) => view.valuesOf(option)), ...inline, ...view.invocation.given];
  return sources.flatMap((source) => [
    ...findCalls(source).flatMap(({ category }) => effectOfCategory(category) ?? []),
    ...CALLS.flatMap(([effect, expression]) => (expression.test(source) ? [effect] : [])),
  ]);
}
