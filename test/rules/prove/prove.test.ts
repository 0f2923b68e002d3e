import { expect, test } from "bun:test";
import { placeOf } from "../../../src/facts/place.ts";
import { judgeAt } from "../../../src/rules/prove/judge-call.ts";
import { proofTables } from "../../../src/rules/prove/proof-tables.ts";
import { neverPasses } from "../../../src/rules/prove/prove.ts";
import { sampleCalls } from "../../../src/rules/prove/sample-calls.ts";
import { readQuestion, readRules } from "../../../src/rules/read/read-rules.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const cwd = tempDir({ ".git/HEAD": "ref: refs/heads/x\n", "policy.yaml": "" });
const place = placeOf({ cwd, env: { HOME: "/home/me" }, policy: [`${cwd}/policy.yaml`] });
const sets = { paths: {}, hosts: {} };

async function answerTo(question: object, conditions: readonly object[]) {
  const { condition } = readQuestion(question, [], sets);
  const rules = readRules(
    conditions.map((when) => ({ deny: "no", when })),
    ["rules"],
    { sets },
  );
  expect([condition === undefined, rules.problems]).toEqual([false, []]);
  if (!condition) throw new Error("no condition");
  const prover = { tables: proofTables(), samples: sampleCalls(), judge: judgeAt(place), place };
  const { answer, witness, undecided } = await neverPasses(
    condition,
    rules.rules,
    { asksPass: false, hooks: [], sets },
    prover,
  );
  return witness ? [answer, witness.input["cmd"]] : [answer, ...undecided];
}

const MANY = Array.from({ length: 60 }, (_, n) => [
  { effect: "git-history", ref: `team${n}/*` },
  { any: [{ reads: "credentials" }, { reads: `vault${n}/**` }], not: { reads: { only: `ok${n % 4}/**` } } },
  { effect: "fs-delete", writes: { not_in: ["project", "tmp", `/data/${n}/**`] } },
  { program: `tool${n}`, flags: "--force" },
  { effect: "publish", target: { matches: `(?i)(^|[^a-z])prod${n}` } },
]).flat();

test.each<[object, (string | unknown)[]]>([
  [{ effect: "git-history", ref: "team7/x" }, ["proved"]],
  [{ program: "tool3", flags: "--force" }, ["proved"]],
  [{ effect: "fs-delete", writes: { not_in: ["project", "tmp", "/data/**"] } }, ["proved"]],
  [{ effect: "publish" }, ["refuted", "npm publish"]],
  [{ program: "tool3" }, ["refuted", "tool3"]],
  [{ reads: "~/.bash_history" }, ["refuted", expect.stringContaining("~/.bash_history")]],
])("of three hundred rules, %j is decided", async (question, answer) => {
  expect(await answerTo(question, MANY)).toEqual(answer);
});

test.each<[object, object, (string | unknown)[]]>([
  [{ writes: "~/.claude/settings.json" }, { writes: "guards" }, ["proved"]],
  [{ writes: "./policy.yaml" }, { writes: "guards" }, ["proved"]],
  [{ writes: "./other.yaml" }, { writes: "guards" }, ["refuted", "> other.yaml"]],
  [{ reads: "~/.pgpass" }, { reads: "credentials" }, ["refuted", expect.stringMatching(/\.pgpass\/\./)]],
  [{ writes: "startup" }, { writes: ["guards", "~/.bashrc"] }, ["refuted", expect.any(String)]],
  [{ writes: "/etc/cron.d/x" }, { writes: "startup" }, ["proved"]],
])("sets of files are what they cover: %j under %j", async (question, rule, answer) => {
  expect(await answerTo(question, [rule])).toEqual(answer);
});
