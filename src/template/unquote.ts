const CONTROLS: Record<string, string> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|([^]?))/g;

/** The text that the inside of a quoted string stands for; undefined when it holds an escape that does not exist. */
export function unquote(inner: string): string | undefined {
  let valid = true;
  const text = inner.replace(ESCAPE, (_all, ...groups: (string | undefined)[]) => {
    const [byte, short, long, octal, char] = groups;
    const hex = byte ?? short ?? long;
    const code = octal === undefined ? Number.parseInt(hex ?? "", 16) : Number.parseInt(octal, 8);
    if (code <= 0x10ffff) return String.fromCodePoint(code);
    const plain = char !== undefined && `\\"'`.includes(char) ? char : CONTROLS[char ?? ""];
    if (!plain) valid = false;
    return plain ?? "";
  });
  return valid ? text : undefined;
}
