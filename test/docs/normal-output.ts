/** What differs from run to run, and what the comparison sees in its place. */
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "<uuid>"],
  [/\b[0-9a-f]{40,64}\b/g, "<digest>"],
  [/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: UTC|Z)?/g, "<time>"],
  [/\b\d{4}-\d\d-\d\d\b/g, "<date>"],
  [/\b\d{4}-\d\d\.jsonl\b/g, "<month>.jsonl"],
  [/\b127\.0\.0\.1:\d+/g, "127.0.0.1:<port>"],
  [/\b\d[\d.]* [kM]B\b/g, "<size>"],
  // A duration is aligned with blanks, and a waterfall draws it as a bar.
  [/ *(?<![\w.:-])\d[\d,.]* ?(?:ns|µs|ms|s|m|h)(?:\d+[ms])*(?![\w-])(?: *(?=\W))?/g, " <duration> "],
  [/[█▉▊▋▌▍▎▏]+/g, "<bar>"],
  [/ *<bar> *$/gm, ""],
  [/ +$/gm, ""],
];

/** An output without what differs from run to run: durations, times, ids, ports and the places of this run. */
export function normalOutput(text: string, places: Readonly<Record<string, string>> = {}): string {
  const placed = Object.entries(places).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  return VARIABLE.reduce((all, [pattern, name]) => all.replace(pattern, name), Bun.stripANSI(placed));
}

/**
 * What a page shows, with the parts that it leaves out taken from what was printed: a line `...` stands for any lines,
 * and `…` within a line for any text. Returns the page's lines as they are if they do not fit.
 */
export function withElisions(shown: string, printed: string): string {
  if (!/^\.\.\.$|…/m.test(shown)) return shown;
  const lines = shown.split("\n").map((line) =>
    /^(?:\.\.\.|…)$/.test(line)
      ? "(?:.*\n)*"
      : `${line
          .split("…")
          .map((part) => RegExp.escape(part))
          .join(".*")}\n`,
  );
  return new RegExp(`^${lines.join("")}$`).test(`${printed}\n`) ? printed : shown;
}
