/** Parses a whole number in decimal notation with an optional sign. Undefined for any other text. */
export function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
