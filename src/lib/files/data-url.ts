/** Splits a base64 `data:` URL into its MIME type and data. Undefined for any other URL. */
export function parseDataUrl(url: string): { mimeType: string; data: string } | undefined {
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma < 0 || !url.slice(0, comma).endsWith(";base64")) return undefined;
  return {
    mimeType: url.slice("data:".length, comma - ";base64".length).split(";")[0] ?? "",
    data: url.slice(comma + 1),
  };
}
