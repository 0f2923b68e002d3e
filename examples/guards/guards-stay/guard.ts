// Refuses to change or evade guards. Add the folder of your own guards to PLACES.
import { BLOCK, type Builtin, mayRun, runsOnly } from "hooksh/hook";

/** Parts of paths: of hooksh's files, of the settings of agents, and of the hooks of git. */
const PLACES = [
  "hooksh",
  "hooks.yaml",
  "agent.yaml",
  ".hooktest.yaml",
  "hooks/",
  "guards",
  "guard.",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".copilot",
  ".opencode",
  "opencode.json",
  ".vscode/settings",
  ".github/",
  ".git/",
  ".husky",
  ".pre-commit-config",
  ".eslintrc",
];
const READS = [
  "cat *",
  "head *",
  "tail *",
  "grep *",
  "ls",
  "ls *",
  "git diff*",
  "git log*",
  "git status*",
  "hooksh test*",
  "hooksh audit*",
];
/** Commands that end, evade or replace guards. */
const EVASIONS = [
  "kill *",
  "pkill *",
  "killall *",
  "git * --no-v*",
  "git *commit* -n*",
  "git *commit* -[acsv]n*",
  "git *hookspath*",
  "git_config*",
  "git *gpgsign*",
  "husky=* *",
  "skip=* *",
  "npm config set *",
  "*--dangerously*",
  "*--yolo*",
  "claude *",
  "codex *",
  "gemini *",
  "copilot *",
  "cursor-agent *",
  "opencode *",
  "goose *",
  "aider *",
  "docker-agent *",
  "np* *claude-code*",
  "history -c*",
  "unset hist*",
  "*tls_reject_unauthorized*",
  "setenforce *",
  "ufw *",
  "iptables *",
  "auditctl *",
  "systemctl *stop*",
  "*config_home=*",
  "spctl *",
  "set-mppreference *",
];

const guard: Builtin = ({ tool_input = {} }) => {
  const { cmd, path, paths } = tool_input;
  const blocked = { decision: BLOCK, reason: "guards and settings of agents are changed by people only" };
  if (typeof cmd === "string") {
    if (mayRun(cmd, EVASIONS)) return blocked;
    const names = mayRun(
      cmd,
      PLACES.map((place) => `*${place.replace(/\/$/, "")}*`),
    );
    return names && !runsOnly(cmd, READS) ? blocked : undefined;
  }
  const targets = [path, paths].flat().filter((one) => typeof one === "string");
  if (targets.length === 0) throw new Error("no path to judge");
  // A slash at the end, so that a folder itself counts as well.
  const isGuard = (target: string) =>
    PLACES.some((place) => `${target.toLowerCase().replaceAll("\\", "/")}/`.includes(place));
  return targets.some(isGuard) ? blocked : undefined;
};

export default guard;
