import { isTerminalLike } from "../../cli/print.ts";
import { EVENTS_RUN_WITH, type HostCall } from "../../dialects/dialect.ts";
import { canBlock } from "../../dialects/encode.ts";
import { toOwnPatch } from "../../dialects/tools.ts";
import type { HookDetail } from "../../engine/dispatch-record.ts";
import type { DispatchOptions, Executor } from "../../engine/executor.ts";
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
  /** The details of the hooks that gave the verdict. */
  deciders: () => Promise<HookDetail[]>;
}

/**
 * Runs the hooks of every event that a host's event is, in order; each sees what those before it rewrote. A denial ends
 * the row. Throws a {@link UserError} if the payload is not a valid event.
 */
export async function judgeCall(
  executor: Executor,
  call: HostCall,
  { defaults, ...options }: DispatchOptions & { defaults: Payload },
): Promise<Judged[]> {
  const judged: Judged[] = [];
  let rewritten: Payload = {};
  for (const { event: decoded, payload } of call.events) {
    for (const event of eventsWith(decoded, executor)) {
      const input = parseInput({ ...defaults, ...payload, ...rewritten, hook_event_name: event });
      if (typeof input === "string") throw new UserError(input);
      if (isTerminalLike(2)) noteIfUnjudged(executor, { hook_event_name: event });
      const { tool } = call;
      const detailed = await executor.dispatch(event, input as EventPayload<EventName>, {
        ...options,
        details: true,
        canBlock: canBlock(call.row, call.payload, event),
        ...(tool ? { toolNames: tool.names, readPatch: (patch) => toOwnPatch(tool, patch) } : {}),
      });
      const result: AnyResult = detailed.result;
      judged.push({ event, result, details: detailed.details, deciders: detailed.deciders });
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
