/** The word that a usage line expects next: one of several fixed words, or a placeholder such as `AGENT`. */
export type ExpectedWord = { kind: "words"; words: readonly string[] } | { kind: "placeholder"; name: string };

/**
 * Returns the word that a verb expects after the given ones, according to its usage line: `[AGENT] [MESSAGE...]`,
 * `list | show ID`, `[agent|hooks]`. Undefined if nothing more is expected.
 */
export function expectedAfter(given: readonly string[], usage: string): ExpectedWord | undefined {
  const [first, ...rest] = given;
  const forms = alternatives(usage);
  const words = forms.flatMap((form) => form.words);
  if (words.length === 0) return placeholderAt(forms[0]?.rest ?? [], given.length);
  if (first === undefined) return { kind: "words", words };
  const form = forms.find((candidate) => candidate.words.includes(first));
  return form && placeholderAt(form.rest, rest.length);
}

/** One form of a usage line: any of these words, then the rest. */
interface Form {
  words: string[];
  rest: string[];
}

/** Splits `list | show ID` and `list|explain [AGENT]`. Brackets around the whole line only mean that it is optional. */
function alternatives(usage: string): Form[] {
  const inner = /^\[([^[\]]*)\]$/.exec(usage)?.[1] ?? usage;
  return inner.split(" | ").map((form) => {
    const tokens = form.split(" ").filter(Boolean);
    const words = (tokens[0] ?? "").split("|").filter((word) => /^[a-z][a-z-]*$/.test(word));
    return { words, rest: words.length > 0 ? tokens.slice(1) : tokens };
  });
}

function placeholderAt(tokens: readonly string[], at: number): ExpectedWord | undefined {
  const last = tokens.at(-1);
  const token = tokens[at] ?? (last?.includes("...") ? last : undefined);
  return token === undefined ? undefined : { kind: "placeholder", name: /[A-Z]+/.exec(token)?.[0] ?? token };
}
