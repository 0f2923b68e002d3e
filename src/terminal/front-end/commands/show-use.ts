import { counted } from "../../../lib/text/counted.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import {
  CONTEXT_KINDS,
  type ContextKind,
  type ContextUse,
  contextUse,
} from "../../../runtime/conversation/context-use.ts";
import { costShares, costText, costWithChildren } from "../../../runtime/session/session-cost.ts";
import type { Conversation } from "../prompt-session.ts";

/** The letter of each kind in the bar, and its name. */
const KINDS: Readonly<Record<ContextKind, readonly [letter: string, name: string]>> = {
  instructions: ["I", "instructions"],
  tools: ["T", "tool definitions"],
  hooks: ["H", "context from hooks, prompt files"],
  summary: ["S", "summary of a compaction"],
  user: ["U", "messages of the user"],
  model: ["M", "messages of the model"],
  results: ["R", "tool results"],
};

const FREE = ".";
const WIDEST_BAR = 60;

/** `/context`: shows what fills the context window: a bar of one letter for each kind, and the tokens of each kind. */
export function showContext({ runtime, current: { session }, terminal }: Conversation): void {
  const use = contextUse(runtime, session);
  const { model, limit, tokens, toolsets, compactsAt, counted: count } = use;
  const total = CONTEXT_KINDS.reduce((sum, kind) => sum + tokens[kind], 0);
  const whole = limit > 0 ? limit : total;
  const share = (part: number) => {
    const percent = whole > 0 ? (part / whole) * 100 : 0;
    return percent > 0 && percent < 1 ? "<1 %" : `${Math.round(percent)} %`;
  };
  const size = limit > 0 ? ` of ${counted(limit, "token")} (${share(total)})` : " tokens, context size unknown";
  const parts = CONTEXT_KINDS.filter((kind) => tokens[kind] > 0).flatMap((kind) => {
    const [letter, name] = KINDS[kind];
    const sets = kind === "tools" ? [...toolsets].map(([set, size]) => ["", `  ${set}`, size] as const) : [];
    return [[letter, name, tokens[kind]] as const, ...sets];
  });
  const free = limit > total ? [[FREE, "free", limit - total] as const] : [];
  const rows = [...parts, ...free];
  const width = Math.max(0, ...rows.map(([, name]) => name.length));
  const digits = Math.max(0, ...rows.map(([, , part]) => grouped(part).length));
  terminal.note(
    [
      `Estimate of the next request to ${escapeControls(model)}: ${grouped(total)}${size}`,
      `[${barOf(use, whole, Math.max(10, Math.min(WIDEST_BAR, terminal.size.columns - 3)))}]`,
      ...rows.map(
        ([letter, name, part]) =>
          `${letter.padEnd(1)} ${escapeControls(name).padEnd(width)}  ${grouped(part).padStart(digits)}  ${share(part).padStart(5)}`,
      ),
      ...(compactsAt === undefined ? [] : [`It is compacted at ${Math.round(compactsAt * 100)} %.`]),
      count
        ? `The provider counted ${counted(count.input, "token")} in the last request and ${grouped(count.output)} in its answer (${escapeControls(count.model)}).`
        : "The provider has not counted it yet.",
    ].join("\n"),
  );
}

/** Returns a bar in which each kind fills its share with its letter; what is free is dots. */
function barOf({ tokens }: ContextUse, whole: number, width: number): string {
  let before = 0;
  let bar = "";
  for (const kind of CONTEXT_KINDS) {
    before += tokens[kind];
    bar = bar.padEnd(Math.min(width, Math.round((before / whole) * width)), KINDS[kind][0]);
  }
  return bar.padEnd(width, FREE);
}

/** `/cost`: shows what the session has cost, the tokens of the last call, and what each agent asked of each model. */
export function showCost({ current: { session }, terminal }: Conversation): void {
  const { inputTokens, outputTokens, tokensAreEstimated } = session;
  const shares = costShares(session);
  const amount = costText(
    costWithChildren(session),
    shares.some(({ isPartial }) => isPartial),
  );
  const spent = amount === "unknown" ? "the cost is unknown" : `${amount} so far`;
  const about = tokensAreEstimated ? "about " : "";
  const rows = shares.map(({ agent, model, calls, inputTokens: read, outputTokens: written, cost, isPartial }) => [
    escapeControls(`${agent} · ${model}`),
    counted(calls, "call"),
    `${grouped(read)} read`,
    `${grouped(written)} written`,
    isPartial && cost === 0 ? "cost unknown" : costText(cost, isPartial),
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  terminal.note(
    [
      `${spent}; the last call read ${about}${counted(inputTokens, "token")} and wrote ${about}${grouped(outputTokens)}`,
      ...rows.map((row) =>
        row
          .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
          .join("  "),
      ),
    ].join("\n"),
  );
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}
