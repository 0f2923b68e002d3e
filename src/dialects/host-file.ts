/**
 * Where a file applies: to everything its user does, to one project, to one project on this machine only, or to all
 * users because an administrator wrote it.
 */
export type HostScope = "user" | "project" | "local" | "managed";

/** `jsonc` is JSON with comments and trailing commas; a host that reads `json` ignores or refuses such a file. */
export type HostFileFormat = "json" | "jsonc" | "toml" | "module" | "executable";

/**
 * How the entries of hooks are arranged.
 *
 * - `groups`: `{EVENT: [{matcher, hooks: [ENTRY]}]}`, as Claude Code has them
 * - `flat`: `{EVENT: [ENTRY]}`
 * - `list`: `[ENTRY]`, each names its event under {@link EntryKeys.event}; in TOML, `[[hooks]]` tables
 * - `file`: one executable for each event, named after it
 * - `module`: a program that is loaded into the host
 */
export type HookNesting = "groups" | "flat" | "list" | "file" | "module";

export interface HostFile {
  scope: HostScope;
  /**
   * Starts with `~/` (the home directory), `<project>/` or is absolute. The last segment may be `*.json` for every such
   * file in that folder, or `*` for executables named after events.
   */
  path: string;
  format: HostFileFormat;
  nesting: HookNesting;
  /** The keys that lead to the events; `*` is any key. Empty: the events are at the top. */
  at: readonly string[];
  /** The only platform that has this path. */
  platform?: "linux" | "darwin" | "win32";
  /** `install` writes this file, or the one with this name in the folder of `path`. */
  install?: true | string;
}

export interface EntryKeys {
  /** Keys with the same value in every entry. */
  fixed?: Readonly<Record<string, unknown>>;
  /** The path of the command within the entry. */
  command: readonly string[];
  /** The path of the command for Windows, if it has one of its own. */
  commandOnWindows?: readonly string[];
  /** Other paths of a command, for entries that hooksh did not write. */
  otherCommands?: readonly (readonly string[])[];
  /** Names the event, in a `list`. */
  event?: string;
  /** Holds a name that must be unique, which `install` makes from the event. */
  name?: string;
  matcher?: string;
}

/** How long a host waits for a hook. */
export interface HostTimeout {
  /** The key of an entry; absent if the host's file cannot say it. */
  key?: string;
  unit: "s" | "ms";
  /** The host's timeout without the key, in seconds. */
  defaultSeconds: number;
  /** The timeout that `install` writes, or the host's own if there is no key, in seconds. */
  seconds: number;
  /** Events for which the host waits only this many seconds, whatever the file says; no timeout is written for them. */
  fixed?: Readonly<Record<string, number>>;
}

/** A setting of the host that keeps its hooks from running. */
export interface HostMute {
  /** The files in which the setting counts, as in {@link HostFile.path}. */
  files: readonly string[];
  format: "json" | "jsonc" | "toml";
  key: readonly string[];
  /** The value that mutes hooks; absent: any value. */
  value?: unknown;
  /** What the setting does, after `PATH: KEY is VALUE: `. */
  effect: string;
}

/** What a host accepts in the entries of a file; it ignores every hook of a file with any other entry. */
export interface VoidRules {
  /** The only keys that an entry may have. */
  keys?: readonly string[];
  /** Keys with the only values that they may have. */
  values?: Readonly<Record<string, readonly unknown[]>>;
  /** Only events that the host knows may have entries. */
  events?: true;
}

export interface McpFile {
  /** As in {@link HostFile.path}, without `*`. */
  path: string;
  format: "json" | "toml" | "yaml";
  /** The keys that lead to the servers, by name or as a list with a `name` each; `*` is any key. */
  at: readonly string[];
}

/** Files of MCP servers of one kind. */
export function mcpFiles(format: McpFile["format"], at: string, ...paths: readonly string[]): McpFile[] {
  return paths.map((path) => ({ path, format, at: at.split(".") }));
}

/** Everything about the files in which one host's hooks are configured. */
export interface HostFiles {
  /** Public documentation or source of these facts. */
  source: string;
  files: readonly HostFile[];
  /** Variables that move a folder: `CODEX_HOME` replaces `~/.codex`. */
  moved?: readonly { variable: string; folder: string }[];
  /** Keys with which a new file begins, and which a file with hooks needs. */
  head?: Readonly<Record<string, unknown>>;
  /** Where the host's MCP servers are configured. */
  mcp: readonly McpFile[];
  entry: EntryKeys;
  /** Events whose entries are not in groups although the file has `groups`. */
  flatEvents?: readonly string[];
  timeout: HostTimeout;
  /** The key that makes a failing hook stop the call, its value, and the events that take it. */
  failClosed?: { key: string; value: unknown; events: readonly string[] };
  /** A JSON file that the host needs in addition to the one that `install` writes, relative to its folder. */
  companion?: { path: string; content: Readonly<Record<string, unknown>> };
  /**
   * How files spell events, where the dialect has a second spelling of each: `preToolUse` or `PreToolUse`. Only these
   * are registered; the host would run an event under both names twice.
   */
  spelling?: "camel" | "pascal";
  /** Names of executables by event, where a file is not named as the event is. Events without a name never fire. */
  fileNames?: Readonly<Record<string, string>>;
  /** Events that `install` does not register although they have a counterpart, and why. */
  leftOut?: Readonly<Record<string, string>>;
  /** The host can post events to a server. Events for which it does not, or for which no server should be needed. */
  http?: { except: readonly string[] };
  /**
   * How a command line of this host names the folder of the project: a variable, or `.` if hooks start there. Without it,
   * `install --project` has to write absolute paths.
   */
  projectFolder?: "." | `$${string}`;
  mutes: readonly HostMute[];
  /** What makes the host ignore all hooks of a file, in an entry of hooksh or of anyone else. */
  voidedBy?: VoidRules;
  /** The host runs equal commands of several files once. */
  runsEqualOnce?: true;
  /** What the user has to do before the host runs the hooks of a scope; `install` and `status` print it. */
  trust?: Partial<Record<HostScope, string>>;
  /** Traps that `install` and `status` print; one sentence each. */
  notes?: readonly string[];
  /** Traps of single events, printed only where hooksh is registered for them. */
  eventNotes?: Readonly<Record<string, string>>;
  /** Some results cannot be replaced; `install` refuses hooks that only redact. */
  redactsPartly?: true;
  /** The dialect to install instead, if two share the files. */
  installAs?: string;
}

/** The properties that files of one kind share. */
export type FileShape = Pick<HostFile, "format" | "nesting" | "at">;

/** The two files that `install` writes. `name` is the file in a folder of which the host reads every file. */
export function installed(user: string, project: string, shape: FileShape, name?: string): HostFile[] {
  const install = name ?? true;
  return [
    { scope: "user", path: user, ...shape, install },
    { scope: "project", path: project, ...shape, install },
  ];
}

/** Further files of the user and the project that the host reads. */
export function alsoRead(paths: readonly string[], shape: FileShape): HostFile[] {
  return paths.map((path) => {
    const scope = path.startsWith("<project>/") ? (path.includes(".local.") ? "local" : "project") : "user";
    return { scope, path, ...shape };
  });
}

/** One system-wide file on each platform. */
export function managed(
  paths: Readonly<Partial<Record<"linux" | "darwin" | "win32", string>>>,
  shape: FileShape,
): HostFile[] {
  return Object.entries(paths).map(([platform, path]) => ({
    scope: "managed",
    path,
    platform: platform as "linux" | "darwin" | "win32",
    ...shape,
  }));
}

/** `disableAllHooks: true`. */
export function allDisabled(format: HostMute["format"], files: readonly string[]): HostMute {
  return { files, format, key: ["disableAllHooks"], value: true, effect: "no hook runs" };
}

/** `allowManagedHooksOnly: true` in an administrator's file. */
export function managedOnly(files: readonly string[]): HostMute {
  return {
    files,
    format: "json",
    key: ["allowManagedHooksOnly"],
    value: true,
    effect: "only the hooks of the administrator run",
  };
}

/** Returns the traps of a host that matter to a registration of these events. */
export function notesFor({ notes = [], eventNotes = {} }: HostFiles, events: ReadonlySet<string>): string[] {
  return [...notes, ...Object.entries(eventNotes).flatMap(([event, note]) => (events.has(event) ? [note] : []))];
}
