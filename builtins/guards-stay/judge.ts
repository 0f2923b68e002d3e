import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { PathValue } from "../../src/facts/facts.ts";
import { type Place, placeOf } from "../../src/facts/place.ts";
import { resolvePath } from "../../src/facts/resolve-path.ts";
import { shellSteps } from "../../src/facts/shell-steps.ts";
import type { Help } from "../../src/lib/errors.ts";
import { isObject } from "../../src/lib/json.ts";
import type { BuiltinContext, BuiltinInput } from "../../src/protocol/builtin.ts";
import { HOLE, type StepWord } from "../../src/shell/steps/invocation.ts";
import { evasionOf } from "./evasions.ts";
import { COMMAND_TOOLS } from "./first-look.ts";
import { repositoryOf } from "./git-index.ts";
import { Places } from "./places.ts";
import { Reach, type Reached } from "./reach.ts";

const CHANGE_OF_A_GUARD: Help = {
  cause: "The call changes, or may change, a file that decides whether guards run.",
  cure: "If the change is wanted, make it yourself, outside of the agent. `hooksh install HOST --without-guards-stay` turns the check off.",
};

interface Finding {
  verdict: Reached["verdict"];
  reason: string;
}

const CURE = "if that is wanted, a person does it outside of the agent";

/** Tools that change the files that their input names, by the names of hooksh. */
const WRITING_TOOLS = new Set(["write_file", "edit_file", "create_directory", "remove_directory"]);
/** Names of unknown tools that read, unless they also say that they write. */
const READING =
  /^(?:read|get|list|ls|search|find|grep|glob|view|cat|stat|show|fetch|open|describe|query|head|tail)(?:$|[_A-Z-])/;
const WRITING = /write|edit|create|delete|remove|move|rename|copy|replace|patch|update|save|append|put|set|chmod/i;
const PATH_FIELD = /path|file|dir|folder|uri|target|dest|source|location|^(?:from|to|name|root)$/i;
const COMMAND_FIELD = /^(?:cmd|command|command_?line|script|code|shell_command|chars)$/i;

/** With more words, nothing says in time which files a line changes. */
const MAX_WORDS = 16_384;

/** How many words the work for words is worth: a pattern of names and an expansion take longer. */
function workOf(words: readonly StepWord[]): number {
  return words.reduce((sum, { text, glob }) => sum + (glob || text.includes(HOLE) ? 16 : 1), 0);
}

/** Judges one call. */
export class Judge {
  static readonly help: Help = CHANGE_OF_A_GUARD;
  readonly #input: BuiltinInput;
  readonly #place: Place;
  readonly #places: Places;

  constructor(input: BuiltinInput, args: readonly string[], { env, directories }: BuiltinContext) {
    const isPattern = (arg: string) => !arg.startsWith("/") || (/[*?[]/.test(arg) && !existsSync(arg));
    const policy = args.filter((arg) => !isPattern(arg));
    this.#input = input;
    this.#place = placeOf({ cwd: input.cwd || ".", env, directories, policy, guarded: args.filter(isPattern) });
    this.#places = new Places(this.#place, projectsAt(this.#place.cwd));
  }

  /** What the call does to guards, in the order of the line; evasions first. */
  findings(): Finding[] {
    const { tool_name: tool = "", tool_input: given = {} } = this.#input;
    if (COMMAND_TOOLS.has(tool))
      return this.#inLine(given["cmd"] ?? given["command"], given["cwd"] ?? given["workdir"]);
    if (WRITING_TOOLS.has(tool))
      return textsIn(given, /^(?:paths?|source|destination)$/).flatMap((path) => this.#inFile(path, tool));
    return this.#inUnknown(tool, given);
  }

  /** A tool of an MCP server or of another agent: what its fields name counts unless its name says that it reads. */
  #inUnknown(tool: string, given: Readonly<Record<string, unknown>>): Finding[] {
    const name = tool.slice(Math.max(tool.lastIndexOf(":"), tool.lastIndexOf("__") + 1) + 1);
    const lines = textsIn(given, COMMAND_FIELD).flatMap((line) => this.#inLine(line, given["cwd"] ?? given["workdir"]));
    if (READING.test(name) && !WRITING.test(name)) return lines;
    return [...lines, ...textsIn(given, PATH_FIELD).flatMap((path) => this.#inFile(path, tool))];
  }

  #inFile(path: string, tool: string): Finding[] {
    const deep = /remove|delete|move|rename|directory/i.test(tool);
    const touch = { path: path.replace(/^file:\/\//, ""), glob: false, sure: true } as const;
    const at = { directories: [""], place: this.#place, read: false, elsewhere: false };
    const values = resolvePath({ ...touch, extent: deep ? "tree" : "itself" }, at);
    return this.#reachedBy(values, tool, this.#place.cwd);
  }

  #inLine(line: unknown, directory: unknown): Finding[] {
    if (Array.isArray(line)) return this.#inLine(line.map(String).join(" "), directory);
    if (typeof line !== "string") return [];
    const { cwd: base, env } = this.#place;
    const cwd = typeof directory === "string" ? resolve(base, directory) : base;
    const place = cwd === base ? this.#place : { ...this.#place, cwd };
    const { steps, complete } = shellSteps(line, { place, directory: "", posix: true, variables: env });
    const words = steps.reduce((count, { invocation }) => count + workOf(invocation.words), 0);
    if (!complete || words > MAX_WORDS)
      return [
        {
          verdict: "deny",
          reason: "the command line is too long or too deeply nested to say which files it changes; split it",
        },
      ];
    const evasions = steps.flatMap((step): Finding[] => {
      const what = evasionOf(step, place);
      return what === undefined ? [] : [{ verdict: "deny", reason: `${what}; ${CURE}` }];
    });
    const hits = steps.flatMap((step) =>
      step.allowOnly ? [] : this.#reachedBy([...step.writes, ...step.mayWrite], step.invocation.programs[0] ?? "", cwd),
    );
    return [...evasions, ...hits];
  }

  /** The guards' files among the paths that are written. */
  #reachedBy(values: readonly PathValue[], program: string, cwd: string): Finding[] {
    const reach = new Reach(this.#places, cwd);
    return values.flatMap((value): Finding[] => {
      const hit = reach.reached(value);
      if (!hit) return [];
      const { verdict, path, why } = hit;
      const may = verdict === "ask" ? "may change" : "would change";
      const by = value.operator ?? program;
      return [{ verdict, reason: `${by} ${may} ${path}, which is guarded because ${why}; ${CURE}` }];
    });
  }
}

/** The texts of fields whose names fit, at any depth. */
function textsIn(value: unknown, fields: RegExp, depth = 0): string[] {
  if (!isObject(value) || depth > 6) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(fields.test(key)
      ? [inner].flat().filter((one): one is string => typeof one === "string" && one.length < 131_072)
      : []),
    ...(Array.isArray(inner) ? inner : [inner]).flatMap((one) => textsIn(one, fields, depth + 1)),
  ]);
}

/** The folder of a call, and those above it up to the top of its repository. */
function projectsAt(cwd: string): string[] {
  const top = repositoryOf(cwd)?.top ?? cwd;
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.push(folder);
    if (folder === top || dirname(folder) === folder) return folders;
  }
}
