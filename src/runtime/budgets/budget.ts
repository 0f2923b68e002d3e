import { formatDuration } from "../../lib/text/duration.ts";
import { roundedCost } from "../../model/catalog/cost.ts";
import type { Usage } from "../../model/messages/message.ts";

/** A limit that has been reached: the flag, or the key of the agent file, that sets it, and what the run has used. */
export interface ReachedLimit {
  flag: string;
  message: string;
}

/** What a budget of an agent file limits; an absent limit, and zero, do not apply. */
export interface BudgetLimits {
  /** In US dollars. */
  max_cost?: number | undefined;
  /** Tokens of requests and replies. */
  max_tokens?: number | undefined;
  /** Milliseconds of work: the time between turns does not count. */
  max_time?: number | undefined;
}

type LimitName = keyof BudgetLimits;

const LIMIT_NAMES: readonly LimitName[] = ["max_cost", "max_tokens", "max_time"];

/** One pot of an agent file, shared by all agents that draw from it, in every session of the run. */
export class Budget {
  /** Its place in the file: `budget`, `budgets.NAME`, `models.NAME.task_budget`. */
  readonly name: string;
  readonly #counts: (model: string) => boolean;
  readonly #limits: BudgetLimits;
  /** What may be used: the limits, and what the user has granted since. */
  readonly #granted: Record<LimitName, number>;
  readonly #used: Record<LimitName, number> = { max_cost: 0, max_tokens: 0, max_time: 0 };
  readonly #unpriced = new Set<string>();
  readonly #uncounted = new Set<string>();
  #calls = 0;
  #turns = 0;
  #since = 0;

  /** `counts` says of which models the calls count: of all if it is absent. */
  constructor(name: string, limits: BudgetLimits, counts: (model: string) => boolean = () => true) {
    this.name = name;
    this.#counts = counts;
    this.#limits = limits;
    const { max_cost = 0, max_tokens = 0, max_time = 0 } = limits;
    this.#granted = { max_cost, max_tokens, max_time };
  }

  /** True if it limits the cost, so that every model must have a price. */
  get limitsCost(): boolean {
    return this.#granted.max_cost > 0;
  }

  /** Counts a model call; what is undefined is unknown. */
  addCall(model: string, usage: Usage | undefined, cost: number | undefined): void {
    if (!this.#counts(model)) return;
    this.#calls++;
    if (cost === undefined) this.#unpriced.add(model);
    else this.#used.max_cost += cost;
    if (!usage) this.#uncounted.add(model);
    const { input_tokens, output_tokens, cached_input_tokens, cached_write_tokens } = usage ?? {};
    for (const count of [input_tokens, output_tokens, cached_input_tokens, cached_write_tokens]) {
      this.#used.max_tokens += Math.max(0, count ?? 0);
    }
  }

  /** Runs a turn, whose time counts; turns at the same time count once. */
  async during<T>(turn: () => Promise<T>): Promise<T> {
    if (this.#turns++ === 0) this.#since = performance.now();
    try {
      return await turn();
    } finally {
      this.#used.max_time = this.#time();
      this.#since = performance.now();
      this.#turns--;
    }
  }

  /** Returns the limit that forbids another turn, if there is one. The first call of a run is never forbidden. */
  reached(): ReachedLimit | undefined {
    const name = this.#calls === 0 ? undefined : LIMIT_NAMES.find((each) => this.#isReached(each));
    if (!name) return undefined;
    const key = this.name.endsWith(TASK_BUDGET) ? this.name : `${this.name}.${name}`;
    return { flag: `${key} ${this.#written(name)}`, message: this.#spent(name) };
  }

  /** Grants what the budget had at first once more, for every limit that is reached: the user wants to go on. */
  extend(): void {
    for (const name of LIMIT_NAMES.filter((each) => this.#isReached(each))) {
      this.#granted[name] = this.#now(name) + (this.#limits[name] ?? 0);
    }
    this.#unpriced.clear();
    this.#uncounted.clear();
  }

  #isReached(name: LimitName): boolean {
    return this.#granted[name] > 0 && (this.#unknown(name).size > 0 || this.#now(name) >= this.#granted[name]);
  }

  /** The models that did not say what a limit counts. */
  #unknown(name: LimitName): ReadonlySet<string> {
    return name === "max_cost" ? this.#unpriced : name === "max_tokens" ? this.#uncounted : NONE;
  }

  #now(name: LimitName): number {
    return name === "max_time" ? this.#time() : this.#used[name];
  }

  #time(): number {
    return this.#used.max_time + (this.#turns > 0 ? performance.now() - this.#since : 0);
  }

  #written(name: LimitName): string {
    const limit = this.#limits[name] ?? 0;
    return name === "max_time" ? formatDuration(limit) : String(limit);
  }

  #spent(name: LimitName): string {
    const unknown = [...this.#unknown(name)].join(", ");
    if (unknown !== "" && name === "max_cost")
      return `the cost so far is unknown: ${unknown} has no price or reported no tokens`;
    if (unknown !== "") return `the tokens so far are unknown: ${unknown} reported none`;
    if (name === "max_cost") return `$${roundedCost(this.#used.max_cost)} is spent`;
    if (name === "max_tokens") return `${this.#used.max_tokens} tokens are used`;
    return `the work has taken ${formatDuration(Math.round(this.#time() / 1000) * 1000)}`;
  }
}

/** The end of the name of a budget that is one number of tokens. */
export const TASK_BUDGET = ".task_budget";

const NONE: ReadonlySet<string> = new Set();
