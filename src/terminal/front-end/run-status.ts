import type { Agent } from "../../runtime/agent/agent.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import type { Session } from "../../runtime/session/session.ts";
import { isCostPartial } from "../../runtime/session/session-cost.ts";
import { agentOf, type Runtime } from "../../runtime/stream/runtime.ts";

/** The mode of a session in which none was chosen. */
export const DEFAULT_MODE = "default";

/** What a run uses and how it decides, as the status line shows it. Texts are not escaped. */
export interface Status {
  /** The model, or its name in the agent file and, once it is known, the model behind it. */
  model: string;
  /** Tokens of the last call. */
  tokens: number;
  /** True if the provider reported no tokens. */
  isEstimated: boolean;
  /** The size of the model's context window in tokens; 0 if unknown. */
  contextLimit: number;
  /** US dollars spent in the session, with its sub-sessions. */
  cost: number;
  /** True if the price of a model is unknown, so that `cost` is too low. */
  isCostPartial: boolean;
  mode: string;
}

/** The model that answered last, and the name that the agent's model had then. */
interface Answered {
  name: string;
  model: string;
  contextLimit: number;
}

/** What the status line shows; nothing before the run is ready. */
export interface StatusSource {
  /** Receives every event of the run. */
  see(event: RunEvent): void;
  read(): Status | undefined;
}

/** Reads the status of a run from the session and from events. */
export class RunStatus implements StatusSource {
  readonly #current: { readonly session: Session };
  /** Set once the run is ready. */
  runtime: Runtime | undefined;
  #answered: Answered | undefined;
  /** What each sub-session that ran in this process cost, and the session they belong to. */
  #children = { of: "", costs: new Map<string, number>() };

  constructor(current: { readonly session: Session }) {
    this.#current = current;
  }

  /** Takes note of the model that answers, and of what sub-sessions cost. */
  see(event: RunEvent): void {
    if (!this.runtime) return;
    const { session } = this.#current;
    const agent = agentOf(this.runtime, session);
    const name = agent.modelName;
    if (event.type === "agent_info" && event.agent_name === agent.name)
      this.#answered = { name, model: event.model, contextLimit: event.context_limit };
    if (event.type !== "token_usage") return;
    const { cost, context_limit: contextLimit, last_message: last } = event.usage;
    if (event.session_id !== session.id) this.#childCosts(session).set(event.session_id, cost ?? 0);
    else if (last) this.#answered = { name, model: last.model, contextLimit };
  }

  read(): Status | undefined {
    if (!this.runtime) return undefined;
    const { session } = this.#current;
    return {
      ...this.#modelOf(agentOf(this.runtime, session)),
      tokens: session.inputTokens + session.outputTokens,
      isEstimated: session.tokensAreEstimated === true,
      cost: this.#costOf(session),
      isCostPartial: this.#isCostPartial(this.runtime, session),
      mode: session.safetyMode ?? DEFAULT_MODE,
    };
  }

  /** True if a tool of an agent may read a file; false for tools that the agent does not have. */
  mayRead(agent: string, tool: string, path: string): boolean {
    const { workingDir } = this.#current.session;
    const tools = this.runtime?.team.agents.get(agent)?.toolsets.flatMap((toolset) => toolset.tools) ?? [];
    return tools.find(({ name }) => name === tool)?.mayRead?.(path, workingDir) ?? false;
  }

  #modelOf(agent: Agent): Pick<Status, "model" | "contextLimit"> {
    const { modelName: name } = agent;
    const answered = this.#answered?.name === name ? this.#answered : undefined;
    const models = new Set(agent.modelEndpoints.map(({ provider, model }) => `${provider}/${model}`));
    const only = models.size === 1 ? agent.chooseModel() : undefined;
    const model = answered?.model ?? only?.id;
    return {
      model: model === undefined || model === name ? name : `${name} (${model})`,
      contextLimit: answered?.contextLimit ?? only?.contextLimit ?? 0,
    };
  }

  /** Before the first call too, if no model that the agent may ask has a price. */
  #isCostPartial(runtime: Runtime, session: Session): boolean {
    if (runtime.meter.unpriced.size > 0 || isCostPartial(session.items)) return true;
    const agent = agentOf(runtime, session);
    const models = agent.modelEndpoints.map(({ provider, model }) => `${provider}/${model}`);
    return models.length > 0 && models.every((id) => agent.prices(id) === undefined);
  }

  #costOf(session: Session): number {
    const costs = new Map(this.#childCosts(session));
    addCosts(costs, session);
    return costs.values().reduce((sum, cost) => sum + cost, 0);
  }

  #childCosts({ id }: Session): Map<string, number> {
    if (this.#children.of !== id) this.#children = { of: id, costs: new Map() };
    return this.#children.costs;
  }
}

function addCosts(costs: Map<string, number>, { id, cost, items }: Session): void {
  costs.set(id, cost);
  for (const item of items) if (item.kind === "subsession") addCosts(costs, item.session);
}
