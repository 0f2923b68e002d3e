import { stripVTControlCharacters } from "node:util";
import { columnsOf } from "../lib/platform.ts";
import { describeMedia } from "../model/messages/media.ts";
import { type Block, isMedia } from "../model/messages/message.ts";
import { decisionText } from "../runtime/session/routing-decision.ts";
import { costText, isCostPartial } from "../runtime/session/session-cost.ts";
import type { StoredSession } from "../runtime/store/queries.ts";
import type { DocumentItem, SessionDocument } from "../runtime/store/session-document.ts";
import { blockFrom } from "../runtime/store/stored-message.ts";
import { callText } from "./run-text.ts";

/** Formats stored sessions as a table: id, creation time, messages, cost, agent, title; and the folder, if one is of another. */
export function renderSessionList(sessions: readonly StoredSession[], current: string): string {
  const withFolders = sessions.some(({ working_dir }) => working_dir !== current);
  const rows = sessions.map(({ id, created_at, messages, cost, cost_is_partial, agent, working_dir, title }) => {
    const created = created_at.slice(0, 16).replace("T", " ");
    const folder = withFolders ? [working_dir] : [];
    return [id, created, String(messages), costText(cost ?? 0, cost_is_partial), agent, ...folder, title].map(
      onOneLine,
    );
  });
  const folder = withFolders ? ["FOLDER"] : [];
  const table = [["ID", "CREATED (UTC)", "MESSAGES", "COST", "AGENT", ...folder, "TITLE"], ...rows];
  const widths = table.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, columnsOf(cell))),
    [],
  );
  return table
    .map((row) =>
      row
        .map((cell, column) => pad(cell, widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - columnsOf(cell)));
}

export interface TranscriptOptions {
  /** Include the thinking of models. */
  thinking?: boolean;
}

/**
 * Formats a session as text: messages, tool calls and results in their order, with sub-sessions indented where they
 * ran. Media are shown as their type and size.
 */
export function renderTranscript(session: SessionDocument, options: TranscriptOptions = {}): string {
  const { id, title, created_at, working_dir, safety_mode, cost, session_start_context } = session;
  const safety = safety_mode === undefined ? "" : `, safety ${safety_mode}`;
  const amount = costText(cost, isCostPartial(session.items));
  const began = `Started ${created_at} in ${onOneLine(working_dir)}${safety}, ${amount === "unknown" ? "cost unknown" : amount}`;
  const head = `Session ${id}: ${onOneLine(title)}\n${began}`;
  const context = session_start_context === "" ? [] : [entry("session_start hooks", session_start_context)];
  const items = session.items.flatMap((item) => renderItem(item, options));
  const unfinished = (session.unfinished_sub_sessions ?? []).map((child) => nested("cut off", child, options));
  return [head, ...context, ...items, ...unfinished].join("\n\n");
}

function renderItem(item: DocumentItem, options: TranscriptOptions): string[] {
  switch (item.kind) {
    case "message":
      return renderMessage(item, options);
    case "summary":
      return [entry("summary of what came before", item.text)];
    case "error":
      return [entry("error", item.text)];
    case "evaluation":
      return [entry("evaluator", evaluationText(item.evaluation))];
    case "routing_decision":
      return [onOneLine(decisionText(item.routing_decision))];
    case "subsession":
      return [nested(item.agent, item.session, options)];
  }
}

function evaluationText({ evaluator, model, cost }: Extract<DocumentItem, { kind: "evaluation" }>["evaluation"]) {
  return `${evaluator} (${model}), ${cost === undefined ? "cost unknown" : `$${cost.toFixed(6)}`}`;
}

function renderMessage(
  { agent, message, withheld }: Extract<DocumentItem, { kind: "message" }>,
  { thinking = false }: TranscriptOptions,
): string[] {
  const name = message.role === "assistant" ? agent : message.role === "tool" ? "tool result" : message.role;
  const notes = [withheld ? "withheld by a hook" : "", message.is_error ? "error" : ""].filter(Boolean).join(", ");
  const speaker = notes ? `${name} (${notes})` : name;
  const entries: string[] = [];
  let text = "";
  const endEntry = () => {
    if (text.trim() !== "") entries.push(entry(speaker, text));
    text = "";
  };
  // The text blocks of a model are one text; those of others are separate lines.
  const append = (piece: string, joiner: string) => {
    text += text === "" || text.endsWith("\n") ? piece : joiner + piece;
  };
  for (const block of message.blocks.map(blockFrom).flatMap(contentOf)) {
    if (isMedia(block)) append(`[${onOneLine(describeMedia(block))}]\n`, "\n");
    else if (block.type === "text" || block.type === "refusal")
      append(block.text, message.role === "assistant" ? "" : "\n");
    else if (block.type === "tool_call") {
      endEntry();
      entries.push(onOneLine(`${agent} calls ${callText(block)}`));
    } else if (thinking && block.type === "thinking" && block.text.trim() !== "") {
      endEntry();
      entries.push(entry(`${agent} thinks`, block.text));
    }
  }
  endEntry();
  return entries;
}

function contentOf(block: Block): readonly Block[] {
  return block.type === "tool_result" ? block.blocks : [block];
}

function nested(agent: string, session: SessionDocument, options: TranscriptOptions): string {
  return indent(`${agent}: ${renderTranscript(session, options)}`);
}

function entry(speaker: string, text: string): string {
  return `${speaker}: ${readable(text).trimEnd()}`;
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? "" : `    ${line}`))
    .join("\n");
}

/** Removes control characters that could forge other output on the screen. */
function readable(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]/gu, "");
}

function onOneLine(text: string): string {
  return readable(text).replace(/\s+/g, " ");
}
