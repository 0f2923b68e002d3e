import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JsonObject } from "../../../src/lib/json.ts";
import type { Call } from "./lists.ts";
import type { Workplace } from "./workplace.ts";

/** What a guard does with a call. `by` names the rules that hit, as `SET/RULE`, where the guard tells. */
export interface Judgement {
  outcome: "denied" | "asked" | "passed";
  by: readonly string[];
}

/** A guard, or why it cannot be measured here. Without a tool of its own for a call, it lets that call pass. */
export interface Guard {
  name: string;
  unmeasured?: string;
  judge(calls: readonly Call[], at: Workplace): Promise<readonly Judgement[]>;
}

/** The ready-made sets of rules. */
export const SETS = [
  "git-safety",
  "credentials",
  "guards-stay",
  "remote-code",
  "outside-deletion",
  "packages",
  "production",
  "ci",
  "destruction",
  "unattended",
] as const;

const PASSED: Judgement = { outcome: "passed", by: [] };
/** The rules of the first sets. */
const sets = (count: number) => SETS.slice(0, count).map((name) => ({ include: `builtin:${name}` }));

/** Verdicts of one process of hooksh on all the calls. */
function hooksh(name: string, rules: readonly JsonObject[], binary: string): Guard {
  return {
    name,
    async judge(calls, { project, env }) {
      const dir = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
      try {
        writeFileSync(join(project, "hooks.yaml"), JSON.stringify({ rules }));
        const events = calls.map(({ tool, input }) =>
          JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: tool, tool_input: input, cwd: project }),
        );
        const command = [binary, "dispatch", "--hooks-file=hooks.yaml", "--output=result", "--details"];
        command.push("--no-user-hooks", "--no-audit", "--quiet", `--config-dir=${dir}`, `--data-dir=${dir}`);
        const child = Bun.spawn(command, { cwd: project, env, stdin: Buffer.from(events.join("\n")), stderr: "pipe" });
        const [text, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
        const verdicts = text.split("\n").flatMap((line) => (line === "" ? [] : [judgementOf(JSON.parse(line))]));
        if (verdicts.length !== calls.length) throw new Error(`${verdicts.length} of ${calls.length}: ${errors}`);
        return verdicts;
      } finally {
        rmSync(dir, { recursive: true, force: true });
      }
    },
  };
}

interface Verdict {
  allowed: boolean;
  decision?: string;
  rules?: readonly { name: string; verdict: string }[];
}

function judgementOf({ allowed, decision, rules = [] }: Verdict): Judgement {
  const outcome = !allowed ? "denied" : decision === "ask" ? "asked" : "passed";
  return { outcome, by: rules.map(({ name, verdict }) => `${verdict} ${name}`) };
}

/** A guard that reads an event of Claude Code on standard input and answers as its hooks do: one process for each command. */
function claudeHook(name: string, command: readonly string[]): Guard {
  const program = Bun.which(command[0] ?? "");
  return {
    name,
    ...(program === null && { unmeasured: "not installed" }),
    async judge(calls, { project, env }) {
      const judged: Judgement[] = [];
      for (const { tool, input } of calls) {
        const line = input["cmd"];
        if (typeof line !== "string") {
          judged.push(PASSED);
          continue;
        }
        const isBackground = tool === "run_background_job";
        const event = JSON.stringify({
          session_id: "bench",
          hook_event_name: "PreToolUse",
          cwd: project,
          tool_name: "Bash",
          tool_input: { command: line, ...(isBackground && { run_in_background: true }) },
        });
        const child = Bun.spawn([...command], { cwd: project, env, stdin: Buffer.from(event), stderr: "ignore" });
        const text = await child.stdout.text();
        const code = await child.exited;
        judged.push({ outcome: claudeOutcome(text, code), by: [] });
      }
      return judged;
    },
  };
}

function claudeOutcome(text: string, code: number): Judgement["outcome"] {
  if (code === 2 || /"(permissionDecision|decision)"\s*:\s*"(deny|block)"/.test(text)) return "denied";
  return /"permissionDecision"\s*:\s*"ask"/.test(text) ? "asked" : "passed";
}

/** Every guard. hooksh is the built binary. */
export function guards(binary: string): readonly Guard[] {
  return [
    hooksh("hooksh: all ten sets", sets(10), binary),
    hooksh("hooksh: nine sets, all but unattended", sets(9), binary),
    hooksh("hooksh: eight sets, without destruction and unattended", sets(8), binary),
    claudeHook("rampart", ["rampart", "hook"]),
    claudeHook("dcg", ["dcg"]),
    {
      name: "Claude Code: permission rules",
      unmeasured: Bun.which("claude") === null ? "not installed" : "judges no line without a model",
      judge: async (calls) => calls.map(() => PASSED),
    },
  ];
}
