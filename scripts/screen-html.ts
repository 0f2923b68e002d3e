/** The colours of a terminal: the 16 of the ANSI palette, the text and the background. */
export interface Palette {
  name: "dark" | "light";
  text: string;
  background: string;
  colours: readonly string[];
}

const normal = { dark: "#c9d1d9", light: "#24292f" };

/** A dark and a light palette. */
export const PALETTES = {
  dark: {
    name: "dark",
    text: normal.dark,
    background: "#0d1117",
    colours: [
      ...["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4"],
      ...["#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#f0f6fc"],
    ],
  },
  light: {
    name: "light",
    text: normal.light,
    background: "#ffffff",
    colours: [
      ...["#24292f", "#cf222e", "#116329", "#7a5200", "#0969da", "#8250df", "#1b7c83", "#6e7781"],
      ...["#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#8c959f"],
    ],
  },
} as const satisfies Record<string, Palette>;

/** The style of a piece of text. Colours are indexes of the palette. */
interface Style {
  colour?: number | undefined;
  background?: number | undefined;
  isBold?: boolean;
  isDim?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
  isStruck?: boolean;
  isReversed?: boolean;
}

/** What a code of `CSI ... m` changes (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). */
const CODES: Readonly<Record<number, Style>> = {
  1: { isBold: true },
  2: { isDim: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isReversed: true },
  9: { isStruck: true },
  22: { isBold: false, isDim: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isReversed: false },
  29: { isStruck: false },
  39: { colour: undefined },
  49: { background: undefined },
};

function changeOf(code: number): Style {
  if (code >= 30 && code <= 37) return { colour: code - 30 };
  if (code >= 90 && code <= 97) return { colour: code - 82 };
  if (code >= 40 && code <= 47) return { background: code - 40 };
  if (code >= 100 && code <= 107) return { background: code - 92 };
  return CODES[code] ?? {};
}

function css(style: Style, palette: Palette): string {
  const colours = [
    style.colour === undefined ? palette.text : palette.colours[style.colour],
    style.background === undefined ? palette.background : palette.colours[style.background],
  ];
  const [text, background] = style.isReversed ? colours.toReversed() : colours;
  return [
    `color:${text}`,
    background === palette.background ? "" : `background:${background}`,
    style.isBold ? "font-weight:bold" : "",
    style.isDim ? "opacity:0.65" : "",
    style.isItalic ? "font-style:italic" : "",
    style.isUnderlined ? "text-decoration:underline" : "",
    style.isStruck ? "text-decoration:line-through" : "",
  ]
    .filter(Boolean)
    .join(";");
}

/** Turns a screen with sequences for colours (`tmux capture-pane -e`) into a page that looks like a terminal. */
export function screenAsHtml(screen: string, columns: number, palette: Palette): string {
  let style: Style = {};
  const spans: string[] = [];
  for (const piece of screen.split(/(\x1b\[[\d;]*m|\x1b\][^\x1b\x07]*(?:\x07|\x1b\\))/)) {
    const codes = /^\x1b\[([\d;]*)m$/.exec(piece)?.[1];
    if (codes !== undefined) {
      for (const code of codes.split(";").map(Number)) style = code === 0 ? {} : { ...style, ...changeOf(code) };
    } else if (piece !== "" && !piece.startsWith("\x1b"))
      spans.push(`<span style="${css(style, palette)}">${Bun.escapeHTML(piece)}</span>`);
  }
  return `<!doctype html><meta charset="utf-8"><body style="background:${palette.background}"><pre style="display:inline-block; margin:0; padding:14px 18px; width:${columns}ch;
    font:15px/1.3 'DejaVu Sans Mono',monospace; background:${palette.background}; color:${palette.text}">${spans.join("")}</pre>`;
}
