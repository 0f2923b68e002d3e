import type { HookDefinition } from "../config/hooks/read-hooks.ts";
import { redactionRole } from "../engine/hook-policy.ts";
import { type CompiledHook, type HookMatch, matchHooks } from "../engine/match.ts";
import { loadsPromptFiles } from "../engine/prompt-files.ts";
import type { Registry } from "../engine/registry.ts";
import { processEnv, resolveDirectories } from "../lib/env.ts";
import { omitEmpty } from "../lib/json.ts";
import type { BuiltinInput, RedactedKinds } from "../protocol/builtin.ts";
import type { EventName, Lane } from "../protocol/events.ts";
import { describeHook, type HookDescription } from "./describe-hook.ts";

/** The lanes in the order in which they run. */
export const LANES = ["preempt", "default"] as const satisfies readonly Lane[];

/** The query of `hooksh explain`: an event, the names of its tool, and the lanes to explain. */
export interface HookQuery {
  event: EventName;
  /** Empty for an event without a tool. */
  names: readonly string[];
  lanes: readonly Lane[];
  /** Where the hooks of the event's agent may route to, on an event that routes. */
  routes?: readonly string[];
  /** The event itself, if it was given. */
  input?: BuiltinInput;
}

/** A hook and whether it would run. */
export type ExplainedHook = HookDescription & (Running | NotRunning);

interface Running {
  runs: true;
  /** Hooks of the same step run concurrently; each step waits for the one before. */
  step: number;
  /** The secrets that `redact_secrets` would replace in the given event; absent if it would replace none. */
  redacts?: RedactedKinds;
}

interface NotRunning {
  runs: false;
  /** `loaded_files`: it judges what a hook that runs loads. */
  why: "other_event" | "other_lane" | "matcher" | "duplicate" | "loaded_files";
  /** The hook it is a duplicate of: its name and source. */
  of?: string;
}

/**
 * Returns for each hook, in configuration order, whether it would run, in which step, and if not, why. Runs no hook.
 */
export async function explainHooks(
  hooks: readonly CompiledHook[],
  query: HookQuery,
  registry: Registry,
): Promise<ExplainedHook[]> {
  const { event, names, lanes } = query;
  const byLane = new Map(lanes.map((lane) => [lane, matchHooks(hooks, event, lane, names)]));
  const described = await Promise.all(hooks.map(({ entry }) => describeHook(entry, registry)));
  const loads = hooks.some(({ entry }, index) => byLane.get(entry.lane)?.[index]?.runs && loadsPromptFiles(entry));
  const verdicts = hooks.map((hook, index): HookMatch => {
    const verdict = byLane.get(hook.entry.lane)?.[index];
    if (verdict) return verdict;
    return { runs: false, why: hook.entry.event === event ? "other_lane" : "other_event" };
  });
  const steps = stepsOf(described.map((hook, index) => (verdicts[index]?.runs ? hook : undefined)));
  const redacts = await Promise.all(
    hooks.map(({ entry }, index) => (verdicts[index]?.runs ? redactedBy(entry.hook, query) : undefined)),
  );
  return described.map((hook, index): ExplainedHook => {
    const verdict = verdicts[index];
    if (!verdict || verdict.runs)
      return { ...hook, runs: true, step: steps[index] ?? 1, ...omitEmpty({ redacts: redacts[index] }) };
    if (loads && hook.event === "prompt_file_guard") return { ...hook, runs: false, why: "loaded_files" };
    if (verdict.why !== "duplicate") return { ...hook, ...verdict };
    const first = described[hooks.indexOf(verdict.of)];
    return { ...hook, runs: false, why: "duplicate", of: `${first?.name ?? ""} (${first?.source ?? ""})` };
  });
}

/**
 * Returns the secrets that `redact_secrets` would replace in the given event. The builtin has no side effects, so it is
 * safe to call here.
 */
async function redactedBy(hook: HookDefinition, { input }: HookQuery): Promise<RedactedKinds | undefined> {
  if (!input || redactionRole(hook) !== "does") return undefined;
  const { run } = await import("../../builtins/redact_secrets.ts");
  let kinds: RedactedKinds | undefined;
  const env = processEnv();
  await run(input, hook.args, {
    signal: new AbortController().signal,
    env,
    directories: resolveDirectories({}, env),
    memory: (make) => make(),
    log: () => {},
    redacted: (counted) => void (kinds = counted),
  });
  return kinds;
}

/**
 * Returns the step of each hook that runs: the hooks of the preempt lane run concurrently, then the rewriting hooks one
 * by one, then the rest concurrently.
 */
function stepsOf(running: readonly (HookDescription | undefined)[]): (number | undefined)[] {
  const afterPreempt = running.some((hook) => hook?.stage === "preempt") ? 2 : 1;
  const rewriters = running.filter((hook) => hook?.stage === "rewrite");
  return running.map((hook) => {
    if (hook?.stage === "rewrite") return afterPreempt + rewriters.indexOf(hook);
    return hook && (hook.stage === "preempt" ? 1 : afterPreempt + rewriters.length);
  });
}
