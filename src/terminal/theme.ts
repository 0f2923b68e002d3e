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

/** The SGR code that turns an attribute on, and the one that turns it off (ECMA-48, 8.3.117). */
type Attribute = readonly [on: number, off: number];

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

/**
 * The themes. They use the 16 ANSI colours and attributes such as bold, so that the palette of the user's terminal applies.
 * `none` returns text unchanged.
 */
export const THEMES = {
  dark: styledTheme("dark", ON_DARK),
  light: styledTheme("light", ON_LIGHT),
  none: { name: "none", style: (_role: Role, text: string) => text },
} as const satisfies Readonly<Record<string, Theme>>;

/** The name of a theme, as in `settings.theme`. */
type ThemeName = keyof typeof THEMES;

/** The names of the themes, in the order of `/theme`. */
export const THEME_NAMES = Object.keys(THEMES) as readonly ThemeName[];

/** Returns the theme of a name. Throws `UserError` if there is none. */
export function themeNamed(name: string): Theme {
  const theme: Theme | undefined = THEME_NAMES.includes(name as ThemeName) ? THEMES[name as ThemeName] : undefined;
  if (theme === undefined)
    throw new UserError(`unknown theme ${JSON.stringify(name)}; use ${[...THEME_NAMES, "auto"].join(", ")}`);
  return theme;
}

function styledTheme(name: string, styles: Styles): Theme {
  return { name, style: (role, text) => styles[role].reduce(styled, text) };
}

/** Turns an attribute on for a text, and on again where text inside turns it off. */
function styled(text: string, [on, off]: Attribute): string {
  if (text === "") return "";
  const [start, end] = [`\x1b[${on}m`, `\x1b[${off}m`];
  return `${start}${text.replaceAll(end, `${end}${start}`)}${end}`;
}
