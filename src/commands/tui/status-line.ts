import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { RunEvent } from "../../runtime/run-events.ts";
import type { Theme } from "./theme.ts";

const SEPARATOR = " · ";

/** What the status line shows besides the events of the run. */
export interface StatusFacts {
  /** The safety mode. */
  mode: () => string | undefined;
  /** The git branch of the working directory. */
  branch: () => string | undefined;
}

/** The row below the input line: model, tokens, share of the context, cost, safety mode, branch; or a hint. */
export class StatusLine implements Component {
  hint: string | undefined;
  readonly #facts: StatusFacts;
  readonly #theme: () => Theme;
  #model = "";
  #usage: Extract<RunEvent, { type: "token_usage" }>["usage"] | undefined;

  constructor(facts: StatusFacts, theme: () => Theme) {
    this.#facts = facts;
    this.#theme = theme;
  }

  see(event: RunEvent): void {
    if (event.type === "agent_info") this.#model = event.model;
    if (event.type === "token_usage") this.#usage = event.usage;
  }

  render(columns: number): string[] {
    const text = this.hint ?? fitting(this.#parts(), columns);
    return [truncateToWidth(this.#theme().style(this.hint === undefined ? "status" : "warning", text), columns)];
  }

  invalidate(): void {}

  /** The parts, each with its rank: parts with the highest rank are left out first if the row is too narrow. */
  #parts(): { text: string; rank: number }[] {
    const usage = this.#usage;
    const tokens = usage ? usage.input_tokens + usage.output_tokens : 0;
    const share =
      usage && usage.context_limit > 0 ? Math.round((usage.context_length / usage.context_limit) * 100) : undefined;
    const parts = [
      { text: escapeControls(this.#model), rank: 1 },
      { text: tokens > 0 ? `${usage?.estimated ? "about " : ""}${inThousands(tokens)} tokens` : "", rank: 4 },
      { text: share === undefined ? "" : `${share} % of context`, rank: 2 },
      { text: usage ? `$${usage.cost.toFixed(usage.cost < 1 ? 4 : 2)}` : "", rank: 3 },
      { text: escapeControls(this.#facts.mode() ?? ""), rank: 0 },
      { text: escapeControls(this.#facts.branch() ?? ""), rank: 5 },
    ];
    return parts.filter(({ text }) => text !== "");
  }
}

function inThousands(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

/** Joins the parts that fit, in their order. */
function fitting(parts: readonly { text: string; rank: number }[], columns: number): string {
  let kept = [...parts];
  const joined = () => kept.map(({ text }) => text).join(SEPARATOR);
  while (kept.length > 1 && visibleWidth(joined()) > columns) {
    const worst = Math.max(...kept.map(({ rank }) => rank));
    kept = kept.filter(({ rank }) => rank !== worst);
  }
  return joined();
}
