import type { CommandScope } from "../../config/expansion/expand.ts";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import type { DetailedResult } from "../../engine/executor.ts";
import type { ModelChain } from "../../model/calls/chain.ts";
import type { Prices } from "../../model/catalog/cost.ts";
import type { Model, StructuredOutput } from "../../model/model.ts";
import type { EventName, EventPayload, Lane } from "../../protocol/events.ts";
import type { ModelEndpoint } from "../../protocol/fields.ts";
import type { ToolsetChoice } from "../../tools/options.ts";
import type { Toolset } from "../../tools/tool.ts";
import type { AgentSkill } from "../skills/skill.ts";
import type { Permissions } from "../tool-calls/permissions.ts";

/** How a dispatch is made. */
export interface DispatchOptions {
  /** Ends the hooks when the run is cancelled; absent for the events that always run to completion. */
  signal?: AbortSignal;
  /** Only this lane; without it every lane of the event. */
  lane?: Lane;
  /** Leaves out the model hooks with schema `pre_tool_use_decision`. */
  skipJudges?: boolean;
  /** Receives what hooks printed that looks meant and has no effect. */
  warn?: (message: string) => void;
  details: true;
}

/** The compiled hooks of one agent, as the runtime needs them. */
export interface Hooks {
  /** True when a hook is configured for the event, on the lane if one is given. */
  has(event: EventName, lane?: Lane): boolean;
  /** True if hooksh itself added every hook of an event: its dispatches are not reported. */
  hasOnlyImplicitHooks?(event: EventName): boolean;
  /** All that is configured; absent when nothing is known of it. */
  readonly hooks?: readonly { readonly entry: Pick<HookEntry, "event" | "hook"> }[];
  /** Asks every matching hook. Never throws for what a hook did. */
  dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions,
  ): Promise<Pick<DetailedResult<E>, "result" | "deciders"> & Partial<Pick<DetailedResult<E>, "redacted">>>;
}

/** Bounds of a run; 0 means the default, or no bound where there is none. */
export interface AgentLimits {
  maxIterations: number;
  maxConsecutiveToolCalls: number;
  historyItems: number;
  oldToolCallTokens: number;
  toolResultTokens: number;
}

/** Bounds for an agent that sets none. */
export const NO_LIMITS: AgentLimits = {
  maxIterations: 0,
  maxConsecutiveToolCalls: 0,
  historyItems: 0,
  oldToolCallTokens: 0,
  toolResultTokens: 0,
};

/** How an agent's conversation is compacted. Source: runtime 11. */
export interface CompactionSettings {
  /** Switches the automatic triggers; a compaction the user asks for always runs. */
  enabled: boolean;
  /** The part of the window that may fill; outside (0, 1] it is the default. */
  threshold?: number;
  /** Summarises in place of the agent's own model. */
  model?: Model;
}

const DEFAULT_COMPACTION_THRESHOLD = 0.9;

/** Returns the part of the window that may fill before a compaction. */
export function compactionThreshold({ threshold }: CompactionSettings): number {
  return threshold !== undefined && threshold > 0 && threshold <= 1 ? threshold : DEFAULT_COMPACTION_THRESHOLD;
}

/** What stands for a text that is typed often. Source: config-and-cli 4.11. */
export interface AgentCommand {
  readonly description: string;
  /** The agent that answers from then on. */
  readonly agent?: string;
  /** Shown to the user, and nothing else happens; `{{session_id}}` stands for the session's id. */
  readonly url?: string;
  /** The text to be sent, for what was typed after the name; empty when there is none. Never throws. */
  expand(typed: string, callTool: CommandScope["callTool"]): Promise<string>;
}

/** Everything the runtime knows of an agent; nothing here is read from a file by the runtime. */
export interface Agent {
  readonly name: string;
  readonly description: string;
  /** The system prompt after its own expansion. */
  readonly instruction: string;
  /** In configuration order; read anew before every model call, so a toolset may replace its tools. */
  readonly toolsets: readonly Toolset[];
  readonly hooks: Hooks;
  /** The model of the next turn; drawn from the pool where the agent has one. Asked once a turn. */
  chooseModel(): Model;
  /** Calls a model with the agent's retries and fallbacks behind it. */
  readonly models: ModelChain;
  /** The model for the one call after a batch that used the tool, where its toolset names one. */
  modelAfter?(toolName: string): Model | undefined;
  /** For `from_agent_models`. */
  readonly modelEndpoints: readonly ModelEndpoint[];
  /** The prices of a model; undefined when unknown, or when usage is not tracked. */
  prices(modelId: string): Prices | undefined;
  readonly limits: AgentLimits;
  readonly compaction: CompactionSettings;
  /** Names of the agents `transfer_task` may name. */
  readonly subAgents: readonly string[];
  /** Set when its sub-agents may also work in the background: which of those tools are offered. */
  readonly background?: ToolsetChoice;
  readonly skills?: readonly AgentSkill[];
  /** Slash commands by name. */
  readonly commands?: ReadonlyMap<string, AgentCommand>;
  /** Names of the agents `handoff` may name. */
  readonly handoffs: readonly string[];
  /** Takes over after every natural stop. */
  readonly forceHandoff?: string;
  readonly structuredOutput?: StructuredOutput;
  readonly welcomeMessage?: string;
}

/** The agents of one configuration. */
export interface Team {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly startAgent: string;
  /** Rules of the agent file merged with those of the user's settings. */
  readonly permissions: Permissions;
}
