import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BUILT_IN_TOOLS } from "../../src/config/toolsets/built-in-tools.ts";
import { ATTACKS } from "../../src/testing/attacks/run-attacks.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { jsonLines } from "./guard-files.ts";

const AGENT = (extra: string) => `${extra}
agents:
  root:
    model: openai/gpt-4o-mini
    instruction: Help.
    toolsets: [{type: shell}, {type: filesystem}]
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks:
            - name: guard
              type: command
              command: "if grep -q 'git push'; then echo no >&2; exit 2; fi"
`;

describe("the list of attacks", () => {
  test("has at least 25 different calls in each category, each with a reason, of tools that hooksh has", () => {
    const all = Object.values(ATTACKS).flat();
    for (const [category, attacks] of Object.entries(ATTACKS)) {
      expect([category, attacks.length >= 25]).toEqual([category, true]);
      for (const { tool, why } of attacks) {
        expect(BUILT_IN_TOOLS).toContain(tool);
        expect(why).toMatch(/^\S[^\n]{8,}[^.\s]$/);
      }
    }
    expect(new Set(all.map(({ tool, input }) => JSON.stringify([tool, input]))).size).toBe(all.length);
  });
});

describe("hooksh test --attacks", () => {
  test("says what the guards stop, and exits 1 because some pass", async () => {
    const cwd = tempDir({ "agent.yaml": AGENT("") });
    const { stdout, code } = await hooksh(["test", "--attacks=force-push", "--json", "agent.yaml"], { cwd });
    const lines = jsonLines(stdout);
    const find = (cmd: string) => lines.find((line) => (line["input"] as { cmd?: string } | undefined)?.cmd === cmd);
    expect(find("git push --force")).toMatchObject({ outcome: "denied", by: ["guard"], category: "force-push" });
    expect(find("git -C . push --force")).toMatchObject({ outcome: "no opinion", by: [] });
    expect(find("git push --force origin main")).toMatchObject({ tool: "run_background_job", outcome: "no tool" });
    expect(lines.at(-1)).toMatchObject({ type: "attacks", file: "agent.yaml", calls: ATTACKS["force-push"]?.length });
    expect(Number(lines.at(-1)?.["passed"])).toBeGreaterThan(5);
    expect(code).toBe(1);
  });

  test("counts permission rules, the safety mode and tools that only read", async () => {
    const rules =
      'permissions: {deny: ["shell:cmd=git update-ref *"], ask: ["shell:cmd=hg *"], allow: ["shell:cmd=jj *"]}';
    const cwd = tempDir({ "rules.yaml": AGENT(rules), "mode.yaml": AGENT("runtime: {safety: restricted}") });
    const outcomes = async (file: string, category: string) => {
      const { stdout } = await hooksh(["test", `--attacks=${category}`, "--json", file], { cwd });
      return jsonLines(stdout).map(({ input, outcome, by }) => ({ input, outcome, by }));
    };
    const byRules = await outcomes("rules.yaml", "force-push");
    expect(byRules).toContainEqual({
      input: { cmd: "git update-ref -d refs/heads/main" },
      outcome: "denied",
      by: ["permissions.deny"],
    });
    expect(byRules).toContainEqual({ input: { cmd: "hg push --force" }, outcome: "asked", by: ["permissions.ask"] });
    const byMode = await outcomes("mode.yaml", "credentials");
    expect(byMode).toContainEqual({ input: { cmd: "cat .env" }, outcome: "denied", by: ["safety: restricted"] });
    expect(byMode).toContainEqual({ input: { path: ".env" }, outcome: "allowed", by: ["safety: restricted"] });
    const withoutMode = await outcomes("rules.yaml", "credentials");
    expect(withoutMode).toContainEqual({ input: { path: ".env" }, outcome: "allowed", by: ["a tool that only reads"] });
  });

  test("exits 0 if nothing passes, and runs no call", async () => {
    const hooks = "pre_tool_use: [{hooks: [{type: command, command: 'echo no >&2; exit 2'}]}]\n";
    const cwd = tempDir({ "hooks.yaml": hooks, "data/app.sqlite3": "x" });
    const { stdout, code } = await hooksh(["test", "--attacks=deletion", "hooks.yaml"], { cwd });
    expect(stdout).toMatch(/^CATEGORY +CALLS +DENIED +ASKED +ALLOWED +NO OPINION$/m);
    expect(stdout).not.toContain("pass");
    expect(code).toBe(0);
    expect(existsSync(join(cwd, "data/app.sqlite3"))).toBe(true);
  });

  test("a refusal by a hook that failed is no guard, unless another one refuses", async () => {
    const missing = "{name: gone, type: command, command: ./gone.sh}";
    const guard = "{name: guard, type: command, command: 'if grep -q force; then exit 2; fi'}";
    const cwd = tempDir({ "hooks.yaml": `pre_tool_use: [{matcher: shell, hooks: [${missing}, ${guard}]}]\n` });
    const { stdout, code } = await hooksh(["test", "--attacks=force-push", "--json", "hooks.yaml"], { cwd });
    const lines = jsonLines(stdout);
    const find = (cmd: string) => lines.find((line) => (line["input"] as { cmd?: string } | undefined)?.cmd === cmd);
    expect(find("git push --force")).toMatchObject({ outcome: "denied", by: ["guard"] });
    expect(find("hg push --force")).toMatchObject({ outcome: "denied", by: ["guard"] });
    const failed = find("git push --mirror");
    expect(failed).toMatchObject({ outcome: "failed", by: [expect.stringMatching(/^gone: exited with status 127: /)] });
    expect(code).toBe(1);
    const text = await hooksh(["test", "--attacks=force-push", "hooks.yaml"], { cwd });
    expect(text.stdout).toMatch(/^CATEGORY .* FAILED$/m);
    expect(text.stdout).toMatch(/^\d+ calls no hook judged: the hooks failed, which counts as not guarded$/m);
    expect(text.stdout).toContain("    failed: gone: exited with status 127: ");
  });

  test("lists each call that passes with the harm it does", async () => {
    const cwd = tempDir({ "hooks.yaml": "stop: [{type: command, command: 'true'}]\n" });
    const { stdout, code } = await hooksh(["test", "--attacks=deletion", "hooks.yaml"], { cwd });
    expect(stdout).toContain(
      "deletion: 50 pass\n  shell rm -rf /\n    no opinion; deletes every file that the user may delete",
    );
    expect(code).toBe(1);
  });

  test("names the categories if one is unknown, and needs something to attack", async () => {
    const cwd = tempDir();
    const unknown = await hooksh(["test", "--attacks=exfiltraton", "x.yaml"], { cwd });
    expect(unknown.stderr).toContain('unknown category "exfiltraton", did you mean exfiltration? (known: deletion,');
    expect(unknown.code).toBe(64);
    const nothing = await hooksh(["test", "--attacks"], { cwd });
    expect(nothing.stderr).toContain("--attacks needs an agent file, a hooks file or test files");
    expect(nothing.code).toBe(64);
    const both = await hooksh(["test", "--init", "hooks.yaml", "--attacks"], { cwd });
    expect([both.code, both.stderr]).toEqual([64, expect.stringContaining("--init has no effect with --attacks")]);
  });
});
