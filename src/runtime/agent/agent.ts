import type { CommandScope } from "../../config/expansion/expand.ts";
import type { JudgeFile } from "../../engine/dispatch-options.ts";
import type { DetailedResult } from "../../engine/executor.ts";
import type { CompiledHook } from "../../engine/match.ts";
import type { RulesVerdict, SessionState } from "../../engine/rules.ts";
import type { ModelChain } from "../../model/calls/chain.ts";
import type { Prices } from "../../model/catalog/cost.ts";
import type { Model, StructuredOutput } from "../../model/model.ts";
import type { ModelOffers } from "../../model/model-offers.ts";
import type { EventName, EventPayload, Lane } from "../../protocol/events.ts";
import type { ModelEndpoint } from "../../protocol/fields.ts";
import type { ToolsetChoice } from "../../tools/options.ts";
import type { Toolset } from "../../tools/tool.ts";
import type { Budget } from "../budgets/budget.ts";
import type { Permissions } from "../permissions/permissions.ts";
import type { AgentSkill } from "./skill.ts";

export interface DispatchOptions {
  /** Stops hooks when the run is cancelled; absent for events that always run to completion. */
  signal?: AbortSignal;
  /** Runs only this lane; all lanes of the event if absent. */
  lane?: Lane;
  /** Leaves out the hooks with these identities, which have seen the event already. */
  seen?: ReadonlySet<string>;
  /** Leaves out the model hooks with schema `pre_tool_use_decision`. */
  skipJudges?: boolean;
  /** What rules say about the event, if they were asked already. */
  judged?: RulesVerdict;
  /** What is known of the session, for rules. */
  session?: () => SessionState;
  /** Asks `prompt_file_guard` about a text that a hook loaded. */
  judgeFile?: JudgeFile;
  /** Receives a notice for hook output that looks intended but has no effect. */
  warn?: (message: string) => void;
  details: true;
}

/** The compiled hooks of one agent, as the runtime needs them. */
export interface Hooks {
  /** True if a hook is configured for the event, on the lane if one is given. */
  has(event: EventName, lane?: Lane): boolean;
  /** True if hooksh itself added every hook of an event: its dispatches are not reported. */
  hasOnlyImplicitHooks?(event: EventName): boolean;
  /** The configured hooks; absent if unknown. */
  readonly hooks?: readonly CompiledHook[];
  /** Judges an event by the rules alone; absent if there are none. */
  judgeByRules?<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: { session: () => SessionState },
  ): Promise<RulesVerdict | undefined>;
  /** Adds an event that was not denied to what rules know of its session. */
  recordForRules?<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: { session: () => SessionState },
  ): Promise<void>;
  /** Asks the rules and runs every matching hook. Never throws because of a hook. */
  dispatch<E extends EventName>(
    event: E,
    payload: EventPayload<E>,
    options: DispatchOptions,
  ): Promise<
    Pick<DetailedResult<E>, "result" | "deciders"> &
      Partial<Pick<DetailedResult<E>, "redacted" | "rejection" | "rewriters" | "rules">>
  >;
}

/** Limits of a run. Where a limit does not say otherwise, 0 means the default, or no limit if there is no default. */
export interface AgentLimits {
  maxIterations: number;
  maxConsecutiveToolCalls: number;
  /** How often `stop_guard`, and `response_guard`, may send the agent back for one message; 0 means never. */
  maxGuardRetries: number;
  historyItems: number;
  oldToolCallTokens: number;
  toolResultTokens: number;
}

export const NO_LIMITS: AgentLimits = {
  maxIterations: 0,
  maxConsecutiveToolCalls: 0,
  maxGuardRetries: 8,
  historyItems: 0,
  oldToolCallTokens: 0,
  toolResultTokens: 0,
};

/** How an agent's conversation is compacted. */
export interface CompactionSettings {
  /** Enables automatic compaction; a compaction that the user asks for always runs. */
  enabled: boolean;
  /** The part of the window that may fill; the default replaces values outside (0, 1]. */
  threshold?: number;
  /** Writes summaries instead of the agent's own model. */
  model?: Model;
}

const DEFAULT_COMPACTION_THRESHOLD = 0.9;

/** Returns the part of the window that may fill before a compaction. */
export function compactionThreshold({ threshold }: CompactionSettings): number {
  return threshold !== undefined && threshold > 0 && threshold <= 1 ? threshold : DEFAULT_COMPACTION_THRESHOLD;
}

/** A slash command: a short name for a text that the user sends often. */
export interface AgentCommand {
  readonly description: string;
  /** The agent that answers from then on. */
  readonly agent?: string;
  /** Shown to the user instead of sending a text; `{{session_id}}` is replaced by the session's id. */
  readonly url?: string;
  /** Returns the text to send, given what was typed after the name; empty if there is none. Never throws. */
  expand(typed: string, callTool: CommandScope["callTool"]): Promise<string>;
}

/** An agent that is ready to run. */
export interface Agent {
  readonly name: string;
  readonly description: string;
  /** The system prompt after its own expansion. */
  readonly instruction: string;
  /** In configuration order; read again before every model call, so a toolset may replace its tools. */
  readonly toolsets: readonly Toolset[];
  readonly hooks: Hooks;
  /** Returns the model of the next turn, drawn from the pool if the agent has one. Called once per turn. */
  chooseModel(): Model;
  /**
   * Makes the agent use another model from its next turn on: a name of the file or `provider/model`. Returns its id.
   * Throws a `ConfigError` if the model is unknown or its key is missing. Absent if the model cannot be changed.
   */
  useModel?(reference: string): string;
  /** The models that {@link useModel} could take. */
  readonly offers?: ModelOffers;
  /** The id of the agent's model; the name in the agent file if that selects one of several models. */
  readonly modelName: string;
  /** Calls a model with the agent's retries and fallbacks. */
  readonly models: ModelChain;
  /** Returns the model for the one call after a batch that used the tool, if its toolset names one. */
  modelAfter?(toolName: string): Model | undefined;
  /** For `from_agent_models`. */
  readonly modelEndpoints: readonly ModelEndpoint[];
  /** Returns the prices of a model; undefined if unknown, or if usage is not tracked. */
  prices(modelId: string): Prices | undefined;
  readonly limits: AgentLimits;
  /** What it draws from, shared with other agents. */
  readonly budgets?: readonly Budget[];
  readonly compaction: CompactionSettings;
  /** The agents that `transfer_task` accepts. */
  readonly subAgents: readonly string[];
  /** Set if its sub-agents may also work in the background: which tools for that are offered. */
  readonly background?: ToolsetChoice;
  readonly skills?: readonly AgentSkill[];
  /** Slash commands by name. */
  readonly commands?: ReadonlyMap<string, AgentCommand>;
  /** The agents that `handoff` accepts. */
  readonly handoffs: readonly string[];
  /** The agents that hooks may route to. */
  readonly routes?: readonly string[];
  /** The agent that takes over whenever this one has answered. */
  readonly forceHandoff?: string;
  /** The program that the agent's `harness` names. hooksh starts no such program, so the agent never runs. */
  readonly harness?: string;
  readonly structuredOutput?: StructuredOutput;
  readonly welcomeMessage?: string;
}

/** Returns why an agent cannot run; undefined if it can. */
export function cannotRun({ name, harness }: Pick<Agent, "name" | "harness">): string | undefined {
  return harness === undefined
    ? undefined
    : `agent ${JSON.stringify(name)} runs in ${harness} (harness), which hooksh does not start; give it a model instead of harness`;
}

/** True if the agent has a hook that may route to another agent. */
export function hasSelector({ hooks }: Pick<Agent, "hooks">): boolean {
  return hooks.has("before_agent_run") || hooks.has("after_agent_complete");
}

/** Returns why an agent cannot work outside of a routed conversation; undefined if it can. */
export function needsRouting(agent: Pick<Agent, "name" | "hooks">): string | undefined {
  return hasSelector(agent)
    ? `agent ${JSON.stringify(agent.name)} declares before_agent_run/after_agent_complete routing hooks, which are supported only in a root conversation whose entry agent declares routing hooks`
    : undefined;
}

/** The agents of one configuration. */
export interface Team {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly startAgent: string;
  /** Rules of the agent file merged with those of the user's settings. */
  readonly permissions: Permissions;
  /** The same rules by the name of the file that holds them; absent if that is unknown. */
  readonly permissionSources?: ReadonlyMap<string, Permissions>;
}
