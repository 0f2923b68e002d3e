import { dirname, resolve } from "node:path";
import { programPaths } from "../src/facts/place.ts";
import { homeDirectory } from "../src/lib/env.ts";
import type { Help } from "../src/lib/errors.ts";
import { isObject } from "../src/lib/json.ts";
import { type BuiltinContext, type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import { readTouchedPaths } from "../src/shell/paths/touched-paths.ts";
import { evasionOf } from "./guards-stay/evasions.ts";
import { repositoryOf } from "./guards-stay/git-index.ts";
import { Places, realPath } from "./guards-stay/places.ts";
import { Reach, type Reached } from "./guards-stay/reach.ts";

const CHANGE_OF_A_GUARD: Help = {
  cause: "The call changes, or may change, a file that decides whether guards run.",
  cure: "If the change is wanted, make it yourself, outside of the agent. `hooksh install HOST --without-guards-stay` turns the check off.",
};

/**
 * Denies tool calls that change a guard's file: hooks files and settings of every agent that hooksh knows, the active
 * hooks, hooksh's own files, MCP lists and git's hooks. `args`: further files and folders that are guarded, absolute
 * paths or patterns.
 */
export const run = defineBuiltin((input, args, context) => {
  if (input.hook_event_name !== "pre_tool_use") return undefined;
  const judge = new Judge(input, args, context);
  const found = judge.findings();
  const worst = found.find(({ verdict }) => verdict === "deny") ?? found[0];
  return (
    worst && {
      hook_specific_output: {
        hook_event_name: "pre_tool_use",
        permission_decision: worst.verdict,
        permission_decision_reason: worst.reason,
      },
    }
  );
});

interface Finding {
  verdict: Reached["verdict"];
  reason: string;
}

const CURE = "if that is wanted, a person does it outside of the agent";

/** Tools that run the command line in their field `cmd`. */
const COMMAND_TOOLS = new Set(["shell", "run_background_job"]);
/** Tools that change the files that their input names, by the names of hooksh. */
const WRITING_TOOLS = new Set(["write_file", "edit_file", "create_directory", "remove_directory"]);
/** Tools of hooksh that change no file that their input names. */
const OTHER_TOOLS =
  /^(?:directory_tree|list_directory|read_file|read_multiple_files|search_files_content|fetch|think|transfer_task|user_prompt|\w*_todos?|\w*_memor(?:y|ies)|\w*background_(?:agents?|jobs?))$/;
/** Names of unknown tools that read, unless they also say that they write. */
const READING =
  /^(?:read|get|list|ls|search|find|grep|glob|view|cat|stat|show|fetch|open|describe|query|head|tail)(?:$|[_A-Z-])/;
const WRITING = /write|edit|create|delete|remove|move|rename|copy|replace|patch|update|save|append|put|set|chmod/i;
const PATH_FIELD = /path|file|dir|folder|uri|target|dest|source|location|^(?:from|to|name|root)$/i;
const COMMAND_FIELD = /^(?:cmd|command|command_?line|script|code|shell_command|chars)$/i;

class Judge {
  static readonly help: Help = CHANGE_OF_A_GUARD;
  readonly #input: BuiltinInput;
  readonly #context: BuiltinContext;
  readonly #places: Places;
  readonly #cwd: string;
  readonly #home: string;

  constructor(input: BuiltinInput, args: readonly string[], context: BuiltinContext) {
    const home = homeDirectory(context.env);
    this.#input = input;
    this.#context = context;
    this.#home = home;
    this.#cwd = resolve(input.cwd || ".");
    this.#places = new Places({
      env: context.env,
      home,
      projects: projectsAt(this.#cwd),
      directories: context.directories,
      policy: args.flatMap((path) => (path.startsWith("/") ? [path, realPath(path) ?? path] : [path])),
      program: programPaths(),
    });
  }

  findings(): Finding[] {
    const { tool_name: tool = "", tool_input: given = {} } = this.#input;
    if (COMMAND_TOOLS.has(tool))
      return this.#inLine(given["cmd"] ?? given["command"], given["cwd"] ?? given["workdir"]);
    if (WRITING_TOOLS.has(tool))
      return textsIn(given, /^(?:paths?|source|destination)$/).flatMap((path) => this.#inFile(path, tool));
    if (OTHER_TOOLS.test(tool)) return [];
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
    const reach = this.#reachFrom(this.#cwd);
    const plain = path.replace(/^file:\/\//, "");
    const deep = /remove|delete|move|rename|directory/i.test(tool);
    const hit = reach.reached({ kind: deep ? "tree" : "path", path: escapeWild(plain), by: tool });
    return hit ? [this.#finding(hit)] : [];
  }

  #inLine(line: unknown, directory: unknown): Finding[] {
    if (Array.isArray(line)) return this.#inLine(line.map(String).join(" "), directory);
    if (typeof line !== "string") return [];
    const reach = this.#reachFrom(typeof directory === "string" ? resolve(this.#cwd, directory) : this.#cwd);
    const { env } = this.#context;
    const shellEnv = { ...env, HOME: this.#home, PWD: reach.absolute(".") };
    const isDirectory = (path: string) => reach.isDirectory(path);
    const { touches, steps, complete } = readTouchedPaths(line, { env: shellEnv, isDirectory });
    if (!complete)
      return [
        {
          verdict: "deny",
          reason: "the command line is too long or too deeply nested to say which files it changes; split it",
        },
      ];
    const evasions = steps.flatMap((step): Finding[] => {
      const what = evasionOf(step, reach, env);
      return what === undefined ? [] : [{ verdict: "deny", reason: `${what}; ${CURE}` }];
    });
    const seen = new Set<string>();
    const hits = touches.flatMap((touch) => {
      const key = JSON.stringify(touch, (_key, value: unknown) => (value instanceof RegExp ? value.source : value));
      if (seen.has(key)) return [];
      seen.add(key);
      const hit = reach.reached(touch);
      return hit ? [this.#finding(hit)] : [];
    });
    return [...evasions, ...hits];
  }

  #reachFrom(cwd: string): Reach {
    return new Reach(this.#places, { cwd, home: this.#home });
  }

  #finding({ verdict, by, path, why }: Reached): Finding {
    const may = verdict === "ask" ? "may change" : "would change";
    return { verdict, reason: `${by} ${may} ${path}, which is guarded because ${why}; ${CURE}` };
  }
}

/** Paths of file tools have no patterns. */
function escapeWild(path: string): string {
  return path.replace(/[*?[\0]/g, "_");
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
