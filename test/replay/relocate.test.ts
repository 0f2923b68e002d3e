import { expect, test } from "bun:test";
import { relocationOf } from "../../src/guard/replay/relocate.ts";

const places = relocationOf([
  ["/home/user", "/root"],
  ["/home/user/shop", "/srv/tree"],
  ["s1", "6f1c1a52-0000-4000-8000-000000000000"],
]);

test.each([
  ["/home/user/shop/a", "/srv/tree/a"],
  ["cat /home/user/.ssh/id > /home/user/shop", "cat /root/.ssh/id > /srv/tree"],
  ["file:///home/user/x", "file:///root/x"],
  ["/home/users /x/home/user /home/user-2 /home/user/shop2", "/home/users /x/home/user /home/user-2 /root/shop2"],
  ["s1", "6f1c1a52-0000-4000-8000-000000000000"],
  ["echo s1", "echo s1"],
])("%s becomes %s, and back", (recorded, here) => {
  expect(places.into(recorded)).toBe(here);
  expect(places.outOf(here)).toBe(recorded);
});

test("changes texts at any depth, and keys", () => {
  const value = { "/home/user/a": [{ path: "/home/user/shop" }, 1, null], session_id: "s1" };
  const moved = places.into(value) as unknown;
  expect(moved).toEqual({
    "/root/a": [{ path: "/srv/tree" }, 1, null],
    session_id: "6f1c1a52-0000-4000-8000-000000000000",
  });
  expect(places.outOf(moved) as unknown).toEqual(value);
});
