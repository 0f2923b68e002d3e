import { relative, resolve } from "node:path";
import { warn } from "../cli/print.ts";
import type { LoadedAgentHooks } from "../config/agent/agent-hooks.ts";
import { checkRouting } from "../config/agent/check-routing.ts";
import { guardPolicy } from "../config/hooks/guard-policy.ts";
import {
  asHooksDocument,
  hooksOfAgent,
  loadHooksBlock,
  loadHooksDocument,
  loadUserHooks,
  rulesOfAgent,
  withEvaluators,
  withoutRules,
} from "../config/hooks/hook-sources.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { documentsOf, loadRules, type PlacedRule } from "../config/rules/load-rules.ts";
import { type Document, type Path, problemsError, readDocument } from "../config/yaml/document.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";

/** The hooks that a test file is about. */
export interface TestHooks {
  entries: readonly HookEntry[];
  rules: readonly PlacedRule[];
  /** The agent, if `hooks` names an agent file. */
  agent?: LoadedAgentHooks;
  /** The absolute paths of the files that hold them. */
  files: readonly string[];
}

/** The part of a test file that names its hooks. */
export interface HooksOfTest {
  /** The test file. */
  document: Document;
  /** The absolute folder of the test file. */
  directory: string;
  /** The value of `hooks`: a path, a hooks block, or a list of those. */
  hooks: unknown;
  /** The agent in the agent file. Default: the first. */
  agent: string | undefined;
  /** Whether the user's own hooks run, too. */
  userHooks: boolean;
  directories: Directories;
}

/**
 * Loads the hooks of a test file, in the order in which it names them. Throws a {@link ConfigError} with the problems of
 * the files, or with the place in the test file.
 */
export async function loadTestHooks(test: HooksOfTest): Promise<TestHooks> {
  const { hooks, directories } = test;
  const user = await loadUserHooks({ directories, warn, noUserHooks: !test.userHooks });
  const sources: unknown[] = Array.isArray(hooks) ? hooks : [hooks];
  const loaded = await Promise.all(
    sources.map((source, index) => loadSource(source, Array.isArray(hooks) ? ["hooks", index] : ["hooks"], test)),
  );
  const agents = loaded.flatMap(({ agent }) => agent ?? []);
  if (agents.length > 1) await fail(test.document, ["hooks"], "names more than one agent file");
  const [agent] = agents;
  if (!agent && test.agent !== undefined) await fail(test.document, ["agent"], "hooks names no agent file");
  if (agent) await checkRouting(agent.file, user.entries);
  const own = await Promise.all(
    loaded.map((source) =>
      source.agent
        ? hooksOfAgent(source.agent, { entries: [], snapshot: false })
        : withEvaluators([...source.entries], agent),
    ),
  );
  const place = { workingDir: test.directory, env: processEnv() };
  const users = await withEvaluators(user.entries, agent);
  const rules = (
    await Promise.all(loaded.map((source) => (source.agent ? rulesOfAgent(source.agent, { rules: [] }) : source.rules)))
  ).flat();
  rules.push(...user.rules);
  return {
    entries: await guardPolicy([...own.flat(), ...users], documentsOf(rules), place),
    rules,
    ...(agent ? { agent } : {}),
    files: loaded.flatMap(({ file }) => file ?? []),
  };
}

interface LoadedSource {
  entries: readonly HookEntry[];
  rules: readonly PlacedRule[];
  agent?: LoadedAgentHooks;
  file?: string;
}

async function loadSource(source: unknown, at: Path, test: HooksOfTest): Promise<LoadedSource> {
  if (typeof source !== "string") {
    const document = { ...test.document, directory: test.directory };
    return {
      entries: await loadHooksBlock(document, at, withoutRules(source)),
      rules: await loadRules({ document, path: at, value: source }),
    };
  }
  const file = resolve(test.directory, source);
  const shown = displayPath(file);
  const document = await readDocument(file, shown).catch((error: unknown) => {
    if (error instanceof ConfigError && error.cause !== undefined) return fail(test.document, at, error.message);
    throw error;
  });
  const value = document.value;
  if (isObject(value) && Object.hasOwn(value, "agents")) {
    const names = isObject(value["agents"]) ? Object.keys(value["agents"]) : [];
    if (test.agent !== undefined && names.length > 0 && !names.includes(test.agent))
      await fail(
        test.document,
        ["agent"],
        `${shown} has no agent ${JSON.stringify(test.agent)}; it has ${names.join(", ")}`,
      );
    const { loadAgentHooks } = await import("../config/agent/agent-hooks.ts");
    const { directories } = test;
    const agent = await loadAgentHooks(shown, test.agent, { directories, cwd: process.cwd(), warn });
    for (const line of agent.unenforced) warn(line);
    return { entries: [], rules: [], agent, file };
  }
  const settings = isObject(value) && isObject(value["settings"]) ? value["settings"] : undefined;
  if (!settings) return { ...(await loadHooksDocument(asHooksDocument(document))), file };
  return {
    entries: await loadHooksBlock(document, ["settings", "hooks"], settings["hooks"]),
    rules: await loadRules({ document, path: ["settings"], value: settings }),
    file,
  };
}

/** A path as messages show it: relative to the current directory, unless the file is outside of it. */
export function displayPath(path: string): string {
  const shown = relative(process.cwd(), path);
  return shown.startsWith("..") || shown === "" ? path : shown;
}

async function fail(document: Document, path: Path, message: string): Promise<never> {
  throw await problemsError(document, [{ path, message }]);
}
