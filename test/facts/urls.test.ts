import { expect, test } from "bun:test";
import { hostOfUrl, pathOfFileUrl, urlsIn } from "../../src/facts/urls.ts";
import { HOLE } from "../../src/shell/steps/invocation.ts";

test.each([
  ["https://H.Example/x?u=other.example", { host: "h.example" }],
  ["https://u:p@h.example:8443/x", { host: "h.example", port: 8443 }],
  ["https://h.example:443/", { host: "h.example", port: 443 }],
  ["h.example/x", { host: "h.example" }],
  ["h.example:8080", { host: "h.example", port: 8080 }],
  ["//h.example/x", { host: "h.example" }],
  ["https://h.example./", { host: "h.example" }],
  ["http://0x7f000001/", { host: "127.0.0.1" }],
  ["http://[::1]:80/", { host: "::1", port: 80 }],
  ["ssh://git@H.example/r", { host: "h.example" }],
  ["git@h.example:o/r.git", { host: "h.example" }],
  ["https://{host}/x y", { host: HOLE }],
  ["git@[FD00::1]:r", { host: "fd00::1" }],
  ["h.example/x:y", { host: "h.example" }],
  ["//h.example:81/x", { host: "h.example", port: 81 }],
  ["HTTPS://h.example:8443/", { host: "h.example", port: 8443 }],
  ["https://h.example/?u=http://b.example:81/", { host: "h.example" }],
  ["https://u:123@h.example/", { host: "h.example" }],
  ["http://h.example:99999/", { host: HOLE, port: 99999 }],
  ["ssh://%24h/r", { host: HOLE }],
  ["ssh://h%24/r", { host: HOLE }],
])("the host of %s", (text, expected) => {
  expect(hostOfUrl(text)).toEqual({ ...expected, sure: true });
});

test.each([
  ["file:///etc/passwd"],
  ["data:text/plain,x"],
  ["mailto:a@h.example"],
  ["MAILTO:h.example"],
  ["data:a:1"],
  [" "],
])("%s has no host", (text) => {
  expect(hostOfUrl(text)).toBeUndefined();
});

test("the path of a file: URL", () => {
  expect(pathOfFileUrl("file:///a%20b/c")).toBe("/a b/c");
  expect(pathOfFileUrl("FILE:///a")).toBe("/a");
  expect(pathOfFileUrl("file:///a%zz")).toBe("/a%zz");
  expect(pathOfFileUrl("file:///a ")).toBe("/a");
  for (const text of ["/etc/passwd", "https://h.example/file:/a", "file://["])
    expect(pathOfFileUrl(text)).toBeUndefined();
});

test("URLs in a text, without what follows them", () => {
  expect(urlsIn("See https://a.example/x, (http://b.example) and <HTTPS://c.example/>.")).toEqual([
    "https://a.example/x",
    "http://b.example",
    "HTTPS://c.example/",
  ]);
});
