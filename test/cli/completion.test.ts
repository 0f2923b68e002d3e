import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expectedAfter } from "../../src/commands/completion/positionals.ts";
import { COMMANDS } from "../../src/commands/index.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

/** A directory for completion, with the executable in the PATH as `hooksh`. */
function place(userConfig = "aliases:\n  nightly: /somewhere/nightly.yaml\n"): {
  cwd: string;
  env: Record<string, string>;
} {
  const bin = tempDir();
  symlinkSync(binary(), join(bin, "hooksh"));
  const cwd = tempDir({
    "agent.yaml": "agents:\n  root: {}\n  helper: {}\n",
    "notes.txt": "",
    "more/other.yml": "",
    "with space/x.yaml": "",
  });
  const config = tempDir({ "config.yaml": userConfig });
  return { cwd, env: cleanEnv(cwd, { PATH: `${bin}:${process.env["PATH"]}`, HOOKSH_CONFIG_DIR: config }) };
}

async function shell(command: string[], { cwd, env }: ReturnType<typeof place>, input = ""): Promise<string> {
  const child = Bun.spawn(command, { cwd, env, stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

async function words(...given: string[]): Promise<{ files: string; words: string[] }> {
  const ran = await hooksh(["completion", "words", "--", ...given], place());
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const [files = "", ...lines] = ran.stdout.trimEnd().split("\n");
  return { files, words: lines.map((line) => line.split("\t")[0] ?? "") };
}

describe("hooksh completion words offers", () => {
  test("every verb", async () => {
    expect(await words("")).toEqual({
      files: "none",
      words: Object.keys(COMMANDS).filter((verb) => verb !== "capture"),
    });
    expect(await words("disp")).toEqual({ files: "none", words: ["dispatch"] });
  });

  test.each([
    ["the flags of the verb", ["run", "--yo"], { files: "none", words: ["--yolo"] }],
    ["global flags before any verb", ["--conf"], { files: "none", words: ["--config-dir"] }],
    [
      "the verb behind a global flag and its value",
      ["--config-dir", "x", "disp"],
      { files: "none", words: ["dispatch"] },
    ],
    ["the values of a flag", ["run", "--safety", "st"], { files: "none", words: ["strict"] }],
    ["the values after an equals sign", ["run", "--safety=st"], { files: "none", words: ["strict"] }],
    ["the same as bash takes it apart", ["run", "--safety", "=", "st"], { files: "none", words: ["strict"] }],
    ["events", ["dispatch", "--event", "pre_t"], { files: "none", words: ["pre_tool_use"] }],
    ["directories", ["run", "--working-dir", ""], { files: "directories", words: [] }],
    ["files", ["run", "--env-from-file", ""], { files: "any", words: [] }],
    ["nothing for a text of the user's own", ["run", "--hook-stop", ""], { files: "none", words: [] }],
    ["aliases and agent files", ["run", ""], { files: "yaml", words: ["nightly"] }],
    [
      "the same behind flags with values",
      ["run", "--hook", "stop", "=", "x", "-a", "root", "--yolo", ""],
      { files: "yaml", words: ["nightly"] },
    ],
    ["no flags after two dashes", ["run", "--", "--yo"], { files: "yaml", words: [] }],
    ["nothing for a message", ["run", "agent.yaml", ""], { files: "none", words: [] }],
    ["the agents of a file", ["run", "agent.yaml", "-a", ""], { files: "none", words: ["root", "helper"] }],
    ["no agents of a file that is not there", ["run", "nothing.yaml", "--agent", ""], { files: "none", words: [] }],
    ["the words of a verb", ["hooks", ""], { files: "none", words: ["list", "sources"] }],
    ["what follows them", ["hooks", "list", ""], { files: "yaml", words: ["nightly"] }],
    ["the names of schemas", ["schema", "hook-o"], { files: "none", words: ["hook-output"] }],
    ["nothing for a verb that there is not", ["nothing", ""], { files: "none", words: [] }],
  ])("%s", async (_name, given, expected) => {
    expect(await words(...given)).toEqual(expected);
  });

  test("nothing, and no error, if the user's configuration is broken", async () => {
    const ran = await hooksh(["completion", "words", "--", "run", ""], place("aliases: [\n"));
    expect(ran).toMatchObject({ code: 0, stdout: "yaml\n", stderr: "" });
  });
});

describe("a usage line is parsed", () => {
  test.each([
    ["list | show ID", [], ["list", "show"]],
    ["list | show ID", ["show"], "ID"],
    ["list | show ID", ["list"], undefined],
    ["list|explain [AGENT]", ["explain"], "AGENT"],
    ["[AGENT] [MESSAGE...]", ["a", "b", "c"], "MESSAGE"],
    ["remove AGENT|DIGEST", ["remove"], "AGENT"],
    ["[agent|hooks]", [], ["agent", "hooks"]],
    ["", [], undefined],
  ])("%s after %j", (usage, given, expected) => {
    const found = expectedAfter(given, usage);
    expect(found?.kind === "words" ? [...found.words] : found?.name).toEqual(expected as string);
  });
});

describe("hooksh completion", () => {
  for (const name of SHELLS) {
    test.if(Bun.which(name) !== null)(`${name} can read the script for it`, async () => {
      const around = place();
      const { stdout } = await hooksh(["completion", name], { cwd: around.cwd });
      await Bun.write(join(around.cwd, "script"), stdout);
      expect(stdout).toContain("hooksh completion words");
      await shell([name, "-n", "script"], around);
    });
  }

  test.each([[[]], [["tcsh"]], [["bash", "zsh"]]])("%j is a usage error", async (args) => {
    const ran = await hooksh(["completion", ...args], { cwd: tempDir() });
    expect(ran).toMatchObject({ code: 64, stdout: "" });
  });
});

describe.if(Bun.which("bash") !== null)("in bash", () => {
  /** Calls the completion function as bash does when the tab key is pressed after these words. */
  const press = async (...given: string[]): Promise<string[]> => {
    const around = place();
    const script = [
      "source <(hooksh completion bash)",
      "spec=$(complete -p hooksh); function=${spec#*-F }; function=${function%% *}",
      'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))',
      "$function 2>/dev/null",
      "printf '%s\\n' \"${COMPREPLY[@]}\"",
    ].join("\n");
    const shown = await shell(["bash", "-c", script, "bash", ...given], around);
    return shown.split("\n").filter(Boolean).sort();
  };

  test.each([
    [["hooksh", "disp"], ["dispatch"]],
    [["hooksh", "run", "--safety", "=", "st"], ["strict"]],
    [
      ["hooksh", "run", "--safety", "="],
      ["accept-edits", "autonomous", "balanced", "plan", "restricted", "strict"],
    ],
    [
      ["hooksh", "run", ""],
      [".home", "agent.yaml", "more", "nightly", "with space"],
    ],
    [["hooksh", "run", "with space/"], ["with space/x.yaml"]],
    [["hooksh", "run", "more/o"], ["more/other.yml"]],
    [["hooksh", "run", "agent.yaml", "-a", "h"], ["helper"]],
    [["hooksh", "run", "--working-dir", "m"], ["more"]],
    [["hooksh", "run", "--working-dir", "=", "m"], ["more"]],
    [
      ["hooksh", "run", "--working-dir", "="],
      [".home", "more", "with space"],
    ],
    [
      ["hooksh", "run", "--env-from-file", ""],
      [".home", "agent.yaml", "more", "notes.txt", "with space"],
    ],
  ])("%j", async (given, expected) => {
    expect(await press(...given)).toEqual(expected);
  });
});

describe.if(Bun.which("fish") !== null)("in fish", () => {
  const press = async (line: string): Promise<string[]> => {
    const around = place();
    const script = "source (hooksh completion fish | psub); complete -C $argv[1]";
    const shown = await shell(["fish", "--no-config", "-c", script, line], around);
    return shown
      .split("\n")
      .filter(Boolean)
      .map((candidate) => candidate.split("\t")[0] ?? "")
      .sort();
  };

  test.each([
    ["hooksh disp", ["dispatch"]],
    ["hooksh run --safety st", ["strict"]],
    ["hooksh run --safety=st", ["--safety=strict"]],
    ["hooksh run ", ["agent.yaml", "more/", "nightly", "with space/"]],
    ["hooksh run agent.yaml -a h", ["helper"]],
    ["hooksh run --working-dir m", ["more/"]],
  ])("%s", async (line, expected) => {
    expect(await press(line)).toEqual(expected);
  });
});
