import { expect, test } from "bun:test";
import { ROLES, THEME_NAMES, THEMES, themeNamed } from "../../src/terminal/theme.ts";

const SGR = /\x1b\[([\d;]*)m/g;

test("every role of every theme keeps the text and turns its looks off again", () => {
  for (const theme of Object.values(THEMES)) {
    for (const role of ROLES) {
      const row = theme.style(role, "text");
      expect(row.replaceAll(SGR, "")).toBe("text");
      const codes = [...row.matchAll(SGR)].map(([, code]) => Number(code));
      expect(codes.filter((code) => isEnd(code)).length * 2).toBe(codes.length);
    }
  }
});

test("themes use looks and the 16 ANSI colours only, so that the user's palette applies", () => {
  const codes = Object.values(THEMES).flatMap((theme) =>
    ROLES.flatMap((role) => [...theme.style(role, "text").matchAll(SGR)].map(([, code]) => Number(code))),
  );
  expect(codes.filter((code) => !(code < 10 || isEnd(code) || isColor(code)))).toEqual([]);
});

test("the theme none changes nothing, and no theme styles an empty text", () => {
  for (const role of ROLES) {
    expect(THEMES.none.style(role, "a\x1b[1mb")).toBe("a\x1b[1mb");
    for (const theme of Object.values(THEMES)) expect(theme.style(role, "")).toBe("");
  }
});

test("an outer look continues behind styled text inside", () => {
  const { dark } = THEMES;
  expect(dark.style("error", `a${dark.style("success", "b")}c`)).toBe("\x1b[31ma\x1b[32mb\x1b[39m\x1b[31mc\x1b[39m");
});

test("a theme is found by its name; an unknown one is an error that lists the names", () => {
  for (const name of THEME_NAMES) expect(themeNamed(name).name).toBe(name);
  expect(() => themeNamed("toString")).toThrow('unknown theme "toString"; use dark, light, none');
});

function isEnd(code: number): boolean {
  return [22, 23, 24, 27, 29, 39].includes(code);
}

function isColor(code: number): boolean {
  return (code >= 30 && code <= 37) || (code >= 90 && code <= 97);
}
