import type { PageData, PageSpan } from "./page-data.ts";

/** The spans of a page with what follows from their places in the trees; every list is by the index of the span. */
export interface SpanIndex {
  spans: readonly PageSpan[];
  children: readonly (readonly number[])[];
  /** 1 for a root. */
  level: readonly number[];
  /** Its place among its siblings, from 1. */
  position: readonly number[];
  /** The texts that a filter searches, in lower case. */
  text: (span: number) => string;
}

/** Computes the index. Parents come before their children, so one pass is enough. */
export function indexSpans({ spans }: PageData): SpanIndex {
  const children: number[][] = spans.map(() => []);
  const level: number[] = [];
  const position: number[] = [];
  let roots = 0;
  for (const [at, { parent }] of spans.entries()) {
    const siblings = children[parent];
    level.push(parent < 0 ? 1 : (level[parent] ?? 0) + 1);
    position.push(siblings ? siblings.push(at) : ++roots);
  }
  return { spans, children, level, position, text: searchTexts(spans) };
}

/** Makes the text of each span when it is first searched: a page may hold megabytes of content. */
function searchTexts(spans: readonly PageSpan[]): (span: number) => string {
  const texts: string[] = [];
  return (at) => (texts[at] ??= textOf(spans[at]).toLowerCase());
}

function textOf(span: PageSpan | undefined): string {
  if (!span) return "";
  const values = [...span.attributes, ...span.events.flatMap((event) => event.attributes)].map(([, value]) => value);
  const names = span.events.map(({ name }) => name);
  return [span.name, span.kind, span.verdict, span.reason, span.id, span.trace, ...names, ...values].join("\n");
}
