import { beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { hooksh } from "../../helpers/binary.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** The lines of a file beside this one, without comments. */
const linesOf = (name: string) =>
  readFileSync(join(import.meta.dir, name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));

/** A home directory and a project with guards; `template` is a copy to restore them from. */
const root = tempDir({});
const home = join(root, "home");
const project = join(root, "project");
const template = join(root, "template");

const POLICY = `pre_tool_use:
  - matcher: shell
    hooks:
      - { type: command, command: "\${hook_dir}/scripts/guard.sh" } # deny
`;

const FILES: Record<string, string> = {
  "home/.bashrc": "hooksh status\n",
  "home/.claude/settings.json": "{}\n",
  "home/.config/hooksh/config.yaml": "settings: {}\n",
  "home/.gitconfig":
    "[user]\n name = me\n email = me@example.com\n[init]\n defaultBranch = main\n[rebase]\n autoStash = true\n",
  "home/.hooksh/audit.jsonl": "",
  "project/.claude/settings.json": "{}\n",
  "project/.husky/pre-commit": "exit 1\n",
  "project/build/out.js": "",
  "project/hooks.yaml": POLICY,
  "project/package.json": '{"version":"1"}\n',
  "project/scripts/guard.sh": "exit 0\n",
  "project/src/a.ts": "a\n",
};

const UNTRACKED: Record<string, string> = {
  "project/.codex/hooks.json": "{}\n",
  "project/Makefile": "break:\n\trm hooks.yaml\n",
  "project/break.py": "import os\nos.remove('hooks.yaml')\n",
  "project/break.sh": "rm hooks.yaml\n",
  "project/evil/.claude/settings.json": '{"disableAllHooks":true}\n',
  "project/evil/hooks.yaml": "{}\n",
  "project/names.txt": "hooks.yaml\n",
  "project/new/hooks.yaml": "{}\n",
};

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

const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C", GIT_CONFIG_NOSYSTEM: "1", TMPDIR: root };

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text, { mode: name.endsWith(".sh") || name.includes("husky") ? 0o755 : 0o644 });
  }
}

function shell(line: string): void {
  const ended = Bun.spawnSync(["bash", "-c", line], { cwd: project, env, stdin: "ignore", timeout: 20_000 });
  if (ended.exitedDueToTimeout) throw new Error(`the line did not end: ${line}`);
}

beforeAll(() => {
  write(FILES);
  shell("git init -q && rm -f .git/hooks/* && git add -A && git commit -qm one");
  write({ "project/hooks.yaml": `# two\n${POLICY}`, "project/.claude/settings.json": '{"a":1}\n' });
  shell("git commit -qam two && git checkout -qb change");
  write({ "project/hooks.yaml": `# three\n${POLICY}` });
  shell("git commit -qam three && git diff main > ../evil.patch && git checkout -q main && mv ../evil.patch .");
  write({ ...UNTRACKED, "project/.husky/pre-commit": "exit 1 # not committed\n" });
  shell("tar cf evil.tar -C new hooks.yaml");
  symlinkSync("hooks.yaml", join(project, "link.yaml"));
  symlinkSync(".claude", join(project, "linked"));
  for (const name of ["home", "project"])
    cpSync(join(root, name), join(template, name), { recursive: true, verbatimSymlinks: true });
});

function restore(): void {
  for (const name of ["home", "project"]) {
    Bun.spawnSync(["chmod", "-R", "u+rwx", join(root, name)], { stderr: "ignore" });
    rmSync(join(root, name), { recursive: true, force: true });
    Bun.spawnSync(["cp", "-a", join(template, name), join(root, name)]);
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
