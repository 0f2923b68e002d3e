import { isTerminalLike } from "../../cli/print.ts";
import { EVENTS_RUN_WITH, type HostCall } from "../../dialects/dialect.ts";
import { canBlock } from "../../dialects/encode.ts";
import { toOwnPatch } from "../../dialects/tools.ts";
import type { HookDetail } from "../../engine/dispatch-record.ts";
import type { DispatchOptions, Executor } from "../../engine/executor.ts";
import type { RuleHit, RulesVerdict } from "../../engine/rules.ts";
import { rulesDeny } from "../../engine/rules.ts";
import { UserError } from "../../lib/errors.ts";
import type { EventName, EventPayload } from "../../protocol/events.ts";
import { parseInput } from "../../protocol/input.ts";
import type { AnyResult } from "../../protocol/result.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { noteIfUnjudged } from "./open-hooks.ts";

/** One event of hooksh that was judged. */
export interface Judged {
  event: EventName;
  result: AnyResult;
  details: () => Promise<HookDetail[]>;
  /** The rules that hit; absent if none is on the event. */
  rules?: readonly RuleHit[];
  /** The details of the hooks that gave the verdict. */
  deciders: () => Promise<HookDetail[]>;
}

/**
 * Judges every event that a host's event is by rules and hooks, in order; each sees what those before it rewrote. A denial
 * ends the row. The rules on a tool call come before the hooks on `tool_guard`. Throws a {@link UserError} if the payload is not a valid event.
 */
export async function judgeCall(
  executor: Executor,
  call: HostCall,
  { defaults, ...options }: DispatchOptions & { defaults: Payload },
): Promise<Judged[]> {
  const judged: Judged[] = [];
  let rewritten: Payload = {};
  const { tool } = call;
  const toolNames = tool?.names ?? [];
  for (const { event: decoded, payload } of call.events) {
    let ruled: RulesVerdict | undefined;
    for (const event of eventsWith(decoded, executor)) {
      const input = parseInput({ ...defaults, ...payload, ...rewritten, hook_event_name: event });
      if (typeof input === "string") throw new UserError(input);
      if (isTerminalLike(2)) noteIfUnjudged(executor, { hook_event_name: event });
      if (event === "tool_guard") {
        ruled = await executor.judgeByRules<EventName>("pre_tool_use", input as EventPayload<EventName>, { toolNames });
        if (rulesDeny(ruled)) continue;
      }
      const detailed = await executor.dispatch(event, input as EventPayload<EventName>, {
        ...options,
        details: true,
        canBlock: canBlock(call.row, call.payload, event),
        ...(tool ? { toolNames, readPatch: (patch) => toOwnPatch(tool, patch) } : {}),
        ...(event === "pre_tool_use" && ruled ? { judged: ruled } : {}),
      });
      const result: AnyResult = detailed.result;
      const { details, deciders, rules } = detailed;
      judged.push({ event, result, details, deciders, ...(rules ? { rules: rules.hits } : {}) });
      if (!result.allowed) return judged;
      rewritten = { ...rewritten, ...rewrites(result) };
    }
  }
  return judged;
}

function eventsWith(event: EventName, executor: Executor): readonly EventName[] {
  return (EVENTS_RUN_WITH[event] ?? [event]).filter((name) => name === event || executor.has(name));
}

function rewrites({ modified_input: input, updated_tool_response: response }: AnyResult): Payload {
  return {
    ...(input === undefined ? {} : { tool_input: input }),
    ...(response === undefined ? {} : { tool_response: response }),
  };
}
