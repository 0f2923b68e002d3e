import { fileOf } from "../../audit/entry.ts";
import { buildDetails } from "../../cli/build-details.ts";
import { homeDirectory } from "../../lib/env.ts";
import { counted, onlyObserving } from "../../lib/text/counted.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { Runtime } from "../../runtime/stream/runtime.ts";
import { agentOf } from "../../runtime/stream/runtime.ts";

/** Maximum number of places that are named; further ones are only counted. */
const NAMED_SOURCES = 3;

/**
 * Returns what a run is about to work with, a line each: version, agent, model and tools; the active hooks, where they
 * are configured, and how many of them only observe; the directory and the safety mode; how to get help.
 */
export async function bannerLines(runtime: Runtime, session: Session): Promise<string[]> {
  const agent = agentOf(runtime, session);
  const tools = agent.toolsets.reduce((sum, toolset) => sum + toolset.tools.length, 0);
  const mode = session.safetyMode ?? "only tools that read run without asking";
  return [
    `hooksh ${buildDetails().version} · ${escapeControls(agent.name)} · ${escapeControls(agent.chooseModel().id)} · ${counted(tools, "tool")}`,
    await hooksLine(agent.hooks.hooks ?? []),
    `${escapeControls(shortPath(session.workingDir))} · safety: ${escapeControls(mode)}`,
    "/help shows the commands, ? the keys",
  ];
}

type CompiledHooks = NonNullable<ReturnType<typeof agentOf>["hooks"]["hooks"]>;

/** Returns the line about hooks: `5 hooks in force (agent.yaml 3, hooks.d/x.yaml 2), 1 of them only observes`. */
async function hooksLine(hooks: CompiledHooks): Promise<string> {
  const own = hooks.filter(({ entry }) => !entry.implicit);
  if (own.length === 0) return "no hooks in force";
  const counts = new Map<string, number>();
  for (const { entry } of own) {
    const place = shortPath(fileOf(await entry.source()));
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const places = [...counts].map(([place, count]) => `${escapeControls(place)} ${count}`);
  const more = places.length > NAMED_SOURCES ? [`${places.length - NAMED_SOURCES} more places`] : [];
  const observers = own.filter(({ entry }) => entry.hook.mode === "observe").length;
  return `${counted(own.length, "hook")} in force (${[...places.slice(0, NAMED_SOURCES), ...more].join(", ")})${onlyObserving(observers)}`;
}

/** Returns a path with `~` in place of the home directory. */
export function shortPath(path: string): string {
  const home = homeDirectory();
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
