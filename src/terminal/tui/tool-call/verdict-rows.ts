import { escapeControls, escapeControlsInLines } from "../../../lib/text/escape-controls.ts";
import type { DecidingHook } from "../../../protocol/fields.ts";
import { hookText } from "../../run-text.ts";
import type { Role } from "../../theme.ts";
import { remarkRows, type SpanRow } from "./spans.ts";

export interface CallVerdict {
  reason: string;
  /** The hooks that decided, or that wanted the user asked. */
  hooks: readonly DecidingHook[];
  /** How the user can allow such a call. */
  hint?: string | undefined;
}

/**
 * Returns rows that say why a call did not run: the reason, each hook with its event, where it is configured and how
 * long it took, and how to allow such a call. If several hooks decided, each gives its own reason.
 */
export function verdictRows({ reason, hooks, hint }: CallVerdict, columns: number): SpanRow[] {
  const several = hooks.filter(({ message }) => message).length > 1;
  return [
    ...(several ? [] : prose(reason.trim(), columns)),
    ...hooks.flatMap((hook) => prose(decider(hook, several), columns, "dim")),
    ...(hint ? prose(`to allow it: ${hint}`, columns, "accent") : []),
  ];
}

function decider(hook: DecidingHook, withReason: boolean): string {
  const reason = withReason && hook.message ? `: ${hook.message.trim()}` : "";
  return `by ${hookText(hook)}, on ${escapeControls(hook.event)}${reason}`;
}

function prose(text: string, columns: number, ...roles: readonly Role[]): SpanRow[] {
  return text === "" ? [] : remarkRows(escapeControlsInLines(text), columns, ...roles);
}
