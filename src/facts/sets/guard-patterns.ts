import { delimiter, join } from "node:path";
import type { HostFiles } from "../../dialects/host-file.ts";
import { HOST_FILES } from "../../dialects/host-files.ts";
import { type HostPlace, hostPath } from "../../dialects/host-paths.ts";
import type { Env } from "../../lib/env.ts";
import { escapeGlob } from "../../lib/files/glob.ts";
import { realPathOf } from "../files/real-path.ts";
import type { Place } from "../place.ts";

const split = (patterns: string) => patterns.trim().split(/\s+/);

/** Settings that decide whether and how an agent runs hooks, beside the files of {@link HOST_FILES}. */
const SETTINGS = split(`
  /etc/claude-code /etc/codex /etc/gemini-cli ~/.codeium .amazonq ~/.aws/amazonq/cli-agents .copilot ~/.kimi*/config.toml .vibe .grok
  ~/.config/goose ~/.config/crush .crush.json opencode.json opencode.jsonc ~/.config/opencode/opencode.json* .agents/plugins .openhands/config.toml
`);

/** Lists of MCP servers that agents read. */
const MCP_LISTS = split(".mcp.json .cursor/mcp.json .vscode/mcp.json");

/** Where git's hooks are, and the files of programs that manage them. */
const GIT_HOOKS = split(".git/hooks .husky .pre-commit-config.yaml lefthook.yml .lefthook .githooks");

/** Patterns of files that decide whether guards run, and why, as the end of a sentence about them. */
export interface GuardKind {
  why: string;
  covers: readonly string[];
}

/** The built-in set `guards`, by the reason why files are in it. */
export function guardKinds(place: Place): GuardKind[] {
  const { env, policy, program, guarded } = place;
  const literal = (paths: readonly string[]) =>
    [...new Set(paths.flatMap((path) => [path, realPathOf(path)]))].map(escapeGlob);
  return [
    { why: "the hooks in force were read from it", covers: [...literal(policy), ...guarded] },
    { why: "it is the program that guards", covers: literal([...program, ...beforeOnPath(env, program)]) },
    { why: "hooksh keeps its configuration and records there", covers: ownFolders(place) },
    { why: "agents read their hooks and settings there", covers: agentSettings(place) },
    { why: "agents read their MCP servers there", covers: MCP_LISTS },
    { why: "git runs hooks from there", covers: GIT_HOOKS },
  ];
}

/** Where a program named hooksh would be found before this one. */
function beforeOnPath({ PATH = "" }: Env, program: readonly string[]): string[] {
  const folders = PATH.split(delimiter).filter((folder) => folder.startsWith("/"));
  const own = folders.findIndex((folder) => program.includes(join(folder, "hooksh")));
  return folders.slice(0, own < 0 ? 0 : own).map((folder) => join(folder, "hooksh"));
}

/** Where agents read their hooks and settings, also if variables move the folders. Those of projects count anywhere. */
function agentSettings(place: Pick<HostPlace, "env" | "home">): string[] {
  const hosts = Object.values<HostFiles>(HOST_FILES);
  const moved = hosts.filter((host) => (host.moved ?? []).some(({ variable }) => place.env[variable]));
  return [
    ...new Set([
      ...hosts.flatMap((host) => hostPatterns(host)),
      ...moved.flatMap((host) => hostPatterns(host, place)),
      ...SETTINGS,
    ]),
  ];
}

/** Where hooksh keeps its configuration and records. */
function ownFolders({ env, directories }: Place): string[] {
  const variables = ["CONFIG", "DATA"].flatMap((kind) => env[`HOOKSH_${kind}_DIR`] ?? []);
  const known = directories ? [directories.config, directories.data] : [];
  return ["~/.config/hooksh", "~/.hooksh", ...known, ...variables];
}

/** The patterns of a host's files; with `place`, where the host's variables move them. */
function hostPatterns(host: HostFiles, place?: Pick<HostPlace, "env" | "home">): string[] {
  const paths = [...host.files.map(({ path }) => path), ...host.mutes.flatMap(({ files }) => files)].filter(
    (path) => /^[~</]/.test(path) || process.platform === "win32",
  );
  return paths.flatMap((path) => {
    const found = place ? hostPath(path, host, { ...place, project: "<project>", platform: process.platform }) : path;
    return placesOf(
      found.replace(/^<project>\//, ""),
      host.files.some((file) => file.path === path && file.nesting === "module"),
    );
  });
}

/** The file, or the folder of which a host reads every file; all `settings*.json`; and the folder `hooks` beside it. */
function placesOf(path: string, isModule: boolean): string[] {
  const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
  const place =
    isModule || /\/\*[^/]*$/.test(path) ? folder : path.replace(/settings(?:\.local)?\.json$/, "settings*.json");
  const isOwnFolder = /(?:^|\/)\.[^/]+$/.test(folder);
  return isOwnFolder ? [place, `${folder}/hooks`] : [place];
}
