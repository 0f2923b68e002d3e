import { expect, test } from "bun:test";
import { robotsAllow } from "../../../src/tools/fetch/robots.ts";
import { expectLinear } from "../../helpers/growth.ts";

const ROBOTS = [
  "User-agent: other",
  "User-agent: third # also",
  "Disallow: /",
  "",
  "User-agent: *",
  "Disallow: /private",
  "Allow: /private/open",
  "Disallow: /*.pdf$",
  "Disallow: /a*b*c",
  "Disallow:",
].join("\r\n");

test.each([
  ["/", true],
  ["/private", false],
  ["/private/x", false],
  ["/private/open/y", true],
  ["/x/y.pdf", false],
  ["/x/y.pdf?download", true],
  ["/a1b2c3", false],
  ["/acb", true],
])("the group of * decides about %s: %p", (path, allowed) => {
  expect(robotsAllow(ROBOTS, "hooksh", path)).toBe(allowed);
});

test("only the groups that name the agent apply to it", () => {
  expect(robotsAllow(ROBOTS, "third", "/x")).toBe(false);
  expect(robotsAllow("User-agent: hooksh\nDisallow:\n\nUser-agent: *\nDisallow: /", "hooksh", "/x")).toBe(true);
});

test.each([
  ["a version follows the product", "User-agent: Hooksh/1.0\nDisallow: /x"],
  [
    "another group is between two of the agent",
    "User-agent: hooksh\nDisallow: /x\n\nUser-agent: b\nAllow: /\n\nUser-agent: hooksh\nDisallow: /y",
  ],
  [
    "other lines are between the agents of a group",
    "User-agent: hooksh\nSitemap: /s\nCrawl-delay: 1\nUser-agent: b\nDisallow: /x",
  ],
])("a group applies to the agent if %s", (_case, robots) => {
  expect(robotsAllow(robots, "hooksh", "/x")).toBe(false);
});

test("a file without rules allows everything", () => {
  expect(robotsAllow("", "hooksh", "/x")).toBe(true);
  expect(robotsAllow("<html>not found</html>", "hooksh", "/x")).toBe(true);
});

test("of two rules with the same length the one that allows decides", () => {
  expect(robotsAllow("User-agent: *\nDisallow: /x\nAllow: /x", "hooksh", "/x")).toBe(true);
  expect(robotsAllow("User-agent: *\nAllow: /x\nDisallow: /x", "hooksh", "/x")).toBe(true);
});

// The table of RFC 9309, section 2.2.2, and what follows from its text.
test.each([
  ["/foo/bar/ツ", "/foo/bar/%E3%83%84", true],
  ["/foo/bar/%E3%83%84", "/foo/bar/%e3%83%84", true],
  ["/foo/bar/%62%61%7A", "/foo/bar/baz", true],
  ["/foo/bar/baz", "/foo/bar/%62%61%7A", true],
  ["/a%3cd", "/a%3Cd", true],
  ["/a%2Ab", "/a*b", true],
  ["/a%2Ab", "/axb", false],
  ["/price%24", "/price$5", true],
  ["/a/b", "/a%2Fb", false],
])("percent-encoding: the rule %s matches %s: %p", (rule, path, matches) => {
  expect(robotsAllow(`User-agent: *\nDisallow: ${rule}`, "hooksh", path)).toBe(!matches);
});

test("the time for a large robots.txt grows with its size and not with its square", async () => {
  await expectLinear(80_000, (rules) => {
    const robots = `User-agent: *\n${"Disallow: /x\n".repeat(rules)}`;
    return () => robotsAllow(robots, "hooksh", "/y");
  });
});
