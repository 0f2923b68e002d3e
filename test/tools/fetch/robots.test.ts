import { expect, test } from "bun:test";
import { robotsAllow } from "../../../src/tools/fetch/robots.ts";

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

test("the group that names the agent counts alone", () => {
  expect(robotsAllow(ROBOTS, "third", "/x")).toBe(false);
  expect(robotsAllow("User-agent: hooksh\nDisallow:\n\nUser-agent: *\nDisallow: /", "hooksh", "/x")).toBe(true);
});

test("nothing said allows everything", () => {
  expect(robotsAllow("", "hooksh", "/x")).toBe(true);
  expect(robotsAllow("<html>not found</html>", "hooksh", "/x")).toBe(true);
});

test("the same length allows", () => {
  expect(robotsAllow("User-agent: *\nDisallow: /x\nAllow: /x", "hooksh", "/x")).toBe(true);
});
