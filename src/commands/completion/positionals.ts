/** What stands at a place of a command line: words to choose from, or a placeholder such as `AGENT`. */
export type ExpectedWord = { kind: "words"; words: readonly string[] } | { kind: "placeholder"; name: string };

/**
 * What a verb expects behind the words it has been given, read from its usage line: `[AGENT] [MESSAGE...]`,
 * `list | show ID`, `[agent|hooks]`. Undefined where nothing more is expected.
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

/** One way to go on: any of these words, then the rest. */
interface Form {
  words: string[];
  rest: string[];
}

/** Takes `list | show ID` and `list|explain [AGENT]` apart; brackets round everything only say that it is optional. */
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
