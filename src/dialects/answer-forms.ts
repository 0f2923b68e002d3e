import type { Answer, HostEvent, Say, Verdict } from "./dialect.ts";

/** Joins the parts of an answer; undefined if all are empty. A part with no keys is left out. */
export function answer(...parts: readonly object[]): Answer | undefined {
  const json: Record<string, unknown> = Object.assign({}, ...parts);
  return Object.keys(json).length > 0 ? { json } : undefined;
}

/** `{hookSpecificOutput: {hookEventName, ...}}`, left out without fields. */
export function specific(hookEventName: string, fields: object): object {
  const said = defined(fields);
  return Object.keys(said).length > 0 ? { hookSpecificOutput: { hookEventName, ...said } } : {};
}

/** The fields that are not undefined. */
export function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Joins the texts that are present, one per line; undefined if there is none. */
export function joined(...texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined);
  return present.length > 0 ? present.join("\n") : undefined;
}

/** The text for the user in the field that most hosts have. */
export function noticeField({ notice }: Verdict): object {
  return defined({ systemMessage: notice });
}

/** The decision of a verdict in the words that most hosts share; an empty object without one. */
export function permissionDecision({ block, ask, allow }: Verdict): object {
  const reason = block ?? ask ?? (allow || undefined);
  const decision = block !== undefined ? "deny" : ask !== undefined ? "ask" : allow !== undefined ? "allow" : undefined;
  return defined({ permissionDecision: decision, permissionDecisionReason: reason });
}

/** Claude Code's answer before a tool: a nested decision, the complete new input, context. */
export const nestedToolAnswer: Say = (verdict, { event }) =>
  answer(
    specific(event, {
      ...permissionDecision(verdict),
      updatedInput: verdict.rewrite?.complete,
      additionalContext: verdict.context,
    }),
    noticeField(verdict),
  );

/** Claude Code's answer to a permission request. */
export const nestedPermissionAnswer: Say = (verdict, { event }) => {
  const { block, allow } = verdict;
  const decision =
    block !== undefined
      ? { behavior: "deny", message: block }
      : allow !== undefined
        ? { behavior: "allow" }
        : undefined;
  return answer(specific(event, { decision }), noticeField(verdict));
};

/** Claude Code's answer on every other event: a top-level block, nested context. */
export const blockAndContextAnswer: Say = (verdict, { event }) =>
  answer(
    verdict.block === undefined ? {} : { decision: "block", reason: verdict.block },
    specific(event, { additionalContext: verdict.context }),
    noticeField(verdict),
  );

/** An event that hooks only observe, on a host that shows the user a text. */
export const observed = {
  takes: ["notice"],
  say: (verdict) => answer(noticeField(verdict)),
} as const satisfies Partial<HostEvent>;

/** Events of a host without a counterpart in hooksh, with blanks between them: no hook runs on them. */
export function unmatched(events: string, sends = ""): Record<string, HostEvent> {
  return Object.fromEntries(events.split(" ").map((event) => [event, { is: [], takes: [], sends }]));
}

/** The answer of hosts that read no JSON: a block is exit code 2 with the reason on standard error, context is text. */
export const exitAnswer: Say = ({ block, context }) => {
  if (block !== undefined) return { stderr: block, exitCode: 2 };
  return context === undefined ? undefined : { text: context };
};
