import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";

const SHELLS = ["bash", "dash", "zsh", "ksh", "mksh", "busybox", "fish"].filter((name) => Bun.which(name));

/** What a shell did with a line. */
export interface Seen {
  /** True if it ran the program `bad`. */
  ranBad: boolean;
  output: string;
  /** Whether the file exists in the folder afterwards. */
  has: (name: string) => boolean;
}

/** A folder in which real shells run lines; each line finds it as at first. */
export function sandbox() {
  const root = tempDir();
  const [template, cwd] = [join(root, "template"), join(root, "work")];
  const marks = join(root, "marks");
  mkdirSync(join(template, "tools"), { recursive: true });
  mkdirSync(join(template, "gomod"));
  const files: Readonly<Record<string, string>> = {
    "tools/bad": `#!/bin/sh\necho bad >>'${marks}'\n`,
    in: "x hello\n",
    "in.c": "int x;\n",
    big: "9 some words to sort\n".repeat(20_000),
    script: "bad x\n",
    yes: "y\n",
    taskrc: `data.location=${root}/task\nconfirmation=no\n`,
    credential: "protocol=https\nhost=h.example\n\n",
    "gomod/main.go": "package main\n\nfunc main() {}\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(template, name), text);
  chmodSync(join(template, "tools", "bad"), 0o755);
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: template });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "one");
  writeFileSync(join(template, "in"), "x hello again\n");
  git("commit", "-qam", "two");

  const run = async (shell: string, line: string): Promise<Seen> => {
    rmSync(cwd, { recursive: true, force: true });
    rmSync(marks, { force: true });
    cpSync(template, cwd, { recursive: true });
    const child = Bun.spawn(shell === "busybox" ? [shell, "sh", "-c", line] : [shell, "-c", line], {
      cwd,
      env: {
        PATH: `${cwd}/tools:${Bun.env["PATH"]}`,
        HOME: root,
        GIT_AUTHOR_NAME: "a",
        GIT_AUTHOR_EMAIL: "a@b.c",
        GIT_COMMITTER_NAME: "a",
        GIT_COMMITTER_EMAIL: "a@b.c",
        GIT_TERMINAL_PROMPT: "0",
        GOCACHE: join(root, "go"),
        TERM: "dumb",
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    const output = await new Response(child.stdout).text();
    await child.exited;
    return { ranBad: existsSync(marks), output, has: (name) => existsSync(join(cwd, name)) };
  };

  return {
    shells: SHELLS,
    run,
    /** The first shell that does something with a line. A line that needs a shell is tried in that one only. */
    async shellThat(line: string, program: string, does: (seen: Seen) => boolean): Promise<string | undefined> {
      for (const shell of SHELLS.includes(program) ? [program] : SHELLS) if (does(await run(shell, line))) return shell;
      return undefined;
    },
  };
}
