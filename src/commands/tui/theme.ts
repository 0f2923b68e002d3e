import { UserError } from "../../lib/errors.ts";

/** What a piece of text on the screen is; a theme gives each role its look. */
export const ROLES = [
  // looks
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

/** A set of looks for the terminal. */
export interface Theme {
  name: string;
  /**
   * Returns text with the look of a role; the look ends with the text. Styled text inside keeps its own look, and the
   * outer one continues behind it. Does not escape control characters.
   */
  style(role: Role, text: string): string;
}

/** SGR codes that turn a look on, and the one that turns it off again (ECMA-48, 8.3.117). */
type Look = readonly [on: number, off: number];

const NORMAL_WEIGHT = 22;
const BOLD: Look = [1, NORMAL_WEIGHT];
const DIM: Look = [2, NORMAL_WEIGHT];
const ITALIC: Look = [3, 23];
const UNDERLINE: Look = [4, 24];
const INVERSE: Look = [7, 27];
const STRIKE: Look = [9, 29];

const DEFAULT_COLOR = 39;
const RED: Look = [31, DEFAULT_COLOR];
const GREEN: Look = [32, DEFAULT_COLOR];
const YELLOW: Look = [33, DEFAULT_COLOR];
const BLUE: Look = [34, DEFAULT_COLOR];
const MAGENTA: Look = [35, DEFAULT_COLOR];
const CYAN: Look = [36, DEFAULT_COLOR];
const BRIGHT_BLUE: Look = [94, DEFAULT_COLOR];

type Looks = Readonly<Record<Role, readonly Look[]>>;

/** Colours that most palettes make readable on black; blue is too dark there. */
const ON_DARK: Looks = {
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
const ON_LIGHT: Looks = {
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

/**
 * The themes. They use the 16 ANSI colours and looks such as bold, so that the palette of the user's terminal applies.
 * `none` returns text unchanged.
 */
export const THEMES = {
  dark: lookTheme("dark", ON_DARK),
  light: lookTheme("light", ON_LIGHT),
  none: { name: "none", style: (_role: Role, text: string) => text },
} as const satisfies Readonly<Record<string, Theme>>;

export type ThemeName = keyof typeof THEMES;

export const THEME_NAMES = Object.keys(THEMES) as readonly ThemeName[];

/** Returns the theme of a name. Throws `UserError` if there is none. */
export function themeNamed(name: string): Theme {
  const theme: Theme | undefined = THEME_NAMES.includes(name as ThemeName) ? THEMES[name as ThemeName] : undefined;
  if (theme === undefined) throw new UserError(`unknown theme ${JSON.stringify(name)}; use ${THEME_NAMES.join(", ")}`);
  return theme;
}

function lookTheme(name: string, looks: Looks): Theme {
  return { name, style: (role, text) => looks[role].reduce(styled, text) };
}

/** Puts a look around a text and turns it on again where text inside turns it off. */
function styled(text: string, [on, off]: Look): string {
  if (text === "") return "";
  const [start, end] = [`\x1b[${on}m`, `\x1b[${off}m`];
  return `${start}${text.replaceAll(end, `${end}${start}`)}${end}`;
}
