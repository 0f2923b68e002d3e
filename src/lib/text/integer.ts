/** A whole number in decimal notation, with an optional sign and nothing around it; undefined for any other text. */
export function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
