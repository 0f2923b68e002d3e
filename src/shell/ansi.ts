const CONTROLS = new Map(Object.entries({ a: 7, b: 8, e: 27, E: 27, f: 12, n: 10, r: 13, t: 9, v: 11 }));

/** Decodes the text in bash's `$'...'`. */
export function decodeAnsi(text: string): string {
  return text.replace(
    /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c([^])|([^]))/g,
    (_all, x?: string, u?: string, long?: string, octal?: string, control?: string, char?: string) => {
      const hex = x ?? u ?? long;
      const code =
        hex !== undefined
          ? Number.parseInt(hex, 16)
          : octal !== undefined
            ? Number.parseInt(octal, 8) & 0xff
            : control !== undefined
              ? control.charCodeAt(0) & 0x1f
              : CONTROLS.get(char ?? "");
      return code === undefined ? (char ?? "") : String.fromCodePoint(Math.min(code, 0x10ffff));
    },
  );
}
