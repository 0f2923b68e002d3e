import { type Component, truncateToWidth, visibleWidth } from "@earendil-works/pi-tui";
import type { Help } from "../../lib/errors.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { costText as amountText } from "../../runtime/session/session-cost.ts";
import type { Status, StatusSource } from "../front-end/run-status.ts";
import type { Theme } from "../theme.ts";
import { fitSpans, span } from "./tool-call/spans.ts";

const WINDOW_OR_PRICE_UNKNOWN: Help = {
  cause: "hooksh does not know the window or the price of the model.",
  cure: "Set `provider_opts.context_size` and `cost` of the model in the agent file.",
};

const SEPARATOR = " · ";

export interface StatusLineOptions {
  status: Pick<StatusSource, "read">;
  /** The git branch of the working directory. */
  branch: () => string | undefined;
  theme: () => Theme;
}

/** A part of the row. Parts with the highest rank are left out first if the row is too narrow. */
interface Part {
  text: string;
  rank: number;
}

/** The safety mode may let calls run without asking, so it is never left out. */
const ALWAYS = 0;

/** A narrower name of a model says nothing. */
const MIN_MODEL = 8;

/** The row below the input line: model, tokens, share of the context, cost, safety mode, branch; or a hint. */
export class StatusLine implements Component {
  hint: string | undefined;
  readonly #options: StatusLineOptions;

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  render(columns: number): string[] {
    const { status, branch, theme } = this.#options;
    const now = status.read();
    const text = this.hint ?? (now ? fitting(partsOf(now, branch()), columns) : "");
    return [truncateToWidth(theme().style(this.hint === undefined ? "status" : "warning", text), columns)];
  }

  invalidate(): void {}
}

function partsOf(status: Status, branch: string | undefined): Part[] {
  return [
    { text: escapeControls(status.model), rank: 1 },
    { text: `${status.isEstimated ? "about " : ""}${inThousands(status.tokens)} tokens`, rank: 4 },
    { text: shareOfContext(status), rank: 2 },
    { text: costText(status), rank: 3 },
    { text: `safety: ${escapeControls(status.mode)}`, rank: ALWAYS },
    ...(branch === undefined ? [] : [{ text: escapeControls(branch), rank: 5 }]),
  ];
}

function shareOfContext({ tokens, contextLimit }: Status): string {
  return contextLimit > 0 ? `${Math.round((tokens / contextLimit) * 100)} % of context` : "context size unknown";
}

shareOfContext.help = WINDOW_OR_PRICE_UNKNOWN;

/** Returns the cost; a price that is unknown is no price of zero. */
function costText({ cost, isCostPartial }: Status): string {
  const text = amountText(cost, isCostPartial, cost > 0 && cost < 1 ? 4 : 2);
  return text === "unknown" ? "cost unknown" : text;
}

costText.help = WINDOW_OR_PRICE_UNKNOWN;

function inThousands(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}

/** Joins the parts that fit, in their order. The model, which goes last, is cut before it is left out. */
function fitting(parts: readonly Part[], columns: number): string {
  let kept = [...parts];
  const joined = () => kept.map(({ text }) => text).join(SEPARATOR);
  while (kept.length > 1 && visibleWidth(joined()) > columns) {
    const worst = Math.max(...kept.map(({ rank }) => rank));
    const [first, ...others] = kept;
    const left = columns - visibleWidth(tailOf(others));
    if (first?.rank === worst && left >= MIN_MODEL) return cut(first.text, left) + tailOf(others);
    kept = kept.filter(({ rank }) => rank !== worst);
  }
  return joined();
}

function cut(text: string, columns: number): string {
  return fitSpans([span(text)], columns)
    .map((part) => part.text)
    .join("");
}

function tailOf(parts: readonly Part[]): string {
  return parts.map(({ text }) => SEPARATOR + text).join("");
}
