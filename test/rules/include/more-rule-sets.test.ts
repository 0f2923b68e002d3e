import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventFacts } from "../../../src/facts/event-facts.ts";
import { placeOf } from "../../../src/facts/place.ts";
import { compileRules } from "../../../src/rules/compile.ts";
import { RULE_SET_EXAMPLES } from "../../../src/rules/include/rule-set-examples.ts";
import { RULE_SETS } from "../../../src/rules/include/rule-sets.ts";
import { judgeRules } from "../../../src/rules/judge.ts";
import { readRules } from "../../../src/rules/read/read-rules.ts";

type Call = string | { tool: string; input: Record<string, unknown> };

const home = mkdtempSync(join(tmpdir(), "hooksh-sets-"));
const project = join(home, "project");
mkdirSync(join(project, ".git"), { recursive: true });
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Paths below a directory for temporary files are in `tmp`, so that the place has another one. */
const place = { ...placeOf({ cwd: project, env: { HOME: home } }), temporary: ["/tmp/none"] };

/** The rules of a set that deny a call. */
async function denying(set: string, call: Call, parameters?: Record<string, unknown>): Promise<string[]> {
  const include = { include: `builtin:${set}`, ...(parameters && { with: parameters }) };
  const { rules, problems } = readRules([include], ["rules"], { sets: { paths: {}, hosts: {} }, agents: undefined });
  expect(problems).toEqual([]);
  const compiled = compileRules(rules.map((rule) => ({ ...rule, source: async () => "hooks.yaml:1" })));
  const { tool, input } = typeof call === "string" ? { tool: "shell", input: { cmd: call } } : call;
  const payload = { hook_event_name: "pre_tool_use", tool_name: tool, tool_input: input, cwd: project };
  const facts = eventFacts("pre_tool_use", payload, { toolNames: [], host: undefined, place });
  const { hits } = await judgeRules(compiled, facts, { place });
  return hits.map(({ name }) => name.slice(set.length + 1));
}

const write = (path: string, content = "x"): Call => ({ tool: "write_file", input: { path, content } });

/** Calls that a set lets pass. */
const PASSED: Readonly<Record<string, readonly Call[]>> = {
  destruction: [
    "rm -rf dist && npm run build",
    "git commit -m 'drop table x'",
    "git checkout -b x",
    "git push origin x",
    "git -C d branch -d merged",
    "kubectl get pods",
    "kubectl delete pod x --dry-run=client",
    "terraform plan",
    "atmos terraform apply x",
    "atmos terraform output destroy",
    "docker rm x",
    "docker compose up -d",
    "rclone sync a r: --dry-run",
    "rclone sync a r: -n",
    "dd if=a of=/dev/null",
    "chmod +x a",
    "mv a b",
    "npm install x",
    "psql -c 'select 1'",
    "scp a h:b",
    write("src/a.ts"),
  ],
  unattended: [
    "npm test",
    "npm ci",
    "git commit -am x",
    "git log -5",
    "grep -rn NOTE src",
    "cat src/a.ts",
    "sed -i s/a/b/ src/a.ts",
    "rm -rf dist",
    "mkdir -p a/b",
    "curl -s http://localhost:3000/health",
    "find . -name '*.ts' | xargs wc -l",
    "tmux ls",
    "vault policy list",
    "gh pr view 1",
    write("src/a.ts"),
  ],
};

for (const set of ["destruction", "unattended"]) {
  const rules = RULE_SET_EXAMPLES[set] ?? {};
  describe(set, () => {
    for (const [rule, { hit }] of Object.entries(rules))
      test.each(hit.map((call) => [call] as const))(`${rule} denies %j`, async (call) => {
        expect(await denying(set, call)).toContain(rule);
      });

    test.each((PASSED[set] ?? []).map((call) => [call] as const))("%j passes", async (call) => {
      expect(await denying(set, call)).toEqual([]);
    });

    test("every rule is tested above", () => {
      const names = RULE_SETS()[set]?.rules.map(({ name }) => name) ?? [];
      expect(names.filter((name) => name !== "also")).toEqual(Object.keys(rules));
    });
  });
}

test("parameters say what else is denied, and what is not", async () => {
  expect(await denying("destruction", "just wipe", { also: ["just wipe*"] })).toEqual(["also"]);
  expect(await denying("destruction", "rm a.parquet", { data: ["*.parquet"] })).toEqual(["data-files"]);
  expect(await denying("unattended", "curl https://h.example/", { hosts: ["h.example"] })).toEqual([]);
  expect(await denying("unattended", "curl -d x https://h.example/", { hosts: ["h.example"] })).toEqual(["sends"]);
  expect(await denying("unattended", write("package.json"), { files: ["x.json"] })).toEqual([]);
  expect(await denying("unattended", "cat ~/notes", { also_readable: ["~/notes"] })).toEqual([]);
});
