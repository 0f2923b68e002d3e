// Refuses a command line that runs what it computes or downloads: `curl ... | sh`, `bash <(curl ...)`, `eval "$(...)"`.
import { BLOCK, type Builtin, mayRun } from "hooksh/hook";

/** A program of this name exists nowhere. A line that may run it runs something that its text does not show. */
const UNKNOWN = ["no-program-has-this-name"];
const DOWNLOADS = [
  "curl *",
  "wget *",
  "fetch *",
  "http *",
  "aria2c *",
  "iwr *",
  "iex *",
  "mshta *",
  "*://*",
  "git *clone *",
  "scp *",
  "rsync *:*",
  "pip* download*",
  "aws s3 *",
  "gh api*",
  "gh gist*",
];
const RUNS = [
  "sh",
  "bash",
  "dash",
  "zsh",
  "ksh",
  "fish",
  "source",
  ".",
  "eval",
  "python",
  "python3",
  "node",
  "perl",
  "ruby",
  "php",
  "bun",
  "deno",
  "make",
  "npx",
  "npm",
  "pip",
  "pip3",
  "psql",
  "docker load",
  "vim",
  "emacs",
];
const RUNS_CODE = [
  ...RUNS.flatMap((program) => [program, `${program} *`]),
  "chmod *",
  "./*",
  "/tmp/*",
  "go run*",
  "kubectl *apply*",
];
/** Places whose files run later, and programs that run what a connection sends. */
const LATER = ["*/bin/*", "*.bashrc*", "*.profile*", "*.zshrc*", "*/hooks/*"];
const REMOTE = ["nc* -*e*", "netcat -*e*", "socat *exec:*", "socat *system:*"];

const guard: Builtin = (input) => {
  const line = input.tool_input?.["cmd"];
  if (typeof line !== "string") throw new Error("no command line to judge");
  if (mayRun(line, [...UNKNOWN, ...REMOTE]) || (mayRun(line, DOWNLOADS) && mayRun(line, [...RUNS_CODE, ...LATER])))
    return {
      decision: BLOCK,
      reason: "download into a file and show it to the user: nothing from the network runs unread",
    };
  return undefined;
};

export default guard;
