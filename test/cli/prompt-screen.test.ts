import { afterAll, describe, expect, test } from "bun:test";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { setUp, shell } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const tmux = Bun.which("tmux");
const socket = `hooksh-test-${process.pid}`;

function run(...args: string[]): string {
  const { stdout, stderr, exitCode } = Bun.spawnSync([tmux ?? "tmux", "-L", socket, ...args], {
    env: { ...cleanEnv("/tmp"), LC_ALL: "C.UTF-8", TERM: "xterm" },
  });
  if (exitCode !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}

const rows = () => run("capture-pane", "-p").trimEnd().split("\n");
const press = (...keys: string[]) => void run("send-keys", ...keys);
const sees = (text: string) =>
  until(() => rows().some((row) => row.includes(text))).catch((error: Error) => {
    throw new Error(`never saw ${JSON.stringify(text)} in\n${rows().join("\n")}`, { cause: error });
  });

afterAll(() => {
  if (tmux) Bun.spawnSync([tmux, "-L", socket, "kill-server"], { stderr: "ignore" });
});

describe.skipIf(!tmux)("a real screen", () => {
  test("contains every line once, in order, whatever was typed and erased; and the terminal is restored", async () => {
    const { cwd } = setUp({}, shell("touch started; while [ ! -e go ]; do sleep 0.05; done; printf 'a\\033[Hb'"), {
      text: "all done\nin two lines",
    });
    const variables = Object.entries(cleanEnv(cwd, { LC_ALL: "C.UTF-8" }))
      .map(([name, value]) => `${name}='${value}'`)
      .join(" ");
    const command = `cd '${cwd}'; env -u TMUX ${variables} '${binary()}' run agent.yaml; echo "code $?"; stty -a | grep -o -- '-*icanon'; cat`;
    run("-f", "/dev/null", "new-session", "-d", "-x", "40", "-y", "24", command);
    await sees(">");
    press("-l", "漢字 typed over the end of the row, and on");
    await sees("on");
    press("Home");
    press("-l", "Go ");
    press("Enter");
    await sees("[n]o:");
    press("y");
    await until(() => Bun.file(`${cwd}/started`).size === 0 && rows().some((row) => row.includes("shell touch")));
    press("-l", "also this");
    await sees("» also this");
    press("Enter");
    await sees("(queued) also this");
    await Bun.write(`${cwd}/go`, "");
    await sees("in two lines");
    await until(() => rows().some((row) => row === ">"));
    const shown = run("capture-pane", "-p", "-S", "-").trimEnd().split("\n");
    expect(shown.slice(shown.indexOf("> Go 漢字 typed over the end of the row,"))).toEqual([
      "> Go 漢字 typed over the end of the row,",
      "and on",
      "",
      "root: shell: touch started; while [ ! -…",
      "  cmd:",
      "  | touch started; while [ ! -e go ]; do",
      "  |  sleep 0.05; done; printf 'a\\033[Hb'",
      "  hooksh does not know what this does.",
      "[y]es / [t] always exactly this line in",
      "this session / [b] always what looks",
      "safe / [a] everything from now on",
      "(autonomous) / [r]eject with a reason /",
      "[n]o: y",
      "✓ shell touch started; while [ ! -e go …",
      "  │ ab",
      "(queued) also this",
      "",
      "all done",
      "in two lines",
      "─".repeat(40),
      ">",
      "─".repeat(40),
      "fake/model · safety: default",
    ]);
    press("C-d");
    await sees("code 0");
    await until(() => rows().at(-1) === "icanon");
  });
});
