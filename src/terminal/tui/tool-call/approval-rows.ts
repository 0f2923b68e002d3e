import type { Component } from "@earendil-works/pi-tui";
import { processEnv } from "../../../lib/env.ts";
import { escapeControls, escapeControlsInLines } from "../../../lib/text/escape-controls.ts";
import { revealCharacters, type Strictness } from "../../../lib/text/reveal-characters.ts";
import type { ApprovalRequest } from "../../../runtime/events/front-end.ts";
import { hookText, rewriteText } from "../../run-text.ts";
import type { Role, Theme } from "../../theme.ts";
import { changeLines } from "./change-lines.ts";
import { changeRows } from "./diff-rows.ts";
import { essenceOf, textOf } from "./essence.ts";
import { type FileChange, fileChangeOf } from "./file-change.ts";
import { fitSpans, paintRow, remarkRows, type SpanRow, span, widthOf, widthOfRow, wrapSpans } from "./spans.ts";

/** How a question about a call is shown. */
export interface ApprovalView {
  theme: Theme;
  /** The working directory of the session. */
  cwd: string;
  /** Rows of the screen; a question that does not fit says how long it is. */
  screenRows?: number;
}

/** Rows at the bottom of the screen that a question leaves to the keys and the status line. */
const BOTTOM_ROWS = 4;

/** Stands before every row of an argument, so that no argument can imitate a row of the question. */
const BAR = "  | ";

/** Arguments in which people write their own language and code; in all others every character counts. */
const PROSE: readonly string[] = [
  ...["content", "oldText", "newText", "old_string", "new_string", "text", "body", "message", "description"],
  ...["task", "expected_output", "thought", "thoughts", "memory", "descriptions", "title", "summary"],
];

/** Metadata that the question puts into words; all other keys are shown as `key: value`. */
const KNOWN_METADATA: readonly string[] = ["safety_label", "blast_radius", "category", "reason"];

/** An argument as text that a terminal can only display, and a reader only read in one way. */
interface ShownArgument {
  key: string;
  /** On several lines if the argument has them. */
  text: string;
}

/**
 * The question about a tool call. The first row always shows agent, tool and target. Then come all arguments, complete,
 * behind a bar that they cannot imitate, an edit as a diff; then what hooks and the safety label say, and which hooks
 * asked. Reads the file that the call changes once.
 */
export class ApprovalBlock implements Component {
  readonly #request: ApprovalRequest;
  readonly #view: ApprovalView;
  readonly #change: FileChange | undefined;
  #rows: { columns: number; rows: string[] } | undefined;

  constructor(request: ApprovalRequest, view: ApprovalView) {
    const { toolName: name, toolCategory: category, input: args, mayRead } = request;
    this.#request = request;
    this.#view = view;
    this.#change = fileChangeOf({ name, category, args }, { cwd: view.cwd, env: processEnv(), mayRead });
  }

  /** Returns painted rows of at most `columns` columns. */
  render(columns: number): string[] {
    if (this.#rows?.columns !== columns) this.#rows = { columns, rows: this.#paintedRows(Math.max(8, columns)) };
    return this.#rows.rows;
  }

  invalidate(): void {
    this.#rows = undefined;
  }

  #paintedRows(width: number): string[] {
    const { cwd, theme, screenRows = Number.POSITIVE_INFINITY } = this.#view;
    const { metadata, hooks, rewritten, input } = this.#request;
    const change = this.#change;
    const call = change ? changedRows(this.#request, change, width, cwd) : calledRows(this.#request, width, cwd);
    const changed = rewritten
      ? remarkRows(revealed(rewriteText(rewritten, JSON.stringify(input)), "strict"), width, "warning")
      : [];
    const rows = [
      ...call,
      ...changed,
      ...metadataRows(metadata, change !== undefined, width),
      ...askingRows(hooks, width),
    ];
    const shown = rows.length > screenRows - BOTTOM_ROWS ? withCount(rows) : rows;
    return shown.map((row) => paintRow(fitSpans(row, width), theme));
  }
}

/** Says how many rows a question has that does not fit on the screen, and repeats the first row where it can be seen. */
function withCount([head = [], ...rest]: readonly SpanRow[]): SpanRow[] {
  return [
    head,
    [span(`  ${rest.length} rows follow`, "warning")],
    ...rest,
    [span(`  ${rest.length} rows above belong to this question: scroll up to read all of it`, "warning")],
    head,
  ];
}

function calledRows(request: ApprovalRequest, width: number, cwd: string): SpanRow[] {
  const shown = argumentsShown(request.input, []);
  const list = shown.map(({ key, text }) => `${key}: ${text}`).join(", ");
  const whole = [...headSpans(request), span(`(${list})`)];
  if (widthOfRow(whole) <= width && !shown.some(({ text }) => text.includes("\n") || text.includes("\t")))
    return [whole];
  const target = revealed(essenceOf(request.toolName, request.input, cwd), "strict");
  return [...headRows(request, target, width), ...shown.flatMap((argument) => argumentRows(argument, width))];
}

function changedRows(request: ApprovalRequest, change: FileChange, width: number, cwd: string): SpanRow[] {
  const path = revealedName(change.path);
  const target = revealed(essenceOf("list_directory", { path: change.path }, cwd), "strict");
  const [head = [], ...names] = headRows(request, target, width);
  const isWhole = target === path && textOfRow(head).endsWith(`: ${path}`);
  return [
    head,
    ...names,
    ...(isWhole ? [] : argumentRows({ key: "path", text: path }, width)),
    ...argumentsShown(request.input, change.shown).flatMap((argument) => argumentRows(argument, width)),
    ...change.notes.flatMap((note) => remarkRows(escapeControls(note), width, "warning")),
    ...change.changes.flatMap((each) => changeRows(changeLines(each), width)),
  ];
}

function textOfRow(row: SpanRow): string {
  return row.map(({ text }) => text).join("");
}

/** `AGENT wants to run TOOL` */
function headSpans({ agentName, toolName }: ApprovalRequest): SpanRow {
  return [
    span(revealedName(agentName), "bold"),
    span(" wants to run ", "bold"),
    span(revealedName(toolName), "toolName"),
  ];
}

/** Returns the first row, in which agent, tool and target each keep their share, and the parts that did not fit. */
function headRows(request: ApprovalRequest, target: string, width: number): SpanRow[] {
  const [agent = span(""), verb = span(""), tool = span("")] = headSpans(request);
  const between = width < 50 ? span(": ", "bold") : verb;
  const names = width - widthOf(between.text) - 2;
  const shares = [fitSpans([agent], Math.floor(names / 4)), fitSpans([tool], Math.floor(names / 3))];
  const [shownAgent = [], shownTool = []] = shares;
  const head = [
    ...shownAgent,
    between,
    ...shownTool,
    ...(target === "" ? [] : [span(": ", "bold"), span(target, "bold")]),
  ];
  const cutNames = [
    { key: "agent", text: agent.text, shown: shownAgent },
    { key: "tool", text: tool.text, shown: shownTool },
  ].filter(({ text, shown }) => widthOfRow(shown) < widthOf(text));
  return [fitSpans(head, width), ...cutNames.flatMap((argument) => argumentRows(argument, width))];
}

function argumentsShown(input: ApprovalRequest["input"], except: readonly string[]): ShownArgument[] {
  return Object.entries(input)
    .filter(([key]) => !except.includes(key))
    .map(([key, value]) => ({
      key: revealedName(key),
      text: revealed(typeof value === "string" ? value : (JSON.stringify(value) ?? textOf(value)), strictnessOf(key)),
    }));
}

function strictnessOf(key: string): Strictness {
  return PROSE.includes(key) ? "prose" : "strict";
}

/** Returns untrusted text with control characters, invisible characters and look-alikes escaped; keeps lines and tabs. */
function revealed(text: string, strictness: Strictness): string {
  return revealCharacters(escapeControlsInLines(text), strictness);
}

/** {@link revealed} on one line. */
function revealedName(name: string): string {
  return revealCharacters(escapeControls(name), "strict");
}

function argumentRows({ key, text }: ShownArgument, width: number): SpanRow[] {
  const short = `  ${key}: ${text}`;
  if (!text.includes("\n") && !text.includes("\t") && widthOf(short) <= width) return [[span(short)]];
  return [...textRows(`${key}:`, "  ", width), ...textRows(text, BAR, width)];
}

/** The remarks of hooks and of the safety label, which says nothing new about a call whose change of a file is shown. */
function metadataRows(metadata: ApprovalRequest["metadata"], isChangeShown: boolean, width: number): SpanRow[] {
  const { safety_label: label, blast_radius: radius, category, reason } = metadata;
  const others = Object.entries(metadata).filter(([key]) => !KNOWN_METADATA.includes(key));
  const remarks = [
    label === undefined || (label === "unknown" && isChangeShown) ? "" : safetySentence(label, radius, category),
    reason ?? "",
    ...others.map(([key, value]) => `${escapeControls(key)}: ${value}`),
  ];
  return remarks
    .filter((text) => text.trim() !== "")
    .flatMap((text) => remarkRows(revealed(text, "prose"), width, "warning"));
}

const AMOUNTS: Readonly<Record<string, string>> = { low: "a little", medium: "something", high: "a lot" };

/** Returns the safety label in words; hooks may have set its parts. */
function safetySentence(label: string, radius: string | undefined, category: string | undefined): string {
  const kind = category === undefined ? "" : ` (${category})`;
  const amount = AMOUNTS[radius ?? ""];
  if (label === "safe") return `This looks safe: it only reads${kind}.`;
  if (label === "destructive") return `This can destroy ${amount ?? "something"}${kind}.`;
  return `hooksh does not know what this does${kind}${amount === undefined ? "" : `; it can destroy ${amount}`}.`;
}

function askingRows(hooks: ApprovalRequest["hooks"], width: number): SpanRow[] {
  return hooks.flatMap((hook) => remarkRows(`asked for by ${hookText(hook)}`, width, "dim"));
}

/** Returns text in rows, each behind a bar. */
function textRows(text: string, bar: string, width: number, ...roles: readonly Role[]): SpanRow[] {
  return text
    .split("\n")
    .flatMap((line) => wrapSpans([span(line, ...roles)], width - bar.length))
    .map((row) => [span(bar, "border"), ...row]);
}
