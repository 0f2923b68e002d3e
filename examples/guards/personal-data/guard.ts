// Replaces personal data by the name of its kind. Names and addresses of people have no form that a pattern could find.
import type { Builtin } from "hooksh/hook";

const KINDS: readonly [kind: string, pattern: RegExp, isReal?: (text: string) => boolean][] = [
  ["mail", /[\w.%+-]{1,64}@(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}\b/gi],
  ["account", /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g, hasIbanChecksum],
  ["card", /\b(?:\d[ -]?){12,18}\d\b/g, hasCardChecksum],
  ["phone", /(?<![\w.])\+\d{1,3}(?:[ ()/.-]{0,2}\d){7,12}\b/g],
];

const guard: Builtin = ({ hook_event_name, messages, tool_response }) => {
  if (messages !== undefined) return answer(messages, { updated_messages: messages.map((one) => cleaned(one)) });
  const text = typeof tool_response === "string" ? tool_response : JSON.stringify(tool_response ?? "");
  return answer(text, { updated_tool_response: withoutPersonalData(text) });

  function answer(before: unknown, output: object) {
    const [after] = Object.values(output);
    const isSame = JSON.stringify(after) === JSON.stringify(before);
    return isSame ? undefined : { hook_specific_output: { hook_event_name, ...output } };
  }
};

/** A copy of a message, without personal data in any of its texts. Files in base64 stay: no pattern fits them. */
function cleaned<T>(value: T): T;
function cleaned(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("data:") ? value : withoutPersonalData(value);
  if (Array.isArray(value)) return value.map((item) => cleaned(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, KEPT.has(key) ? inner : cleaned(inner)]));
}

/** Keys that tie a message to a call or to its original. */
const KEPT = new Set(["id", "tool_call_id", "created_at", "thinking_signature", "thought_signature"]);

function withoutPersonalData(text: string): string {
  return KINDS.reduce(
    (current, [kind, pattern, isReal]) =>
      current.replace(pattern, (found) => (isReal?.(found) === false ? found : `[${kind}]`)),
    text,
  );
}

function hasCardChecksum(text: string): boolean {
  const digits = [...text.replace(/\D/g, "")].reverse().map(Number);
  const sum = digits.reduce(
    (total, digit, at) => total + (at % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2),
    0,
  );
  return sum % 10 === 0;
}

function hasIbanChecksum(text: string): boolean {
  const account = text.replaceAll(" ", "");
  const digits = [...account.slice(4), ...account.slice(0, 4)].map((char) => parseInt(char, 36)).join("");
  return BigInt(digits) % 97n === 1n;
}

export default guard;
