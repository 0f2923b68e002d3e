const HTML: Record<string, string> = {
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\0": "\ufffd",
};

const JS: Record<string, string> = { "\\": "\\\\", "'": "\\'", '"': '\\"' };

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/["'&<>\0]/g, (char) => HTML[char] ?? char);
}

/** Escapes text for a JavaScript string. */
export function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=\p{Cc}\p{Zl}\p{Zp}]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return JS[char] ?? `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

/** Escapes text for the query of a URL. */
export function escapeQuery(text: string): string {
  const escaped = encodeURIComponent(text.toWellFormed());
  const rest = escaped.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return rest.replaceAll("%20", "+");
}
