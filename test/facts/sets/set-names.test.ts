import { expect, test } from "bun:test";
import { hostTest } from "../../../src/facts/sets/host-test.ts";
import { pathTest } from "../../../src/facts/sets/path-test.ts";
import { HOST_SETS, isBareWord, isHostSet, isPathSet, PATH_SETS } from "../../../src/facts/sets/set-names.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { placeIn, valuesOf } from "./fits-in.ts";

test("a bare word has no dot, slash or wildcard", () => {
  expect(["credentials", "my-set", "Makefile", "a_b", "x2"].filter((word) => !isBareWord(word))).toEqual([]);
  expect(["a.b", "a/b", "./a", "*", "a*", "db.", "~", "10", "", "[a]", "a:1", "::1"].filter(isBareWord)).toEqual([]);
});

test("only own names are sets", () => {
  expect([isPathSet("tmp"), isHostSet("project"), isPathSet("forges"), isPathSet("toString")]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test("every set can be tested", () => {
  const place = placeIn(tempDir());
  const own = { paths: {}, hosts: {} };
  const [value] = valuesOf("/srv/x", place);
  if (!value) throw new Error("no value");
  const paths = Object.keys(PATH_SETS).filter((name) => pathTest([name], { own, place })(value, "either") === "all");
  expect(paths).toEqual(["outside"]);
  const hosts = Object.keys(HOST_SETS).filter(
    (name) => hostTest([name], { own, place })({ host: "h.example", sure: true }) === "all",
  );
  expect(hosts).toEqual([]);
});
