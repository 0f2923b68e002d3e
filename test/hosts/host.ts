import type { Step } from "./model-server.ts";

/** What one run of a program has to itself. */
export interface Sandbox {
  /** An empty home directory, and an empty directory to work in. */
  home: string;
  project: string;
  /** The file with the hooks, and the executable of hooksh, outside both. */
  policy: string;
  hooksh: string;
  /** `http://127.0.0.1:<port>` */
  url: string;
}

/** How to start a program once, headless, with the permission to use its tools. */
export interface Start {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Files to write before the start, by absolute path. */
  files?: Readonly<Record<string, string>>;
  /** A command to run before the program itself, such as one that stores the address of the model. */
  before?: readonly string[];
}

/** A tool of a program, and its input for a command or for the path of a new file; a text for a tool without fields. */
export interface Tool {
  name: string;
  input(about: string): Record<string, unknown> | string;
}

/** An agent that can be driven without a person and without a network. */
export interface Host {
  /** The name in `hooksh install NAME`. */
  name: string;
  /** The npm package, and the command that it installs. */
  package: string;
  command: string;
  /** The program's shell tool, and its tool that creates a file, as the model calls them. */
  shell: Tool;
  file: Tool;
  /** Its tools that read the file at a path, search its folder, and start a sub-agent, if its results can be replaced. */
  readers?: Partial<Record<"read" | "search" | "agent", Tool>>;
  /** Cases that hooks of the program cannot decide; `project`: it reads no hooks of a project. */
  cannot?: readonly ("project" | "prompt" | "stop" | "result" | "feedback" | "context" | "vanished")[];
  /** The calls that load the tools which the program offers only after a search; `request` is its first one. */
  search?(request: string): Step[];
  start(sandbox: Sandbox, prompt: string): Start;
}

/**
 * The calls of a tool that loads other tools by name, a few at a time, because programs cut long results; `names` finds
 * the parts of a request that list them.
 */
export function selecting(call: string, names: RegExp): NonNullable<Host["search"]> {
  return (request) => {
    const found = [...request.matchAll(names)].flatMap(([, list = ""]) => list.split("\\n").filter(Boolean));
    const listed = [...new Set(found)];
    const groups = Array.from({ length: Math.ceil(listed.length / 4) }, (_, i) => listed.slice(i * 4, i * 4 + 4));
    return groups.map((group) => ({ call, input: { query: `select:${group.join(",")}`, max_results: 4 } }));
  };
}
