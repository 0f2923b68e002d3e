import { formatSpan } from "../format-time.ts";
import { button, element } from "./dom.ts";
import type { PageData, PageSpan } from "./page-data.ts";
import type { SpanIndex } from "./span-index.ts";

/** A row of facts: its label, and the attribute that holds it. */
type Fact = readonly [label: string, key: string];

/** Why a hook ran. */
const WHY: readonly Fact[] = [
  ["Event", "hooksh.event"],
  ["Tool", "gen_ai.tool.name"],
  ["Matcher", "hooksh.hook.matcher"],
  ["Stage", "hooksh.hook.stage"],
  ["Configured in", "hooksh.hook.source"],
  ["Type", "hooksh.hook.type"],
  ["Mode", "hooksh.hook.mode"],
  ["Agent", "hooksh.host"],
];

/** What a hook decided. */
const ANSWER: readonly Fact[] = [
  ["Decision", "hooksh.decision"],
  ["Would decide", "hooksh.hook.would"],
  ["Outcome", "hooksh.hook.outcome"],
  ["Exit code", "hooksh.hook.exit_code"],
  ["Time limit", "hooksh.hook.timeout_s"],
  ["Approval", "hooksh.approval.source"],
];

/** What a request to a model, a tool call or a session is about. */
const ABOUT: readonly Fact[] = [
  ["Model", "gen_ai.response.model"],
  ["Provider", "gen_ai.provider.name"],
  ["Tokens in", "gen_ai.usage.input_tokens"],
  ["Tokens out", "gen_ai.usage.output_tokens"],
  ["Cost (USD)", "hooksh.cost"],
  ["Error", "error.type"],
  ["Session", "gen_ai.conversation.id"],
];

/** Attributes that are shown as blocks of text. */
const CONTENT: readonly Fact[] = [
  ["Input", "hooksh.hook.input"],
  ["Output", "hooksh.hook.output"],
  ["Instructions", "gen_ai.system_instructions"],
  ["Messages sent", "gen_ai.input.messages"],
  ["Messages received", "gen_ai.output.messages"],
  ["Arguments", "gen_ai.tool.call.arguments"],
  ["Result", "gen_ai.tool.call.result"],
];

/** The kinds of spans that have content if a trace records it. */
const WITH_CONTENT: readonly string[] = ["hook", "model", "tool"];

const NO_CONTENT =
  "The trace holds no input or output. OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY records them, without secrets.";

/** The pane that shows everything about one span. */
export class Details {
  readonly pane: HTMLElement = element("aside", { class: "details", "aria-label": "Details", tabindex: -1 });

  readonly #data: PageData;
  readonly #index: SpanIndex;
  readonly #reveal: (span: number) => void;

  /** `reveal` selects another span. */
  constructor(data: PageData, index: SpanIndex, reveal: (span: number) => void) {
    this.#data = data;
    this.#index = index;
    this.#reveal = reveal;
  }

  show(at: number): void {
    const span = this.#data.spans[at];
    if (!span) return this.pane.replaceChildren(element("p", { class: "hint" }, "Select a span."));
    this.pane.replaceChildren(
      this.#head(span),
      ...this.#reason(span),
      ...(span.kind === "hook" ? this.#hookFacts(span) : facts("About", [...ABOUT, ...ANSWER], [span])),
      ...this.#hooks(at, span),
      ...content(span),
      ...moments(span, this.#data),
      ...this.#times(span),
      allAttributes(span),
    );
    this.pane.scrollTop = 0;
  }

  #head({ kind, name, verdict, tone, milliseconds }: PageSpan): HTMLElement {
    return element(
      "header",
      {},
      element("p", { class: "kindline" }, element("span", { class: `swatch ${kind}`, "aria-hidden": "true" }), kind),
      element("h2", {}, name),
      element(
        "p",
        { class: "summary" },
        formatSpan(milliseconds),
        verdict === "" ? undefined : element("strong", { class: tone }, verdict),
      ),
    );
  }

  #reason({ reason, tone }: PageSpan): HTMLElement[] {
    return reason === "" ? [] : [element("p", { class: `reason ${tone}` }, reason)];
  }

  #hookFacts(span: PageSpan): HTMLElement[] {
    const parent = this.#data.spans[span.parent];
    // The event is also known to the dispatch, and the tool to the tool call around it.
    const above = parent
      ? [span, parent, ...(this.#data.spans[parent.parent] ? [this.#data.spans[parent.parent] as PageSpan] : [])]
      : [span];
    const why = facts("Why it ran", WHY, above);
    const matcher = valueOf(span, "hooksh.hook.matcher");
    if (matcher === undefined)
      why.push(element("p", { class: "hint" }, "It has no matcher: it runs whenever the event happens."));
    const decided =
      valueOf(span, "hooksh.hook.decided") === "true"
        ? [element("p", { class: "hint" }, "Its decision is the verdict of the event.")]
        : [];
    return [...why, ...facts("Answer", ANSWER, [span]), ...decided];
  }

  /** The hooks of an event, each with its verdict. */
  #hooks(at: number, { kind }: PageSpan): HTMLElement[] {
    const hooks = this.#index.children[at] ?? [];
    if (kind !== "event" || hooks.length === 0) return [];
    const items = hooks.map((hook) => {
      const { name = "", verdict = "", tone = "plain", milliseconds = 0 } = this.#data.spans[hook] ?? {};
      return element(
        "li",
        {},
        button({ class: "link" }, name, () => this.#reveal(hook)),
        element("span", { class: tone }, verdict || "no opinion"),
        element("span", { class: "number" }, formatSpan(milliseconds)),
      );
    });
    return [element("h3", {}, "Hooks"), element("ul", { class: "hooklist" }, items)];
  }

  #times({ start, milliseconds, id, trace, parent, lostParent }: PageSpan): HTMLElement[] {
    const rows: [string, string | HTMLElement][] = [
      ["Started", new Date(this.#data.origin + start).toISOString().replace("T", " ").replace("Z", " UTC")],
      ["After the first", formatSpan(start)],
      ["Duration", formatSpan(milliseconds)],
    ];
    const above = this.#data.spans[parent];
    if (above)
      rows.push(["Part of", button({ class: "link" }, `${above.kind} ${above.name}`, () => this.#reveal(parent))]);
    if (lostParent !== undefined) rows.push(["Part of", `${lostParent}, which is not in this trace`]);
    rows.push(["Span", id], ["Trace", trace]);
    return [element("h3", {}, "Time and place"), list(rows)];
  }
}

function valueOf({ attributes }: PageSpan, key: string): string | undefined {
  return attributes.find(([name]) => name === key)?.[1];
}

/** A list of the facts that one of the spans has; the first that has one counts. */
function facts(title: string, wanted: readonly Fact[], spans: readonly PageSpan[]): HTMLElement[] {
  const rows = wanted.flatMap(([label, key]): [string, string][] => {
    const value = spans.map((span) => valueOf(span, key)).find((found) => found !== undefined);
    return value === undefined ? [] : [[label, key.endsWith("_s") ? `${value} s` : value]];
  });
  return rows.length === 0 ? [] : [element("h3", {}, title), list(rows)];
}

function list(rows: readonly (readonly [string, string | HTMLElement])[]): HTMLElement {
  return element("dl", {}, ...rows.flatMap(([label, value]) => [element("dt", {}, label), element("dd", {}, value)]));
}

function content(span: PageSpan): HTMLElement[] {
  const blocks = CONTENT.flatMap(([label, key]) => {
    const value = valueOf(span, key);
    return value === undefined
      ? []
      : [element("h3", {}, label), element("pre", { tabindex: 0, "aria-label": label }, indented(value))];
  });
  if (blocks.length > 0 || !WITH_CONTENT.includes(span.kind)) return blocks;
  return [element("h3", {}, "Input and output"), element("p", { class: "hint" }, NO_CONTENT)];
}

/** JSON with line ends and indents; any other text as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function moments({ events }: PageSpan, { spans }: PageData): HTMLElement[] {
  if (events.length === 0) return [];
  const first = spans[0]?.start ?? 0;
  const items = events.map(({ name, start, attributes }) =>
    element("li", {}, `${formatSpan(start - first)} ${name}`, attributes.length > 0 ? list(attributes) : undefined),
  );
  return [element("h3", {}, "Moments"), element("ul", {}, items)];
}

function allAttributes({ attributes }: PageSpan): HTMLElement {
  return element("details", {}, element("summary", {}, `All ${attributes.length} attributes`), list(attributes));
}
