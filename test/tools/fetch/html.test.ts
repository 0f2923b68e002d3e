import { expect, test } from "bun:test";
import { renderHtml } from "../../../src/tools/fetch/html.ts";

const PAGE = `<!doctype html><html><head><title>A &amp; B</title><script>if (a < b) { alert("no") }</script>
<style>p { color: red }</style></head>
<body><h1>Top</h1><p>One <b>bold</b> and <em>soft</em>
  text with a <a href="/x?a=1&amp;b=2">link</a>, a <a href="javascript:alert(1)">trap</a>.<br>Next line.
<ul><li>first<li>second <code>x = 1</code></ul>
<pre><code>if a:
    b &lt; c
</code></pre>
<table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table>
<img src="a.png" alt="A picture"><p>&#169; &#x2192; &unknown; &hellip;</p></body></html>`;

const BASE = new URL("https://example.com/dir/page");

test("a page becomes Markdown", () => {
  expect(renderHtml(PAGE, "markdown", BASE)).toBe(
    [
      "A & B",
      "",
      "# Top",
      "",
      "One **bold** and _soft_ text with a [link](https://example.com/x?a=1&b=2), a trap.",
      "Next line.",
      "",
      "- first",
      "- second `x = 1`",
      "",
      "```",
      "if a:",
      "    b < c",
      "",
      "```",
      "",
      "| k | v |",
      "| 1 | 2 |",
      "",
      "![A picture]",
      "",
      "© → &unknown; …",
    ].join("\n"),
  );
});

test("a page becomes plain text", () => {
  const text = renderHtml(PAGE, "text", BASE);
  expect(text).toContain("One bold and soft text with a link, a trap.\nNext line.");
  expect(text).toContain("first\nsecond x = 1");
  expect(text).not.toMatch(/[*_`#[\]|<>]{1}(?! c)/);
  expect(text).not.toContain("alert");
  expect(text).not.toContain("color");
});

test("broken HTML is read as far as it goes", () => {
  expect(renderHtml("<p>open <b>bold <p>next", "text", BASE)).toBe("open bold\n\nnext");
  expect(renderHtml("no tags & no end", "markdown", BASE)).toBe("no tags & no end");
});
