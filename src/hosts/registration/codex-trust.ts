import { existsSync, realpathSync } from "node:fs";
import type { HostScope } from "../../dialects/host-file.ts";
import { hostFiles } from "../../dialects/host-files.ts";
import { filesOnPlatform, type HostPlace, hostPath } from "../../dialects/host-paths.ts";
import { parseJsonSource, parseTomlSource } from "../../dialects/translate/source-text.ts";
import type { Help } from "../../lib/errors.ts";
import { canonicalJson, isObject, type Json } from "../../lib/json.ts";
import { sha256 } from "../../lib/platform.ts";
import { type CodexHook, findCodex, listCodexHooks } from "./codex-app-server.ts";
import { readHostFile } from "./host-plan.ts";
import { callOf } from "./json-entries.ts";
import { repositoryRoot } from "./repository-root.ts";

const HOOKS_NOT_RUN_BY_CODEX: Help = {
  cause: "Codex runs only hooks, and projects, that the user trusts.",
  cure: "Do what the message says, then `hooksh canary codex` to see the guard work.",
};

/** An entry of hooksh in a hooks.json, which Codex runs only if it trusts it. */
interface CodexEntry {
  scope: HostScope;
  path: string;
  event: string;
  /** The name under which Codex stores its trust. */
  key: string;
  /** The digest of the entry that Codex stores when the user trusts it. */
  hash: string;
}

/**
 * Returns a message for each reason why Codex does not run hooks of hooksh. Asks Codex if it is on PATH, and reads its
 * config.toml otherwise. Throws a {@link UserError} if Codex does not answer, or if a file is not valid.
 */
export async function codexTrustProblems(place: HostPlace): Promise<string[]> {
  const codex = findCodex();
  const entries = codexEntries(place);
  const hooks = codex === undefined ? hooksOfConfig(entries, place) : await listCodexHooks(codex, place.project);
  const known = new Map(hooks.map((hook) => [realKey(hook.key), hook]));
  const lost = Map.groupBy(
    entries.filter(({ key }) => !known.has(realKey(key))),
    ({ path }) => path,
  );
  const problems = [...lost].map(([path, [first]]) =>
    first?.scope === "project"
      ? `${path}: Codex does not trust the project ${place.project}, so it skips these hooks: start codex there and trust it, then repeat hooksh install codex --project with --trust`
      : `${path}: Codex does not list these hooks, so it skips them`,
  );
  const listed = entries.flatMap(({ key }) => known.get(realKey(key)) ?? []);
  const untrusted = eventsOf(listed.filter(({ trusted }) => !trusted));
  if (untrusted !== "")
    problems.push(
      `Codex skips hooks that it does not trust: ${untrusted}; type /hooks in Codex, or repeat hooksh install codex with --trust`,
    );
  const disabled = eventsOf(listed.filter(({ enabled }) => !enabled));
  if (disabled !== "") problems.push(`Codex skips hooks that are disabled: ${disabled}; type /hooks in Codex`);
  return problems;
}

codexTrustProblems.help = HOOKS_NOT_RUN_BY_CODEX;

function eventsOf(hooks: readonly CodexHook[]): string {
  return hooks.map(({ event }) => event).join(", ");
}

/** Codex may know a folder by another path of the same place. */
function realKey(key: string): string {
  const [, path = key, rest = ""] = /^(.*?)(:[a-z_]+:\d+:\d+)$/s.exec(key) ?? [];
  return (existsSync(path) ? realpathSync(path) : path) + rest;
}

/** Returns the entries of hooksh in the hooks.json of the user and of the project. */
function codexEntries(place: HostPlace): CodexEntry[] {
  const files = hostFiles("codex");
  return filesOnPlatform(files, place)
    .filter(({ install }) => install !== undefined)
    .flatMap(({ path: template, scope }) => {
      const path = hostPath(template, files, place);
      const text = readHostFile(path);
      if (text === undefined || text.trim() === "") return [];
      const { value } = parseJsonSource(text.replace(/^\uFEFF/, ""), path, { relaxed: false });
      const events = isObject(value) && isObject(value["hooks"]) ? value["hooks"] : {};
      return Object.entries(events).flatMap(([event, groups]) =>
        listOf(groups).flatMap((group, at) =>
          listOf(group["hooks"]).flatMap((entry, index): CodexEntry[] => {
            if (!callOf(entry, files.entry, "codex")) return [];
            const name = event.replace(/\B[A-Z]/g, "_$&").toLowerCase();
            return [
              { scope, path, event, key: `${path}:${name}:${at}:${index}`, hash: hashOf(event, name, group, entry) },
            ];
          }),
        ),
      );
    });
}

function listOf(value: unknown): Record<string, unknown>[] {
  return (Array.isArray(value) ? value : []).map((each: unknown) => (isObject(each) ? each : {}));
}

/** Codex 0.169.0: the SHA-256 of the entry with its defaults, as JSON with sorted keys. */
function hashOf(
  event: string,
  name: string,
  { matcher }: Record<string, unknown>,
  entry: Record<string, unknown>,
): string {
  const { fixed, defaultSeconds } = hostFiles("codex").timeout;
  const hook = { async: false, timeout: fixed?.[event] ?? defaultSeconds, ...entry };
  const identity = { event_name: name, hooks: [hook], ...(matcher === undefined ? {} : { matcher }) };
  return `sha256:${sha256(canonicalJson(identity as unknown as Json))}`;
}

/** Returns what Codex would say about the entries, from what it stores in the user's config.toml. */
function hooksOfConfig(entries: readonly CodexEntry[], place: HostPlace): CodexHook[] {
  const path = hostPath("~/.codex/config.toml", hostFiles("codex"), place);
  const config = parseTomlSource(readHostFile(path) ?? "", path).value;
  const at = (...keys: string[]) =>
    keys.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), config);
  const folders = [place.project, repositoryRoot(place.project)];
  const isTrusted = folders.some(
    (folder) => folder !== undefined && at("projects", folder, "trust_level") === "trusted",
  );
  const states = at("hooks", "state");
  const stored = new Map(Object.entries(isObject(states) ? states : {}).map(([key, state]) => [realKey(key), state]));
  return entries
    .filter(({ scope }) => scope !== "project" || isTrusted)
    .map(({ key, event, hash }) => {
      const state = stored.get(realKey(key));
      const { trusted_hash: trusted, enabled } = isObject(state) ? state : {};
      return { key, event, hash, trusted: trusted === hash, enabled: enabled !== false };
    });
}
