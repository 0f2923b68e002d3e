import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { tempDir } from "../../helpers/temp-dir.ts";

/** The lines of a file beside this one, without comments. */
export const linesOf = (name: string) =>
  readFileSync(join(import.meta.dir, name), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));

/** A home directory and a project with guards; `template` is a copy to restore them from. */
const root = tempDir({});
export const home = join(root, "home");
export const project = join(root, "project");
export const template = join(root, "template");

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

export const env = { PATH: process.env["PATH"] ?? "", HOME: home, LANG: "C", GIT_CONFIG_NOSYSTEM: "1", TMPDIR: root };

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text, { mode: name.endsWith(".sh") || name.includes("husky") ? 0o755 : 0o644 });
  }
}

/** Runs a line in the project. */
export function shell(line: string): void {
  const ended = Bun.spawnSync(["bash", "-c", line], { cwd: project, env, stdin: "ignore", timeout: 20_000 });
  if (ended.exitedDueToTimeout) throw new Error(`the line did not end: ${line}`);
}

/** Makes the files, with a history in git. */
export function fillSandbox(): void {
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
}
