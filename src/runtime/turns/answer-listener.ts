import type { ChainListener } from "../../model/calls/chain.ts";
import type { Model, ModelDelta } from "../../model/model.ts";
import type { RunEventBody } from "../events/run-events.ts";
import { modelNoticeListener } from "../stream/model-notices.ts";
import { report } from "../stream/runtime.ts";
import type { Turn } from "../stream/stream-state.ts";
import { callReport, toolReport } from "../tool-calls/pending-call.ts";

/** Pieces that are joined: an event for each token would take a hundred times the token's size. */
const JOIN_AFTER = 256;

/** Events that are held back. Successive pieces of text become one event. */
class HeldEvents {
  readonly #events: RunEventBody[] = [];
  #text: TextEvent | undefined;
  #pieces: string[] = [];

  add(event: RunEventBody): void {
    const isText = event.type === "agent_choice" || event.type === "agent_choice_reasoning";
    if (!isText || this.#text?.type !== event.type || this.#pieces.length === JOIN_AFTER) this.#join();
    if (!isText) {
      this.#events.push(event);
      return;
    }
    this.#text = event;
    this.#pieces.push(event.content);
  }

  list(): readonly RunEventBody[] {
    this.#join();
    return this.#events;
  }

  #join(): void {
    if (this.#text) this.#events.push({ ...this.#text, content: this.#pieces.join("") });
    this.#text = undefined;
    this.#pieces = [];
  }
}

/** Reports what a model streams, and when an interrupted answer starts again. */
export interface AnswerListener extends ChainListener {
  onRestart(model: Model): void;
  /**
   * Reports the events that were buffered for the agent's `response_guard` hooks. A text from the hooks replaces the text
   * and the thoughts of the answer.
   */
  release(rewritten?: string): void;
}

/**
 * Returns the listener of a turn. If the agent has `response_guard` hooks, it buffers all events until they have judged
 * the whole answer; events that are not released are never reported.
 */
export function answerListener(turn: Turn): AnswerListener {
  const {
    stream: { runtime, session },
    agent,
  } = turn;
  const isGuarded = agent.hooks.has("response_guard");
  const deltas = deltaConverter(turn);
  let held = new HeldEvents();
  let hasStreamed = false;
  return {
    onDelta: (delta) => {
      const event = deltas.eventFor(delta);
      if (isGuarded) held.add(event);
      else report(runtime, agent, event);
      hasStreamed ||= !isGuarded;
    },
    onRestart: ({ id }) => {
      if (hasStreamed) report(runtime, agent, { type: "model_restarted", session_id: session.id, model: id });
      hasStreamed = false;
      held = new HeldEvents();
      deltas.restart();
    },
    release: (rewritten) => {
      for (const event of rewritten === undefined ? held.list() : withText(held.list(), rewritten, session.id)) {
        report(runtime, agent, event);
      }
    },
    ...modelNoticeListener(runtime, session, agent),
  };
}

function withText(events: readonly RunEventBody[], content: string, sessionId: string): RunEventBody[] {
  const calls = events.filter(({ type }) => type === "partial_tool_call");
  return content === "" ? calls : [{ type: "agent_choice", content, session_id: sessionId }, ...calls];
}

/** Returns a converter of deltas to run events, which remembers the tool calls that have started. */
function deltaConverter({ stream: { session }, tools }: Turn) {
  const startedCalls = new Map<number, { id: string; name: string }>();
  const eventFor = (delta: ModelDelta): RunEventBody => {
    switch (delta.kind) {
      case "text":
        return { type: "agent_choice", content: delta.text, session_id: session.id };
      case "reasoning":
        return { type: "agent_choice_reasoning", content: delta.text, session_id: session.id };
      case "tool_call": {
        const known = startedCalls.get(delta.index);
        const { id = known?.id ?? "", name = known?.name ?? "" } = delta;
        startedCalls.set(delta.index, { id, name });
        const tool = tools.find((offered) => offered.tool.name === name)?.tool;
        return {
          type: "partial_tool_call",
          tool_call: callReport({ id, name: delta.name ?? "", arguments: delta.arguments ?? "" }),
          ...(known ? {} : { tool_definition: toolReport(name, tool) }),
        };
      }
    }
  };
  return { eventFor, restart: () => startedCalls.clear() };
}

type TextEvent = Extract<RunEventBody, { type: "agent_choice" | "agent_choice_reasoning" }>;
