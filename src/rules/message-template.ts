/** The names between braces in a message. */
export const PLACEHOLDERS = [
  "tool",
  "class",
  "effect",
  "program",
  "verb",
  "command",
  "path",
  "host",
  "ref",
  "target",
  "branch",
  "agent",
  "count",
  "name",
] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

/** A message in parts: texts, and names of values. */
export type MessagePart = string | { name: string };

/** Splits a message at its placeholders. Undefined if a brace has no other one; `{{` and `}}` are braces. */
export function splitMessage(message: string): MessagePart[] | undefined {
  const parts: MessagePart[] = [];
  let from = 0;
  let text = "";
  for (const match of message.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g)) {
    const [whole, name] = match;
    text += message.slice(from, match.index);
    from = match.index + whole.length;
    if (whole === "{{" || whole === "}}") text += whole[0];
    else if (name === undefined) return undefined;
    else {
      if (text) parts.push(text);
      text = "";
      parts.push({ name });
    }
  }
  text += message.slice(from);
  if (text) parts.push(text);
  return parts;
}

export function isPlaceholder(name: string): name is Placeholder {
  return (PLACEHOLDERS as readonly string[]).includes(name);
}
