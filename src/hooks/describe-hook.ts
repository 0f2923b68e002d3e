import { asksForVerdict, displayName, type HookEntry } from "../config/hooks/read-hooks.ts";
import { isForeignScript } from "../dialects/script-events.ts";
import {
  type FailurePolicy,
  failurePolicy,
  isDeclaredRewriter,
  observesOnly,
  type Stage,
  stageOf,
  timeoutSeconds,
} from "../engine/hook-policy.ts";
import type { Registry } from "../engine/registry.ts";
import { type EventName, type Lane, laneContract } from "../protocol/events.ts";

/** A configured hook as `hooks list` shows it. */
export interface HookDescription {
  event: EventName;
  lane: Lane;
  /** The matcher; absent on events without a tool call. */
  matcher?: string;
  name: string;
  type: string;
  /** The dialect of the hook; absent for hooksh's own. */
  dialect?: string;
  /** Where the hook is configured: `file:line`, a flag or a setting. */
  source: string;
  stage: Stage;
  timeout_seconds: number;
  on_failure: FailurePolicy;
  /** The hook only observes: it runs, and its verdict has no effect. */
  mode?: "observe";
  /** Present on a model hook that judges tool calls; in the default lane, an allow rule answers in its place. */
  judge?: true;
}

/** Describes a configured hook. Locating it in its file may load a parser. */
export async function describeHook(entry: HookEntry, registry: Registry): Promise<HookDescription> {
  const { event, lane, matcher, hook } = entry;
  const contract = laneContract(event, lane);
  return {
    event,
    lane,
    ...(contract.matcher ? { matcher: matcher || "*" } : {}),
    name: displayName(hook),
    type: hook.type,
    ...(isForeignScript(hook) ? { dialect: hook.dialect } : {}),
    source: await entry.source(),
    stage: stageOf(contract, lane, isDeclaredRewriter(entry, registry)),
    timeout_seconds: timeoutSeconds(hook),
    on_failure: failurePolicy(contract, hook),
    ...(observesOnly(hook) ? { mode: "observe" } : {}),
    ...(contract.matcher && asksForVerdict(hook) ? { judge: true } : {}),
  };
}
