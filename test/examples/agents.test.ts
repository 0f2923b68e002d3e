import { expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const examples = join(import.meta.dir, "../../examples/agents");
const reason = "nothing is deleted recursively here: move it to .trash";
const nested = {
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
};

/** A copy, because the home directory of a test is in its working directory. */
function copied(): string {
  const cwd = tempDir();
  cpSync(examples, cwd, { recursive: true });
  return cwd;
}

/** What each agent gets for its denied event, and for its allowed one. */
const ANSWERS: [host: string, denied: object, silence: string, flags: string[]][] = [
  ["claude", nested, "", []],
  ["codex", nested, "", []],
  ["gemini", { decision: "deny", reason }, "{}", []],
  [
    "copilot",
    { permissionDecision: "deny", permissionDecisionReason: reason },
    "",
    ["--dialect", "copilot", "--event", "preToolUse"],
  ],
  ["cursor", { permission: "deny", user_message: reason, agent_message: reason }, "", []],
];

test.each(ANSWERS)("one policy guards %s in its own bytes", async (host, denied, silence, flags) => {
  const cwd = copied();
  const run = (event: string) =>
    hooksh(["dispatch", "--hooks-file", "policy.yaml", ...flags], {
      cwd,
      input: readFileSync(join(cwd, "events", `${host}-${event}.json`), "utf8"),
    });
  const stopped = await run("denied");
  expect(JSON.parse(stopped.stdout)).toEqual(denied);
  expect(stopped.code).toBe(0);
  expect(await run("allowed")).toMatchObject({ stdout: silence, stderr: "", code: 0 });
});

test("the events are those of the five agents", () => {
  const files = readdirSync(join(examples, "events")).sort();
  expect(files).toEqual(ANSWERS.flatMap(([host]) => [`${host}-allowed.json`, `${host}-denied.json`]).sort());
});

test.each([
  [
    "claude",
    { tool_name: "Edit", tool_input: { file_path: "/p/package-lock.json", old_string: "a", new_string: "b" } },
  ],
  ["cursor", { tool_name: "Write", tool_input: { file_path: "package-lock.json", content: "{}" } }],
  [
    "codex",
    { tool_name: "apply_patch", tool_input: { command: "*** Update File: a.ts\n*** Add File: package-lock.json" } },
  ],
])("the lock file is guarded from %s", async (host, call) => {
  const event = JSON.parse(readFileSync(join(examples, "events", `${host}-denied.json`), "utf8"));
  const ran = await hooksh(["dispatch", "--hooks-file", "policy.yaml"], {
    cwd: copied(),
    input: JSON.stringify({ ...event, ...call }),
  });
  expect(ran.stdout).toContain("package-lock.json is generated");
});
