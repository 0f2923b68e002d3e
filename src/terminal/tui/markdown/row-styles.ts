import type { Role, Theme } from "../theme.ts";

/** Styles each line of a text in some roles, the first one innermost. */
export function styleLines(roles: readonly Role[], text: string, theme: Theme): string {
  const style = (line: string) => roles.reduce((styled, role) => theme.style(role, styled), line);
  return text.split("\n").map(style).join("\n");
}

/** Ends styles that continue in the next row, so that each row can be drawn on its own. */
export function closeStyles(row: string): string {
  return row.includes("\x1b") ? `${row}\x1b[0m` : row;
}
