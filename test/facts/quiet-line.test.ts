import { expect, test } from "bun:test";
import { eventFacts } from "../../src/facts/event-facts.ts";
import { placeOf } from "../../src/facts/place.ts";
import { QUIET_COMMANDS, quietCommand, quietLine } from "../../src/facts/quiet-line.ts";
import { ruledPrograms } from "../../src/shell/rules/rules.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const place = placeOf({
  cwd: tempDir({ ".env": "A=1", "src/a.ts": "", ".git/HEAD": "ref: refs/heads/main\n", "x/id_rsa": "" }),
  env: { HOME: tempDir({ ".ssh/id_rsa": "" }), PATH: "/usr/bin:/bin", SHELL: "/bin/sh" },
});

const WORDS = (
  ". .. / a.txt src src/a.ts .env x/id_rsa /etc/passwd .git/config .git/hooks/pre-commit package-lock.json main HEAD origin prod" +
  " rm sudo sh install publish push reset 12 x-y"
).split(" ");

function stepsOf(line: string) {
  const payload = { tool_name: "shell", tool_input: { cmd: line }, cwd: place.cwd };
  const { call } = eventFacts("pre_tool_use", payload, { toolNames: [], host: undefined, place });
  expect(call?.readable).toBe(true);
  return call?.steps ?? [];
}

/** What a read line is and does, in the form of a quiet line. */
function readFacts(line: string) {
  const steps = stepsOf(line);
  const may = new Set(
    steps.flatMap((step) => [
      ...step.effect.values.map(({ text }) => text),
      ...(["reads", "writes", "paths", "hosts", "sends"] as const).filter((fact) => step[fact].length > 0),
      ...(["effect", "ref", "target", "env"] as const).filter((fact) => step[fact].open),
      ...(["ref", "target", "env"] as const).filter((fact) => step[fact].values.length > 0),
    ]),
  );
  const commands = steps.map(({ program, commandLine }) => ({
    program: program.map(({ text }) => text).join("|"),
    text: commandLine.values.map(({ text }) => text).join("|"),
  }));
  return { commands, may };
}

function expectSuperset(line: string) {
  const quiet = quietLine(line);
  const read = readFacts(line);
  const commands = quiet?.commands.map(({ program, text }) => ({ program, text }));
  expect({ line, commands }).toEqual({ line, commands: read.commands });
  for (const [at, { verb }] of (quiet?.commands ?? []).entries())
    if (verb !== undefined) expect(stepsOf(line)[at]?.verb.map(({ text }) => text.split(" ")[0])).toEqual([verb]);
  expect({ line, more: [...read.may].filter((fact) => quiet?.may.has(fact) !== true) }).toEqual({ line, more: [] });
}

const NAMES = [...QUIET_COMMANDS.matchAll(/^(.+):/gm)].map(([, name = ""]) => name);

function commandNamed(name: string) {
  const command = quietCommand(name);
  if (!command) throw new Error(`no row of ${name}`);
  return command;
}

test.each(NAMES)("%s can do no more than the table says", (name) => {
  const { options, takesWords, takesRest } = commandNamed(name);
  const known = options.map((option) => option.replace("N", "12"));
  const words = takesWords ? WORDS : [];
  const rest = takesRest ? ["-- --watch=false src", "-- publish --prefix=/etc"] : [];
  const further = [
    "",
    "2>&1",
    ...known,
    ...rest,
    ...words,
    ...known.flatMap((option) => words.map((word) => `${option} ${word}`)),
    ...known.flatMap((option) => known.map((other) => `${option} ${other}`)),
    ...words.map((word, at) => `${word} ${words[(at * 7 + 3) % words.length]}`),
  ];
  for (const words of further) expectSuperset(`${name} ${words}`.trim());
});

test("no program among the words changes what a command can do", () => {
  for (const name of NAMES)
    if (commandNamed(name).takesWords) for (const program of ruledPrograms()) expectSuperset(`${name} ${program}`);
});

test("commands are joined", () => {
  for (const joint of [" && ", " || ", "; ", " ; ", " | "])
    for (const line of ["cd src|ls -la|npm test 2>&1", "git status|cat .env|tail -5", "cat a.txt|sort -u"])
      expectSuperset(line.split("|").join(joint));
});

test.each([
  "",
  " ls",
  "ls  -l",
  "ls\n",
  "ls\nrm x",
  "ls -l > out",
  "ls $X",
  "ls *",
  "ls ~",
  "ls 'a'",
  "ls & rm x",
  "A=1 ls",
  "/bin/ls",
  "LS",
  "git",
  "git push",
  "git -C x status",
  "git diff --output=x",
  "git diff --output x",
  "git branch new",
  "sort -o x",
  "uniq a b",
  "npm test --prefix x",
  "npm install",
  "npm test -- $(x)",
  "make X=1",
  "cat a:b",
  "cat user@host",
  "ls && rm x",
  "ls &&",
  "ls && ",
  "cat x |sh",
  "cat x | sh",
  "ls 2>&1 2>&1x",
  `cat ${"a".repeat(500)}`,
])("%j is read", (line) => {
  expect(quietLine(line)).toBeUndefined();
});
