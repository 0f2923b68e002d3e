import { describe, expect, test } from "bun:test";
import { changesData, changesDocuments, changesKeys } from "../../../src/shell/steps/effects/changes-data.ts";
import { expectLinear } from "../../helpers/growth.ts";

describe("SQL that changes data", () => {
  test.each([
    "DROP TABLE x",
    "  delete from x",
    "begin; update x set y = 1; commit",
    "select 1; truncate x",
    "-- note\ninsert into x values (1)",
    "with a as (select 1) delete from x",
    "explain analyze delete from x",
    "copy x from '/f'",
    "create table x (y int)",
  ])("%s", (sql) => expect(changesData(sql)).toBe(true));

  test.each([
    "select 1",
    "select 'drop table x; delete from x'",
    "-- drop table x",
    "/* drop table x */ select 1",
    "select * from x for update",
    "explain delete from x",
    "copy x to '/f'",
    "create temporary table x (y int)",
    "show tables",
    "\\dt",
  ])("not: %s", (sql) => expect(changesData(sql)).toBe(false));
});

test("documents and keys", () => {
  expect(["db.x.drop()", "db.x.insertOne({})", "db.x.find()"].map(changesDocuments)).toEqual([true, true, false]);
  expect(["FLUSHALL", "set", "hset", "get", "keys"].map(changesKeys)).toEqual([true, true, true, false, false]);
});

test("comments without an end take no longer than other text", () =>
  expectLinear(200_000, (size) => {
    const sql = "select /*".repeat(size / 9);
    return () => changesData(sql);
  }));
