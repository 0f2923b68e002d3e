import { expect, test } from "bun:test";
import { THEME_NAMES } from "../../src/config/user/terminal-settings.ts";
import {
  type ColorBits,
  colorBits,
  previewOf,
  ROLES,
  THEME_ROWS,
  THEMES,
  themeNamed,
  themesFor,
} from "../../src/terminal/theme.ts";

const SGR = /\x1b\[([\d;]*)m/g;

const DEPTHS: readonly ColorBits[] = [4, 8, 24];
const everyTheme = DEPTHS.flatMap((bits) => Object.values(themesFor(bits)));
const codesOf = (row: string) => [...row.matchAll(SGR)].map(([, code = ""]) => code);

test("every role of every theme keeps the text, has a look, and turns it off again", () => {
  for (const theme of everyTheme) {
    for (const role of ROLES) {
      const row = theme.style(role, "text");
      expect(row.replaceAll(SGR, "")).toBe("text");
      const codes = codesOf(row);
      expect(codes.filter(isEnd).length * 2).toBe(codes.length);
      if (role !== "variable" && theme.name !== "none") expect([theme.name, role, codes.length]).not.toContain(0);
    }
  }
});

test("themes use the colours that the terminal has: 16, 256 or all", () => {
  for (const [at, allowed] of [isColor, isOf256, isOf24Bits].entries()) {
    for (const theme of Object.values(themesFor(DEPTHS[at] ?? 4))) {
      const codes = ROLES.flatMap((role) => codesOf(theme.style(role, "text")));
      expect(codes.filter((code) => !(Number(code) < 10 || isEnd(code) || isColor(code) || allowed(code)))).toEqual([]);
    }
  }
  expect(themesFor(24).dracula.style("success", "a")).toBe("\x1b[38;2;80;250;123ma\x1b[39m");
  expect(themesFor(8).dracula.style("success", "a")).toBe("\x1b[38;5;84ma\x1b[39m");
  expect(themesFor(4).dracula.style("success", "a")).toBe("\x1b[32ma\x1b[39m");
});

test.each([
  [{ COLORTERM: "truecolor", TERM: "xterm" }, 24],
  [{ TERM: "xterm-direct" }, 24],
  [{ COLORTERM: "yes", TERM: "xterm-256color" }, 8],
  [{ TERM: "xterm" }, 4],
] as const)("a terminal with %o has %d bits for a colour", (env, bits) => {
  expect(colorBits(env)).toBe(bits);
});

test("roles that stand side by side differ in every theme", () => {
  const groups = [
    ["success", "warning", "error", "accent", "dim"],
    ["added", "removed", "dim"],
    ["keyword", "string", "number", "comment", "function"],
  ] as const;
  for (const theme of everyTheme.filter(({ name }) => name !== "none")) {
    for (const roles of groups) {
      const looks = new Set(roles.map((role) => theme.style(role, "x")));
      expect([theme.name, ...looks]).toHaveLength(roles.length + 1);
    }
  }
});

test("24-bit colours have the contrast that WCAG asks of text, 4.5 to 1, on their background", () => {
  for (const [name, row] of Object.entries(THEME_ROWS)) {
    if (!("background" in row)) continue;
    const theme = themeNamed(name);
    for (const role of ROLES) {
      const [, hex] =
        /38;2;(\d+;\d+;\d+)m/.exec(themesFor(24)[theme.name as keyof typeof THEME_ROWS].style(role, "x")) ?? [];
      if (hex === undefined) continue;
      const [light = 1, dark = 0] = [luminance(hex.split(";").map(Number)), luminance(channels(row.background))].sort(
        (a, b) => b - a,
      );
      expect([name, role, (light + 0.05) / (dark + 0.05) >= 4.5]).toEqual([name, role, true]);
    }
  }
});

test("the preview of a theme shows its own colours", () => {
  const previews = Object.values(THEMES).map((theme) => previewOf(theme).join("\n"));
  expect(new Set(previews).size).toBe(THEME_NAMES.length);
  expect(new Set(previews.map((text) => Bun.stripANSI(text))).size).toBe(1);
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
  expect(() => themeNamed("toString")).toThrow(
    'unknown theme "toString"; use dark, light, high-contrast, color-blind, dracula, github-light, none, auto',
  );
});

function isEnd(code: string): boolean {
  return ["22", "23", "24", "27", "29", "39"].includes(code);
}

function isColor(code: string): boolean {
  return /^(?:3[0-7]|9[0-7])$/.test(code);
}

function isOf256(code: string): boolean {
  return /^38;5;\d+$/.test(code);
}

function isOf24Bits(code: string): boolean {
  return /^38;2;\d+;\d+;\d+$/.test(code);
}

function channels(hex: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

/** https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
function luminance(rgb: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = rgb.map((value) =>
    value <= 10 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
