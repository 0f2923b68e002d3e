import { describe, expect, test } from "bun:test";
import { compileDomains } from "../../../src/tools/fetch/domains.ts";

test.each([
  ["example.com", "example.com", true],
  ["example.com", "a.b.example.com", true],
  ["Example.COM", "example.com.", true],
  ["example.com", "notexample.com", false],
  ["example.com", "example.com.evil.org", false],
  [".example.com", "a.example.com", true],
  [".example.com", "example.com", false],
  ["*.example.com", "a.example.com", true],
  ["*.example.com", "example.com", false],
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.1.2.3", false],
  ["10.0.0.0/8", "10.example.com", false],
  ["2001:db8::/32", "[2001:db8::1]", true],
  ["192.0.2.1", "192.0.2.1", true],
  ["[2001:db8::1]", "[2001:db8::1]", true],
  ["192.0.2.1", "[::ffff:c000:201]", true],
  ["[2001:db8:0::1]", "[2001:db8::1]", true],
  ["пример.рф", "xn--e1afmkfd.xn--p1ai", true],
  ["*.Пример.рф", "a.xn--e1afmkfd.xn--p1ai", true],
])("%s against %s: %p", (pattern, host, expected) => {
  expect(compileDomains("allowed_domains", [pattern])(host)).toBe(expected);
});

describe("a pattern is refused", () => {
  test.each([
    "",
    " ",
    "a.*.com",
    "*",
    "*example.com",
    "https://example.com",
    "example.com/x",
    "10.0.0.0/33",
    "a b.com",
    "example.com:80",
  ])("%p", (pattern) => {
    expect(() => compileDomains("blocked_domains", [pattern])).toThrow("blocked_domains: ");
  });
});
