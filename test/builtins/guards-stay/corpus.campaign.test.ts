import { beforeAll, describe, expect, test } from "bun:test";
import { lstatSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../../helpers/binary.ts";
import { fillSandbox, home, linesOf, project, shell, template } from "./sandbox.ts";

/** What decides whether guards run. */
const GUARDS = [
  ...[".bashrc", ".claude", ".config/hooksh", ".hooksh"].map((name) => join(home, name)),
  ...[
    ".claude",
    ".codex",
    ".cursor",
    ".git/hooks",
    ".github",
    ".husky",
    ".mcp.json",
    "hooks.yaml",
    "opencode.json",
    "scripts",
  ].map((name) => join(project, name)),
];

beforeAll(fillSandbox);

function restore(): void {
  for (const [name, folder] of Object.entries({ home, project })) {
    Bun.spawnSync(["chmod", "-R", "u+rwx", folder], { stderr: "ignore" });
    rmSync(folder, { recursive: true, force: true });
    Bun.spawnSync(["cp", "-a", join(template, name), folder]);
  }
}

/** The mode and content of every file below the guards' places. */
function stateOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return "";
  const head = `${path} ${found.mode}`;
  if (found.isSymbolicLink()) return `${head} ${readlinkSync(path)}\n`;
  if (!found.isDirectory()) return `${head} ${found.mode & 0o400 ? readFileSync(path, "utf8") : ""}\n`;
  return `${head}\n${readdirSync(path)
    .sort()
    .map((name) => stateOf(join(path, name)))
    .join("")}`;
}
const guardsState = () => GUARDS.map(stateOf).join("");

/** The lines of which a real shell changes a guard's file. */
function changing(lines: readonly string[]): string[] {
  restore();
  const before = guardsState();
  const changed = lines.filter((line) => {
    shell(line);
    const isChanged = guardsState() !== before;
    restore();
    return isChanged;
  });
  return changed;
}

/** What `dispatch --guards-stay` says of each line: deny, ask or pass. */
async function verdictsOf(lines: readonly string[]): Promise<string[]> {
  restore();
  const payloads = lines.map((command) => ({
    hook_event_name: "PreToolUse",
    session_id: "s",
    transcript_path: "/t",
    cwd: project,
    tool_name: "Bash",
    tool_use_id: "t",
    tool_input: { command },
  }));
  const args = ["dispatch", "--dialect", "claude", "--output", "result", "--guards-stay", "--hooks-file", "hooks.yaml"];
  const input = payloads.map((one) => JSON.stringify(one)).join("\n");
  const { stdout } = await hooksh(args, { cwd: project, env: { HOME: home }, input });
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const { allowed, decision } = JSON.parse(line);
      return allowed ? (decision ?? "pass") : "deny";
    });
}

/** Programs that lines begin with; a line is left out of the real shell where its program is missing. */
const isRunnable = (line: string) =>
  !/^(?:perl|python3|rsync|patch|shred|awk)\b/.test(line) || Bun.which(line.split(" ")[0] ?? "") !== null;

describe("guards_stay in the registered line", () => {
  const marked = linesOf("changes.txt");
  const changes = marked.map((line) => line.replace(/^ask /, ""));

  test("denies every line that changes a guard's file, and asks about git commands on the whole tree", async () => {
    const verdicts = await verdictsOf(changes);
    const wanted = marked.map((line) => (line.startsWith("ask ") ? "ask" : "deny"));
    const wrong = changes.flatMap((line, at) => (verdicts[at] === wanted[at] ? [] : [`${verdicts[at]}: ${line}`]));
    expect(wrong).toEqual([]);
    expect(changes.length).toBeGreaterThan(200);
  }, 120_000);

  test("those lines, and the opaque ones, do change a guard's file in a real shell", () => {
    const lines = [...changes, ...linesOf("opaque.txt")].filter(isRunnable);
    const changed = new Set(changing(lines));
    expect(lines.filter((line) => !changed.has(line))).toEqual([]);
  }, 300_000);

  test("lets everyday lines pass, and lines whose step is not shown", async () => {
    const lines = [...linesOf("everyday.txt"), ...linesOf("opaque.txt")];
    const verdicts = await verdictsOf(lines);
    expect(lines.flatMap((line, at) => (verdicts[at] === "pass" ? [] : [`${verdicts[at]}: ${line}`]))).toEqual([]);
    expect(lines.length).toBeGreaterThan(100);
  }, 120_000);
});
