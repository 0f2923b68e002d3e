import { sha256 } from "../../lib/platform.ts";
import { bundlePage } from "./bundle-page.ts" with { type: "macro" };
import type { OpenedTrace } from "./open-trace.ts";
import { toPageData } from "./to-page-data.ts";

const { script, style } = bundlePage("src/records/trace/page");

/** The characters that end a script element or a line of JavaScript. */
const UNSAFE_IN_SCRIPT = /[<>&\u2028\u2029]/g;

/**
 * Renders a trace as one HTML page that needs no other file and no network. Its policy allows this script and this
 * style sheet, and nothing else; the script puts texts of the trace onto the page as text only, and Trusted Types make
 * the browser refuse anything else.
 */
export function renderPage(trace: OpenedTrace): string {
  const data = toPageData(trace.roots, trace);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(data.title)}</title>
<style>${style}</style>
</head>
<body>
<noscript>This page shows a trace with JavaScript, which this browser does not run.</noscript>
<script type="application/json" id="data">${jsonForScript(data)}</script>
<script>${script}</script>
</body>
</html>
`;
}

function policy(): string {
  return [
    "default-src 'none'",
    `script-src 'sha256-${sha256(script, "base64")}'`,
    `style-src 'sha256-${sha256(style, "base64")}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** JSON text that cannot end the script element it is in. */
function jsonForScript(value: unknown): string {
  return JSON.stringify(value).replace(
    UNSAFE_IN_SCRIPT,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
