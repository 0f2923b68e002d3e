import { errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { commandDirectory } from "../run-command.ts";
import type { EntryReport, Machine, Obstacle } from "../toolset-row.ts";
import { toolNameProblem } from "../valid-name.ts";

interface ScriptEntry {
  shell: Readonly<
    Record<
      string,
      {
        cmd: string;
        args?: Readonly<Record<string, unknown>>;
        required?: readonly string[];
        env?: Readonly<Record<string, string>>;
        working_dir?: string;
      }
    >
  >;
  env?: Readonly<Record<string, string>>;
}

/**
 * Reports names that models refuse, and arguments and variables with which a command would not run as its author meant.
 */
export function checkScripts({ shell, env: shared = {} }: ScriptEntry, report: EntryReport): void {
  for (const [name, { cmd, args = {}, required = [], env = {} }] of Object.entries(shell)) {
    const at = ["shell", name];
    const problem = toolNameProblem(name);
    if (problem !== undefined) report.problem(at, problem, "key");
    const isSet = (variable: string) => Object.hasOwn(env, variable) || Object.hasOwn(shared, variable);
    if (/\$\{\s*env\./.test(cmd)) {
      report.problem([...at, "cmd"], "${env.NAME} is not expanded here; put NAME into env and use $NAME");
    }
    const used = new Set([...cmd.matchAll(/(?<!\\)\$\{?([A-Za-z_]\w*)(?![\w.])/g)].map((match) => match[1] ?? ""));
    for (const variable of used) {
      if (Object.hasOwn(args, variable) || isSet(variable)) continue;
      report.problem([...at, "cmd"], `$${variable} is neither declared under args nor set in env`);
    }
    for (const [arg, schema] of Object.entries(args)) {
      if (isSet(arg)) report.problem([...at, "args", arg], "is set in env, too", "key");
      else if (schema !== null && !isObject(schema)) report.problem([...at, "args", arg], "expected a JSON Schema");
    }
    for (const [index, arg] of required.entries()) {
      if (!Object.hasOwn(args, arg))
        report.problem([...at, "required", index], `${JSON.stringify(arg)} is not declared under args`);
    }
  }
}

/** Returns the working directories that do not exist on this machine: every call of their commands would fail. */
export function scriptObstacles({ shell }: Pick<ScriptEntry, "shell">, { workingDir }: Machine): readonly Obstacle[] {
  return Object.entries(shell).flatMap(([name, script]): Obstacle[] => {
    try {
      commandDirectory(script.working_dir, workingDir);
      return [];
    } catch (error) {
      return [{ path: ["shell", name, "working_dir"], message: errorText(error) }];
    }
  });
}
