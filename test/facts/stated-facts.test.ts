import { expect, test } from "bun:test";
import { withStated } from "../../src/facts/stated-facts.ts";
import { event } from "../helpers/rule-facts.ts";

const FACTS = { ...event([]), branch: () => "main", dirty: async () => true, agent: "a", depth: 1, source: "user" };
const facts = { ...FACTS, cost: 1, calls: 2, text: "t", ok: true };

async function values(stated: Record<string, unknown>) {
  const { branch, dirty, event: name, call, now, payload, ...rest } = withStated(facts, stated);
  expect({ name, call, now, payload }).toEqual({
    name: facts.event,
    call: facts.call,
    now: facts.now,
    payload: facts.payload,
  });
  return { branch: branch(), dirty: await dirty(), ...rest };
}

test("stated facts stand in place of those of the event; of another type they are none", async () => {
  const own = {
    branch: "main",
    dirty: true,
    agent: "a",
    depth: 1,
    source: "user",
    cost: 1,
    calls: 2,
    text: "t",
    ok: true,
  };
  expect(await values({})).toEqual(own);
  expect(await values(Object.fromEntries(Object.keys(own).map((name) => [name, []])))).toEqual(own);
  const stated = {
    branch: "b",
    dirty: false,
    agent: "c",
    depth: 0,
    source: "api",
    cost: 0,
    calls: 0,
    text: "",
    ok: false,
  };
  expect(await values(stated)).toEqual(stated);
});
