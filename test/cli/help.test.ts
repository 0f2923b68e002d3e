import { describe, expect, test } from "bun:test";
import { COMMAND_GROUPS, type CommandRow } from "../../src/cli/define-command.ts";
import { isListed } from "../../src/cli/flags.ts";
import { FOREIGN_COMMANDS } from "../../src/cli/foreign-commands.ts";
import { COMMANDS, RENAMED } from "../../src/commands/index.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

const cwd = tempDir();
const run = (...args: string[]) => hooksh(args, { cwd });

describe("hooksh --help", () => {
  test("describes ten commands to start with, and names all others once, by group", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    const [, start = "", others = ""] = /\nStart here\n([^]*)\n\nMore commands\n([^]*?)\n\n/.exec(stdout) ?? [];
    const commands = Object.entries<CommandRow>(COMMANDS).filter(([, { now }]) => now === undefined);
    const first = commands.filter(([, { group }]) => group === "start");
    expect(start.split("\n").map((line) => line.replace(/^ {2}(\S+) +/, "$1: "))).toEqual(
      first.map(([name, { summary }]) => `${name}: ${summary}`),
    );
    expect(first).toHaveLength(10);
    for (const [group, title] of Object.entries(COMMAND_GROUPS).slice(1)) {
      const named = commands.flatMap(([name, row]) => (row.group === group ? [name] : []));
      expect(others).toMatch(new RegExp(`^  ${title} +${named.join(", ")}$`, "m"));
    }
  });

  test("with --all of hooksh help describes every command, under its group, and the flags that each has", async () => {
    const { code, stdout } = await run("help", "--all");
    expect(code).toBe(0);
    const titles = Object.values(COMMAND_GROUPS).map((title) => stdout.indexOf(`\n${title}\n`));
    expect(titles).toEqual([...titles].sort((one, other) => one - other));
    expect(titles).not.toContain(-1);
    for (const [name, { summary, now }] of Object.entries<CommandRow>(COMMANDS))
      if (now === undefined)
        expect(
          stdout.split("\n").filter((line) => line.startsWith(`  ${name} `) && line.endsWith(`  ${summary}`)),
        ).toHaveLength(1);
    expect(stdout).toContain("\nFlags of every command\n");
  });

  test("is what hooksh prints without a command, with exit code 64, and what hooksh help prints", async () => {
    const [help, without, verb] = await Promise.all([run("--help"), run(), run("help")]);
    expect(without).toMatchObject({ code: 64, stdout: help.stdout });
    expect(verb).toMatchObject({ code: 0, stdout: help.stdout, stderr: "" });
  });
});

const loaded = await Promise.all(
  Object.entries<CommandRow>(COMMANDS).map(async ([verb, row]) => ({ verb, command: (await row.load()).command })),
);

describe("hooksh COMMAND --help", () => {
  test("lists the flags of a command that has many under headings, each flag once", async () => {
    for (const { verb, command } of loaded) {
      const grouped = Object.values(command.flagGroups ?? {}).flatMap((group) => Object.keys(group));
      if (Object.values(command.flags).filter(isListed).length > 12 || command.flagGroups)
        expect({ verb, flags: grouped.toSorted() }).toEqual({ verb, flags: Object.keys(command.flags).toSorted() });
    }
  });

  test("has the headings in the order of the table, and the flags of every command last", async () => {
    const { stdout } = await run("run", "--help");
    const headings = stdout.split("\n\n").map((section) => section.split("\n")[0] ?? "");
    const { flagGroups } = loaded.find(({ verb }) => verb === "run")?.command ?? {};
    expect(headings.slice(2)).toEqual([...Object.keys(flagGroups ?? {}), "Flags of every command"]);
    expect(headings[0]).toBe("Usage: hooksh run [AGENT] [MESSAGE...]");
    const [, limits = ""] = stdout.split("\nLimits\n");
    expect(limits).toMatch(/^ +--max-cost=<USD> +Send no further request to a model/);
    expect(stdout.split("\n").filter((line) => line.endsWith(" "))).toEqual([]);
  });

  test.each([40, 80])("fits a terminal of %d columns", async (columns) => {
    const help = startAtTerminal(cwd, ["run", "--help"], { columns });
    expect(await help.child.exited).toBe(0);
    const shown = help.shown();
    expect(shown).toContain("Print the version; without");
    const long = shown.split(/\r?\n/).filter((line) => line.length > Math.max(columns, 64));
    expect(long).toEqual([]);
  });
});

describe("hooksh help", () => {
  test("prints what --help prints, for a command and for its subcommand", async () => {
    const [flag, verb, two] = await Promise.all([
      run("sessions", "--help"),
      run("help", "sessions"),
      run("help", "sessions", "list"),
    ]);
    expect(verb).toEqual({ ...flag, lines: verb.lines });
    expect(two.stdout).toBe(flag.stdout);
    expect(flag.stdout).toContain("hooksh sessions list | show ID");
  });

  test.each([
    [["help", "dcotor"], 'unknown command "dcotor", did you mean doctor?'],
    [["help", "sessions", "lst"], 'sessions has no subcommand "lst", did you mean list?'],
    [["help", "sessions", "zzzzzz"], 'sessions has no subcommand "zzzzzz"; it has list, show, rm, export'],
    [["help", "doctor", "agent.yaml"], 'doctor has no subcommand "agent.yaml"'],
    [["help", "sessions", "list", "more"], 'sessions has no subcommand "list more"'],
  ])("%j is a usage error that suggests what was meant", async (args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toStartWith(message);
    expect(stderr).toEndWith("\nRun `hooksh --help` for help\n");
  });
});

test("-v prints the version, without a command only", async () => {
  const [long, short] = await Promise.all([run("--version"), run("-v")]);
  expect(long.stdout).toMatch(/^hooksh \d+\.\d+\.\d+\n$/);
  expect(short).toMatchObject({ code: 0, stdout: long.stdout });
});

test.each([{ words: ["dispatch", "-v"] }, { words: ["-v", "dispatch"] }])(
  "$words blocks: a hook command that prints the version would allow every call",
  async ({ words }) => {
    const ran = await run(...words);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toStartWith("unknown flag -v\n");
  },
);

describe("an earlier name of a command", () => {
  test.each(Object.entries(RENAMED))("%s works as %s, and says so on standard error", async (earlier, now) => {
    const [old, current] = await Promise.all([run(...earlier.split(" "), "--json"), run(...now.split(" "), "--json")]);
    const note = `note: hooksh ${earlier} is hooksh ${now} now\n`;
    expect(old).toMatchObject({ code: current.code, stdout: current.stdout });
    expect([current.stderr, `${note}${current.stderr}`]).toContain(old.stderr);
  });

  test("with --quiet is silent about it", async () => {
    expect((await run("alias", "list")).stderr).toBe("note: hooksh alias is hooksh agent alias now\n");
    expect((await run("alias", "list", "--quiet")).stderr).toBe("");
  });
});

describe("a command of docker-agent that hooksh does not have", () => {
  test.each(Object.keys(FOREIGN_COMMANDS))("%s is a usage error that says what to use instead", async (words) => {
    const { code, stdout, stderr } = await run(...words.split(" "), "agent.yaml");
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).toStartWith(`${JSON.stringify(words)} is a command of docker-agent: ${FOREIGN_COMMANDS[words]}\n`);
  });

  test("has a row only if hooksh has no such command, and names only commands that exist", () => {
    const verbs = Object.keys(COMMANDS);
    for (const [words, advice] of Object.entries(FOREIGN_COMMANDS)) {
      const [verb = "", sub] = words.split(" ");
      expect([words, verbs.includes(verb)]).toEqual([
        words,
        sub !== undefined && !Object.hasOwn(FOREIGN_COMMANDS, verb),
      ]);
      for (const [, named] of advice.matchAll(/`hooksh ([a-z-]+)/g)) expect(verbs).toContain(named ?? "");
    }
  });
});
