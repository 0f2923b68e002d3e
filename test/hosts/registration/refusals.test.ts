import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type HostId, hostFiles } from "../../../src/dialects/host-files.ts";
import type { DialectName } from "../../../src/dialects/names.ts";
import { hostEntry } from "../../../src/hosts/registration/host-entry.ts";
import { dialectOf } from "../../../src/hosts/registration/named-host.ts";
import {
  type DispatchCall,
  dispatchCall,
  dispatchWords,
  readDispatchCall,
  readDispatchWords,
  registeredLine,
} from "../../../src/hosts/registration/own-command.ts";
import { isRegistered } from "../../../src/hosts/registration/registration.ts";
import { readWrapperScript, wrapperScript } from "../../../src/hosts/registration/wrapper-script.ts";
import { HOST_SAMPLES } from "../../dialects/host-samples.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const WHY = "no answer, so this is refused";

/** Shells that may be `sh`, and shells of a user, which run the line as a host hands it to them. */
const POSIX = { dash: "dash", bash: "bash", busybox: "busybox", zsh: "zsh" };
const OTHERS = ["fish", "tcsh"];

/** A program in place of hooksh, in a folder with a space and a quote. */
const program = (script: string) =>
  join(tempDir({ "my 'tools'/hooksh!x": `#!/bin/sh\n${script}\n` }), "my 'tools'/hooksh");

/** The call that `install` registers with this program. */
async function callOf(host: string, event: string, path: string, seconds = 20): Promise<DispatchCall> {
  const call = { program: [path], dialect: host, event, seconds };
  return dispatchCall(await dialectOf(host as HostId), hostFiles(host as HostId), call);
}

/** A host that reads JSON at exit code 0, one that also wants exit code 2, and one that reads only the exit code. */
const FORMS = [
  ["codex", "PreToolUse"],
  ["openhands", "PreToolUse"],
  ["windsurf", "pre_run_command"],
] as const;

const reads = (host: string, event: string, bytes: Ran) => HOST_SAMPLES[host as DialectName].read(bytes, event);

interface Ran {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** A folder in which `sh` is the given shell. */
function folderWith(shell: string): string {
  const folder = tempDir();
  symlinkSync(Bun.which(shell) ?? "", join(folder, "sh"));
  return folder;
}

let marks = 0;

/**
 * Runs a command as a host does, which reads both streams to their end. Fails if a process of it is left that holds no
 * pipe of the host and so would not be noticed; `spared` are the programs of the test that leave a child of their own.
 */
async function run(command: string[], { path = "", input = "{}", spared = "" } = {}): Promise<Ran> {
  const mark = `HOOKSH_TEST_MARK=${process.pid}.${++marks}`;
  const [name = "", value = ""] = mark.split("=");
  const child = Bun.spawn(command, {
    env: { PATH: `${path}:${process.env["PATH"]}`, [name]: value },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [exitCode, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  const left = () => processesWith(mark).filter(({ line }) => spared === "" || !line.includes(spared));
  let rest = left();
  for (let tries = 0; rest.length > 0 && tries < 100; tries++) {
    await Bun.sleep(20);
    rest = left();
  }
  expect(rest).toEqual([]);
  for (const { pid } of processesWith(mark)) process.kill(pid, "SIGKILL");
  return { exitCode, stdout, stderr };
}

/** The processes with a variable. Empty where there is no /proc. */
function processesWith(variable: string): { pid: number; line: string }[] {
  const pids = existsSync("/proc/self/environ") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => {
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(variable)) return [];
      return [{ pid: Number(pid), line: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") }];
    } catch {
      return []; // it has ended
    }
  });
}

/** Answers `out`, `err` and an exit code as `dispatch --proof` does. */
const proven = (out: string, err: string, code: number) => `cat <<'END'\n${out}\n${err}\nhooksh:${code}\nEND`;

/** What can be in hooksh's place. */
const UNPROVEN: Readonly<Record<string, () => string>> = {
  "a missing file": () => "/nonexistent/hooksh",
  "an empty file": () => join(tempDir({ "hooksh!x": "" }), "hooksh"),
  "a file that is not executable": () => join(tempDir({ hooksh: "#!/bin/sh\n" }), "hooksh"),
  "a directory": () => {
    const path = join(tempDir(), "hooksh");
    mkdirSync(path);
    return path;
  },
  "a program that exits 0 and says nothing": () => program("exit 0"),
  "a program that allows the call": () =>
    program(`echo '{"decision":"allow","hookSpecificOutput":{"permissionDecision":"allow"}}'`),
  "a program that prints lines without end": () => program("yes"),
  "a program that ends after the first lines of an answer": () => program(`printf '{}\\n\\n'`),
  "a program that ends within the proof": () => program(`printf '{}\\n\\nhooksh:'`),
  "a program with an exit code that no host knows": () => program(proven("{}", "", 1)),
  "a program that exits 2": () => program("exit 2"),
  "a program that is killed": () => program("kill -9 $$"),
  "a program that is killed half-way through its answer": () => program("printf '{'; kill -9 $$"),
};

/** What never ends in hooksh's place. The line waits two seconds for them. */
const ENDLESS: Readonly<Record<string, () => string>> = {
  "a program that is stopped": () => program("kill -STOP $$"),
  "a program that hangs": () => program("exec sleep 1000"),
  "a program that hangs after half an answer": () => program("printf '{'; exec sleep 1000"),
  "a program that hangs and ignores SIGTERM": () => program("trap '' TERM; exec sleep 1000"),
};

describe.each(Object.entries(POSIX).filter(([, shell]) => Bun.which(shell)))("with %s as sh", (_, shell) => {
  const path = folderWith(shell);

  test.each(FORMS)("the line for %s passes a proven answer on, byte for byte", async (host, event) => {
    const line = registeredLine(await callOf(host, event, program(proven("a\\\\b \\nc é  ", "w %s", 0))), "linux");
    expect(await run(["sh", "-c", line], { path })).toEqual({ exitCode: 0, stdout: "a\\b \nc é  ", stderr: "w %s" });
    const refused = registeredLine(await callOf(host, event, program(proven("", String.raw`no\n`, 2))), "linux");
    expect(await run(["sh", "-c", refused], { path })).toEqual({ exitCode: 2, stdout: "", stderr: "no\n" });
  });

  test("the program gets its arguments and standard input, and no other descriptor of the line", async () => {
    const script = `read -r line; [ -e /dev/fd/3 ] && line="$line 3"; printf '%s\\n\\nhooksh:0\\n' "$line $*"`;
    const call = await callOf("codex", "PreToolUse", program(script));
    const { stdout } = await run(["sh", "-c", registeredLine(call, "linux")], { path, input: "event\n" });
    expect(stdout).toBe("event dispatch --dialect codex --event PreToolUse --proof --deadline 19s");
  });

  for (const [what, make] of Object.entries(UNPROVEN))
    test.each(FORMS)(`the line for %s refuses with ${what} in hooksh's place`, async (host, event) => {
      const call = await callOf(host, event, make());
      const ran = await run(["sh", "-c", registeredLine(call, "linux")], { path });
      expect(reads(host, event, ran)).toBe("denied");
      expect(ran.stdout + ran.stderr).toContain(WHY);
    });

  test("the line refuses in time with a program in hooksh's place that does not end", async () => {
    const runs = Object.entries(ENDLESS).map(async ([what, make]) => {
      const line = registeredLine(await callOf("codex", "PreToolUse", make(), 2), "linux");
      return [what, reads("codex", "PreToolUse", await run(["sh", "-c", line], { path }))];
    });
    expect(await Promise.all(runs)).toEqual(Object.keys(ENDLESS).map((what) => [what, "denied"]));
  }, 60_000);

  test("a child that the program leaves behind does not keep the host waiting", async () => {
    const call = await callOf("codex", "PreToolUse", program("sleep 1000 & wait"), 2);
    const ran = await run(["sh", "-c", registeredLine(call, "linux")], { path, spared: "sleep 1000" });
    expect(reads("codex", "PreToolUse", ran)).toBe("denied");
    const answers = await callOf("codex", "PreToolUse", program(`sleep 1000 &\n${proven("{}", "", 0)}`), 2);
    const answer = await run(["sh", "-c", registeredLine(answers, "linux")], { path, spared: "sleep 1000" });
    expect(answer).toEqual({ exitCode: 0, stdout: "{}", stderr: "" });
  }, 60_000);
});

const guarded = Object.entries(HOST_SAMPLES).flatMap(([host, sample]) =>
  Object.keys(sample.guarded)
    .filter((event) => isRegistered(event, hostFiles(host as HostId)) && host !== "opencode")
    .map((event) => [host, event] as const),
);

test.each(guarded)("%s reads the refusal of its line for %s as a refusal", async (host, event) => {
  const call = await callOf(host, event, "/nonexistent/hooksh");
  const ran = await run(["sh", "-c", registeredLine(call, "linux")]);
  expect(reads(host, event, ran)).toBe("denied");
});

describe.each(OTHERS.filter((shell) => Bun.which(shell)))("run by %s, the line", (shell) => {
  test.each(FORMS)("for %s passes an answer on, and refuses without one", async (host, event) => {
    const line = async (path: string) => registeredLine(await callOf(host, event, path), "linux");
    const good = await run([shell, "-c", await line(program(proven("{}", "", 0)))]);
    expect(good).toEqual({ exitCode: 0, stdout: "{}", stderr: "" });
    const missing = await run([shell, "-c", await line("/nonexistent/hooksh")]);
    expect(reads(host, event, missing)).toBe("denied");
  });
});

describe("the registered line", () => {
  test("is plain where the host lets no hook refuse, and on Windows", async () => {
    const observer = await callOf("codex", "PostToolUse", "hooksh");
    expect(registeredLine(observer, "linux")).toBe(
      "hooksh dispatch --dialect codex --event PostToolUse --deadline 57s",
    );
    const guard = await callOf("codex", "PreToolUse", "hooksh");
    expect(registeredLine(guard, "win32")).toBe("hooksh dispatch --dialect codex --event PreToolUse --deadline 19s");
  });

  test("is recognised as hooksh's own, with what it does without an answer", async () => {
    const call = await callOf("codex", "PreToolUse", "/opt/my tools/it's/hooksh", 5);
    expect(readDispatchCall(registeredLine(call, "linux"), "codex")).toEqual({
      ...call,
      directories: {},
      hooksFile: undefined,
    } as DispatchCall);
    const { entry } = hostEntry(hostFiles("codex"), call, "linux");
    expect(readDispatchCall(entry["command"], "codex")?.refusal).toEqual(call.refusal);
  });

  test("of an earlier version is recognised, and one that does something else is not", () => {
    const words = "hooksh dispatch --dialect codex --event PreToolUse";
    const earlier = `sh -c '"$0" "$@" || { echo "hooksh did not answer, so this is refused" >&2; exit 2; }' ${words}`;
    expect(readDispatchCall(earlier, "codex")).toMatchObject({ program: ["hooksh"], event: "PreToolUse" });
    expect(readDispatchCall(`sh -c true '' ${words}`, "codex")).toBeUndefined();
    expect(readDispatchCall(`${words} || true`, "codex")).toBeUndefined();
  });
});

test("a flag without a value is read back, wherever it is", async () => {
  const { refusal, ...call } = await callOf("codex", "PreToolUse", "hooksh");
  expect(refusal).toBeDefined();
  expect(readDispatchWords(dispatchWords(call), "codex")).toMatchObject(call);
  const words = "hooksh dispatch --proof --dialect codex --event PreToolUse --deadline 19s".split(" ");
  expect(readDispatchWords(words, "codex")).toMatchObject(call);
});

describe("the executable for a host that runs files", () => {
  const script = async (path: string, event: string) => wrapperScript(await callOf("cline-sdk", event, path), "linux");
  const file = (text: string) => join(tempDir({ "PreToolUse!x": text }), "PreToolUse");

  test("passes the answer on", async () => {
    const { stdout } = await run([file(await script(program(proven("{}", "", 0)), "tool_call"))]);
    expect(stdout).toBe("{}");
  });

  test.each(["a missing file", "an empty file", "a program that is killed half-way through its answer"])(
    "prints one refusal with %s in hooksh's place",
    async (what) => {
      const ran = await run([file(await script(UNPROVEN[what]?.() ?? "", "tool_call"))]);
      expect(JSON.parse(ran.stdout)).toEqual({ cancel: true, errorMessage: `hooksh: ${WHY}` });
      expect(ran.exitCode).toBe(0);
    },
  );

  test.each(["tool_call", "agent_start"])("of %s is recognised as hooksh's own", async (event) => {
    const path = "/opt/my tools/hooksh";
    expect(readWrapperScript(await script(path, event), "cline-sdk")).toMatchObject({ program: [path], event });
  });

  test("of an earlier version is recognised", () => {
    const call = "hooksh dispatch --dialect cline-sdk --event tool_call";
    const text = `#!/bin/sh\n# Written by hooksh install cline-sdk; ...\nanswer=$(${call}) || answer='{"cancel":true}'\nprintf %s "$answer"\n`;
    expect(readWrapperScript(text, "cline-sdk")).toMatchObject({ program: ["hooksh"], event: "tool_call" });
  });
});
