import { THEME_NAMES } from "../config/user/terminal-settings.ts";
import { type Env, processEnv } from "../lib/env.ts";
import { UserError } from "../lib/errors.ts";

/** What a piece of text on the screen is; a theme gives each role its style. */
export const ROLES = [
  // styles
  "bold",
  "italic",
  "underline",
  "strike",
  "dim",
  "inverse",
  // Markdown
  "heading",
  "link",
  "url",
  "code",
  "codeBorder",
  "quote",
  "quoteBorder",
  "bullet",
  "rule",
  // states
  "accent",
  "success",
  "warning",
  "error",
  "added",
  "removed",
  // parts of the screen
  "userMessage",
  "toolName",
  "border",
  "selected",
  "status",
  // code
  "keyword",
  "string",
  "number",
  "comment",
  "function",
  "type",
  "variable",
  "property",
  "tag",
  "meta",
] as const;

export type Role = (typeof ROLES)[number];

/** The style of every role. */
export interface Theme {
  name: string;
  /**
   * Returns text in the style of a role, which ends with the text. Styled text inside keeps its own style, and the
   * outer one continues after it. Does not escape control characters.
   */
  style(role: Role, text: string): string;
}

/**
 * The SGR code that turns an attribute on, and the one that turns it off (ECMA-48, 8.3.117); for a colour of a palette also
 * its 24 bits, as `#rrggbb`, for terminals that have more than 16 colours.
 */
type Attribute = readonly [on: number, off: number, rgb?: string];

const NORMAL_WEIGHT = 22;
const BOLD: Attribute = [1, NORMAL_WEIGHT];
const DIM: Attribute = [2, NORMAL_WEIGHT];
const ITALIC: Attribute = [3, 23];
const UNDERLINE: Attribute = [4, 24];
const INVERSE: Attribute = [7, 27];
const STRIKE: Attribute = [9, 29];

const DEFAULT_COLOR = 39;
const RED: Attribute = [31, DEFAULT_COLOR];
const GREEN: Attribute = [32, DEFAULT_COLOR];
const YELLOW: Attribute = [33, DEFAULT_COLOR];
const BLUE: Attribute = [34, DEFAULT_COLOR];
const MAGENTA: Attribute = [35, DEFAULT_COLOR];
const CYAN: Attribute = [36, DEFAULT_COLOR];
const BRIGHT_BLUE: Attribute = [94, DEFAULT_COLOR];

type Styles = Readonly<Record<Role, readonly Attribute[]>>;

/** Colours that most palettes make readable on black; blue is too dark there. */
const ON_DARK: Styles = {
  bold: [BOLD],
  italic: [ITALIC],
  underline: [UNDERLINE],
  strike: [STRIKE],
  dim: [DIM],
  inverse: [INVERSE],
  heading: [BOLD, CYAN],
  link: [UNDERLINE, BRIGHT_BLUE],
  url: [DIM],
  code: [YELLOW],
  codeBorder: [DIM],
  quote: [ITALIC],
  quoteBorder: [DIM],
  bullet: [CYAN],
  rule: [DIM],
  accent: [CYAN],
  success: [GREEN],
  warning: [YELLOW],
  error: [RED],
  added: [GREEN],
  removed: [RED],
  userMessage: [BOLD],
  toolName: [BOLD],
  border: [DIM],
  selected: [INVERSE],
  status: [DIM],
  keyword: [MAGENTA],
  string: [GREEN],
  number: [YELLOW],
  comment: [DIM],
  function: [BRIGHT_BLUE],
  type: [CYAN],
  variable: [],
  property: [CYAN],
  tag: [BRIGHT_BLUE],
  meta: [YELLOW],
};

/** The same on white, where yellow, cyan and bright colours are too pale. */
const ON_LIGHT: Styles = {
  ...ON_DARK,
  heading: [BOLD, BLUE],
  link: [UNDERLINE, BLUE],
  code: [MAGENTA],
  bullet: [BLUE],
  accent: [BLUE],
  warning: [BOLD, MAGENTA],
  keyword: [MAGENTA],
  number: [RED],
  function: [BLUE],
  type: [BLUE],
  property: [BLUE],
  tag: [BLUE],
  meta: [MAGENTA],
};

/** The colours of a theme by what they say; the other roles follow from them. */
type Colors = Readonly<
  Record<
    | "muted"
    | "accent"
    | "good"
    | "warn"
    | "bad"
    | "added"
    | "removed"
    | "keyword"
    | "string"
    | "number"
    | "call"
    | "type",
    Attribute
  >
>;

/** A colour of a palette, with the ANSI colour for terminals that have only 16. */
function rgb(hex: string, ansi: number): Attribute {
  return [ansi, DEFAULT_COLOR, hex];
}

function ansi(code: number): Attribute {
  return [code, DEFAULT_COLOR];
}

function stylesOf(colors: Colors): Styles {
  const { muted, accent, good, warn, bad, added, removed, keyword, string, number, call, type } = colors;
  return {
    ...ON_DARK,
    dim: [muted],
    heading: [BOLD, accent],
    link: [UNDERLINE, call],
    url: [muted],
    code: [number],
    codeBorder: [muted],
    quoteBorder: [muted],
    bullet: [accent],
    rule: [muted],
    accent: [accent],
    success: [good],
    warning: [warn],
    error: [BOLD, bad],
    added: [added],
    removed: [removed],
    border: [muted],
    status: [muted],
    keyword: [keyword],
    string: [string],
    number: [number],
    comment: [muted],
    function: [call],
    type: [type],
    property: [type],
    tag: [call],
    meta: [number],
  };
}

/** The name of a theme, as in `settings.theme`. */
type ThemeName = (typeof THEME_NAMES)[number];

/** A row of {@link THEME_ROWS}. */
interface ThemeRow {
  /** As `/theme` shows it. */
  summary: string;
  /** The background that the 24-bit colours are made for. */
  background?: string;
  /** Absent if the theme returns text unchanged. */
  styles?: Styles;
}

/**
 * All themes, in the order of `/theme`. The first two use the 16 ANSI colours only, so that the palette of the user's
 * terminal applies.
 */
export const THEME_ROWS = {
  dark: { summary: "your terminal's colours, for a dark background", styles: ON_DARK },
  light: { summary: "your terminal's colours, for a light background", styles: ON_LIGHT },
  "high-contrast": {
    summary: "bright colours and no dim text, for a dark background",
    styles: stylesOf({
      muted: ansi(37),
      accent: ansi(96),
      good: ansi(92),
      warn: ansi(93),
      bad: ansi(91),
      added: ansi(92),
      removed: ansi(91),
      keyword: ansi(95),
      string: ansi(92),
      number: ansi(93),
      call: ansi(96),
      type: ansi(94),
    }),
  },
  "color-blind": {
    summary: "blue and orange instead of green and red, for a dark background",
    background: "#000000",
    // The colours of Okabe and Ito (https://jfly.uni-koeln.de/color/), the green a little lighter.
    styles: stylesOf({
      muted: rgb("#a8a8a8", 37),
      accent: rgb("#cc79a7", 95),
      good: rgb("#56b4e9", 94),
      warn: rgb("#f0e442", 93),
      bad: rgb("#d55e00", 31),
      added: rgb("#56b4e9", 94),
      removed: rgb("#e69f00", 33),
      keyword: rgb("#cc79a7", 95),
      string: rgb("#2bc49a", 36),
      number: rgb("#e69f00", 33),
      call: rgb("#56b4e9", 94),
      type: rgb("#f0e442", 93),
    }),
  },
  dracula: {
    summary: "the palette of Dracula, for a dark background",
    background: "#282a36",
    // https://spec.draculatheme.com; its colour of comments is too dark for text that must be read.
    styles: stylesOf({
      muted: rgb("#a4accd", 37),
      accent: rgb("#bd93f9", 95),
      good: rgb("#50fa7b", 32),
      warn: rgb("#f1fa8c", 93),
      bad: rgb("#ff6e6e", 31),
      added: rgb("#50fa7b", 32),
      removed: rgb("#ff6e6e", 31),
      keyword: rgb("#ff79c6", 35),
      string: rgb("#f1fa8c", 93),
      number: rgb("#ffb86c", 33),
      call: rgb("#50fa7b", 32),
      type: rgb("#8be9fd", 36),
    }),
  },
  "github-light": {
    summary: "the palette of GitHub, for a light background",
    background: "#ffffff",
    // https://primer.style/foundations/color
    styles: stylesOf({
      muted: rgb("#57606a", 90),
      accent: rgb("#0550ae", 34),
      good: rgb("#116329", 32),
      warn: rgb("#7d4e00", 35),
      bad: rgb("#a40e26", 31),
      added: rgb("#116329", 32),
      removed: rgb("#a40e26", 31),
      keyword: rgb("#cf222e", 31),
      string: rgb("#0a3069", 34),
      number: rgb("#953800", 36),
      call: rgb("#6639ba", 35),
      type: rgb("#116329", 32),
    }),
  },
  none: { summary: "no colours" },
} as const satisfies Readonly<Record<ThemeName, ThemeRow>>;

/** How many bits a terminal has for a colour: 4 are the 16 ANSI colours. */
export type ColorBits = 4 | 8 | 24;

/** Returns how many colours a terminal says it has: in COLORTERM, or by its name in TERM. */
export function colorBits({ COLORTERM = "", TERM = "" }: Env): ColorBits {
  if (/^(?:truecolor|24bit)$/i.test(COLORTERM) || TERM.endsWith("-direct")) return 24;
  return TERM.includes("256color") ? 8 : 4;
}

/** Returns all themes for a terminal with that many colours. */
export function themesFor(bits: ColorBits): Readonly<Record<ThemeName, Theme>> {
  const rows = Object.entries<ThemeRow>(THEME_ROWS);
  return Object.fromEntries(rows.map(([name, { styles }]) => [name, styledTheme(name, styles, bits)])) as Record<
    ThemeName,
    Theme
  >;
}

/** The themes for the terminal of this process. */
export const THEMES = themesFor(colorBits(processEnv()));

/** Returns rows that show what a theme looks like. */
export function previewOf({ style }: Theme): string[] {
  const samples = (...parts: readonly (readonly [Role, string])[]) =>
    parts.map(([role, text]) => style(role, text)).join("  ");
  return [
    samples(["heading", "heading"], ["link", "link"], ["code", "code"], ["accent", "● running"], ["success", "✓ done"]),
    samples(
      ["warning", "warning"],
      ["error", "✗ error"],
      ["added", "+ added"],
      ["removed", "- removed"],
      ["dim", "dim"],
    ),
    samples(
      ["keyword", "return"],
      ["function", "call"],
      ["string", '"text"'],
      ["number", "42"],
      ["comment", "// note"],
    ),
  ];
}

/** Returns the theme of a name. Throws `UserError` if there is none. */
export function themeNamed(name: string): Theme {
  const theme: Theme | undefined = THEME_NAMES.includes(name as ThemeName) ? THEMES[name as ThemeName] : undefined;
  if (theme === undefined)
    throw new UserError(`unknown theme ${JSON.stringify(name)}; use ${[...THEME_NAMES, "auto"].join(", ")}`);
  return theme;
}

function styledTheme(name: string, styles: Styles | undefined, bits: ColorBits): Theme {
  if (!styles) return { name, style: (_role, text) => text };
  return { name, style: (role, text) => styles[role].reduce((inner, look) => styled(inner, look, bits), text) };
}

/** Turns an attribute on for a text, and on again where text inside turns it off. */
function styled(text: string, look: Attribute, bits: ColorBits): string {
  if (text === "") return "";
  const [start, end] = [`\x1b[${codeOf(look, bits)}m`, `\x1b[${look[1]}m`];
  return `${start}${text.replaceAll(end, `${end}${start}`)}${end}`;
}

function codeOf([on, , rgb]: Attribute, bits: ColorBits): string {
  if (rgb === undefined || bits === 4) return String(on);
  const channels = [1, 3, 5].map((at) => Number.parseInt(rgb.slice(at, at + 2), 16));
  return bits === 24 ? `38;2;${channels.join(";")}` : `38;5;${cubeIndex(channels)}`;
}

/** Returns the nearest of the 216 colours that terminals with 256 have as a cube: 0, 95, 135 ... 255 in each direction. */
function cubeIndex(channels: readonly number[]): number {
  return (
    channels.reduce((index, value) => index * 6 + (value < 48 ? 0 : Math.max(1, Math.round((value - 55) / 40))), 0) + 16
  );
}
