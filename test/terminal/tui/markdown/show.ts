import { stripAnsi } from "../../../../src/lib/platform.ts";
import { THEMES, type Theme } from "../../../../src/terminal/theme.ts";
import { AnswerStream } from "../../../../src/terminal/tui/markdown/answer-stream.ts";

/** What a test reads of an answer. */
export interface Shown {
  /** The rows of all blocks, with escape sequences. */
  rows: (width: number) => string[];
  blocks: { render(width: number): string[] }[];
  stream: AnswerStream;
  renderRequests: () => number;
}

/** Opens an answer whose blocks are kept. */
export function openAnswer(theme: Theme = THEMES.dark): Shown {
  const blocks: { render(width: number): string[] }[] = [];
  let requests = 0;
  const stream = new AnswerStream({
    theme,
    addBlock: (block) => blocks.push(block),
    requestRender: () => (requests += 1),
  });
  return {
    stream,
    blocks,
    rows: (width) => blocks.flatMap((block) => block.render(width)),
    renderRequests: () => requests,
  };
}

/** Shows a whole answer that arrives in the given deltas. */
export function showAnswer(deltas: Iterable<string>, theme?: Theme): Shown {
  const shown = openAnswer(theme);
  for (const delta of deltas) shown.stream.append(delta);
  shown.stream.finish();
  return shown;
}

/** Returns the visible rows of a whole answer. */
export function visibleRows(text: string, width = 80, theme?: Theme): string[] {
  return showAnswer([text], theme).rows(width).map(stripAnsi);
}
