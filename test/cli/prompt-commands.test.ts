import { expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sh } from "../helpers/call-builtin.ts";
import type { Step } from "../helpers/fake-openai.ts";
import { converse, type Exchange, held, setUp, shell, start, type TerminalRun } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

type Setting = ReturnType<typeof setUp>;

/** A conversation at the prompt with commands, which `/exit` ends. */
interface Case {
  name: string;
  /** Keys of the agent, and the replies of its model. */
  agent?: Record<string, unknown>;
  replies?: Step[];
  args?: string[];
  /** What is typed and shown once the prompt is there. */
  typed: (setting: Setting) => Exchange[];
  /** What holds after the run. */
  then?: (setting: Setting, run: TerminalRun) => void | Promise<void>;
}

/** Talks to the agent of a directory until `/exit`. */
async function talk(cwd: string, args: readonly string[], typed: readonly Exchange[]): Promise<TerminalRun> {
  const run = start(cwd, args);
  await converse(run, [["", "> "], ...typed, ["/exit\r"]]);
  expect(await run.child.exited).toBe(0);
  return run;
}

/** A session of one message that is left, and its id. */
async function leftSession(cwd: string, args: readonly string[]): Promise<string> {
  const run = start(cwd, args);
  await converse(run, [
    ["", "> "],
    ["hello\r", "the answer"],
    ["/quit\r", "To continue: hooksh run agent.yaml --session "],
  ]);
  await run.child.exited;
  return /--session (\S+)/.exec(run.shown())?.[1] ?? "";
}

const contents = ({ server }: Setting, request: number) =>
  server.requests[request]?.messages.map(({ content }) => content);

/** The starts and ends of sessions, with why. */
const lives = ({ events }: Setting) =>
  events().filter(({ hook_event_name }) => String(hook_event_name).startsWith("session_"));
const reasons = (setting: Setting) => lives(setting).map(({ source, reason }) => source ?? reason);

const asked =
  ({ server }: Setting, count: number) =>
  () =>
    until(() => server.requests.length === count);
const nothingAsked =
  ({ server }: Setting) =>
  () =>
    expect(server.requests).toEqual([]);

const CASES: Case[] = [
  ...["/clear", "/new"].map(
    (command): Case => ({
      name: `${command} ends the session and starts another with the same mode and no memory`,
      replies: [{ text: "first answer" }, { text: "second answer" }],
      args: ["--safety", "balanced"],
      typed: () => [
        ["one\r", "first answer"],
        [`${command}\r`, "(new session)"],
        ["two\r", "second answer"],
        ["/permissions\r", "Safety mode: balanced"],
      ],
      then: (setting) => {
        expect(contents(setting, 1)).not.toContain("one");
        const seen = lives(setting);
        expect(seen.map(({ hook_event_name }) => hook_event_name)).toEqual([
          "session_start",
          "session_end",
          "session_start",
          "session_end",
        ]);
        expect(reasons(setting)).toEqual(["startup", "clear", "clear", "prompt_input_exit"]);
        expect(seen[1]?.["session_id"]).toBe(seen[0]?.["session_id"]);
        expect(seen[2]?.["session_id"]).not.toBe(seen[0]?.["session_id"]);
      },
    }),
  ),
  {
    name: "a command runs when Enter is pressed while its completions are shown, also if its name is not complete",
    replies: [{ text: "first answer" }],
    typed: () => [
      ["one\r", "first answer"],
      ["/cos", "Show tokens and cost"],
      ["\r", "the cost is unknown; the last call read"],
    ],
  },
  {
    name: "/clear and /exit while the agent works cancel its answer first",
    replies: [held("never").step, held("never").step],
    typed: (setting) => [["one\r"], asked(setting, 1), ["/clear\r", "(new session)"], ["two\r"], asked(setting, 2)],
    then: ({ events }) => {
      const ends = events().filter(({ hook_event_name }) => /^(turn|session)_end$/.test(String(hook_event_name)));
      expect(ends.map(({ reason }) => reason)).toEqual(["canceled", "clear", "canceled", "prompt_input_exit"]);
    },
  },
  {
    name: "/yolo lets tools run without asking, and ask again",
    replies: [shell("touch made"), { text: "finished" }, shell("touch more"), { text: "done again" }],
    typed: ({ cwd }) => [
      ["/yolo\r", "without asking"],
      ["go\r", "finished"],
      () => expect(existsSync(join(cwd, "made"))).toBe(true),
      ["/yolo\r", "tools ask again"],
      ["go on\r", "[n]o:"],
      ["n", "done again"],
    ],
    then: ({ cwd }) => expect(existsSync(join(cwd, "more"))).toBe(false),
  },
  {
    name: "!COMMAND shows its output and adds it to the next request, and no tool hook runs",
    agent: { hooks: { pre_tool_use: [{ matcher: "*", hooks: [{ type: "command", command: "cat >> events.log" }] }] } },
    replies: [{ text: "I see" }],
    typed: () => [
      ["!printf 'out\\033[2Jput'; exit 3\r", "output", "(exit code 3)"],
      ["what was that?\r", "I see"],
    ],
    then: (setting, run) => {
      const sent = JSON.stringify(contents(setting, 0));
      expect(sent).toContain("exit code 3");
      expect(sent).toContain("what was that?");
      expect(run.sent()).not.toContain("\x1b[2J");
      expect(setting.events().map(({ hook_event_name }) => hook_event_name)).toEqual([
        "session_start",
        "turn_end",
        "session_end",
      ]);
    },
  },
  {
    name: "/help, /tools, /cost, /permissions and /sessions show the state without asking a model",
    agent: { commands: { greet: { instruction: "Say hello to ${args}", description: "Greets somebody" } } },
    replies: [{ text: "hello Ann" }],
    typed: (setting) => [
      [
        "/help\r",
        "Guards        /hooks /permissions /yolo",
        "This agent has /greet",
        "? on an empty line shows the keys",
      ],
      (run) => expect(run.shown()).not.toContain("/undo"),
      ["/help compact\r", "/compact [WHAT TO KEEP]  Replace the older part"],
      ["/help /greet\r", "/greet  Greets somebody"],
      ["/help none\r", "error: /help: no command /none; /help names all commands"],
      ["/help all\r", "/copy ", "Greets somebody", "Ctrl+G "],
      ["/tools\r", "shell(cmd"],
      ["/cost\r", "$0.0000"],
      ["/permissions\r", "Safety mode: default: tools that only read run", "no rules"],
      nothingAsked(setting),
      ["/greet Ann\r", "hello Ann"],
      ["/sessions\r", "/greet Ann", "/resume ID continues one"],
    ],
  },
  {
    name: "? on an empty line shows the keys; in a line it is a character",
    replies: [{ text: "yes" }],
    typed: (setting) => [["?", "edits the message in $EDITOR"], nothingAsked(setting), ["why?\r", "yes"]],
    then: (setting) => expect(contents(setting, 0)?.at(-1)).toBe("why?"),
  },
  {
    name: "an unknown name is an error with a suggestion, and never sent; a path is a message",
    replies: [{ text: "no idea" }],
    typed: (setting) => [
      ["/hepl me\r", "unknown command /hepl, did you mean /help?"],
      ["/undo it, please\r", "in git repositories only"],
      nothingAsked(setting),
      ["/etc/hosts is broken\r", "no idea"],
    ],
    then: (setting) => expect(contents(setting, 0)?.at(-1)).toBe("/etc/hosts is broken"),
  },
  {
    name: "/model makes the agent use another model, and names what is wrong with an unknown one",
    replies: [{ text: "from the other" }],
    typed: () => [
      ["/model nothing\r", "error: "],
      ["/model fake/other\r", "(root uses fake/other from now on; whether it exists shows with the next message)"],
      ["hello\r", "from the other"],
      ["/model\r", "in use"],
      (run) => run.escape(),
    ],
    then: ({ server }) => expect(server.requests[0]).toMatchObject({ model: "other" }),
  },
  {
    name: "/init asks the agent to write AGENTS.md through its guarded tools",
    replies: [shell("echo rules > AGENTS.md"), { text: "written" }],
    typed: () => [
      [
        "/init mind the tests\r",
        "(asks root to study this folder and to write AGENTS.md)",
        "(root does not read AGENTS.md in later sessions",
      ],
      ["", "[n]o:"],
      ["y", "written"],
    ],
    then: (setting) => {
      expect(contents(setting, 0)?.at(-1)).toMatch(/^Study this folder, and write AGENTS.md.*mind the tests$/s);
      expect(readFileSync(join(setting.cwd, "AGENTS.md"), "utf8")).toBe("rules\n");
    },
  },
  {
    name: "/init says nothing about reading to an agent that reads AGENTS.md",
    agent: { add_prompt_files: ["AGENTS.md"] },
    replies: [{ text: "written" }],
    typed: () => [["/init\r", "(asks root to study this folder", "written"]],
    then: (_setting, run) => expect(run.shown()).not.toContain("in later sessions"),
  },
  {
    name: "/init refuses an agent that cannot write files",
    agent: { toolsets: [{ type: "think" }] },
    typed: (setting) => [["/init\r", "root has no tool that writes files"], nothingAsked(setting)],
  },
  {
    name: "/hooks shows what is in force, where it is configured, and how each hook ended last",
    agent: {
      hooks: {
        pre_tool_use: [
          {
            matcher: "shell",
            hooks: [
              { name: "the guard", type: "command", command: "echo no >&2; exit 2" },
              { name: "a note", type: "command", command: "true" },
            ],
          },
        ],
      },
    },
    replies: [shell("touch made"), { text: "finished" }],
    typed: () => [
      ["/hooks\r", "pre_tool_use on shell: the guard (agent.yaml:1); last: not run yet"],
      ["go\r", "finished"],
      ["/hooks\r", "the guard (agent.yaml:1); last: deny, ", "a note (agent.yaml:1); last: silent, "],
    ],
    then: ({ cwd }) => expect(existsSync(join(cwd, "made"))).toBe(false),
  },
  {
    name: "/export writes the session to a new file and never over another, and /copy copies the answer",
    replies: [{ text: "the answer" }],
    typed: ({ cwd }) => [
      ["hello\r", "the answer", "> "],
      ["/export out.json\r", "(written to "],
      () => expect(JSON.parse(readFileSync(join(cwd, "out.json"), "utf8"))).toMatchObject({ title: "hello" }),
      ["/export out.json\r", "not written"],
      ["/copy\r", "in the clipboard"],
    ],
    then: (_setting, run) =>
      expect(run.sent()).toContain(`\x1b]52;c;${Buffer.from("the answer").toString("base64")}\x07`),
  },
  {
    name: "/back keeps the mode that /yolo returns to",
    replies: [{ text: "first answer" }],
    args: ["--safety", "restricted"],
    typed: () => [
      ["/yolo\r", "(tools run without asking"],
      ["one\r", "first answer", "> "],
      ["/back\r", "Go back to the message"],
      ["\r", "(back before this message"],
      ["\x15/yolo\r", "(tools ask again: safety mode restricted)"],
    ],
  },
  {
    name: "Esc Esc goes back to an earlier message in a new session, which does not know what came after",
    replies: [{ text: "first answer" }, { text: "second answer" }, { text: "third answer" }],
    typed: () => [
      ["one\r", "first answer", "> "],
      ["two\r", "second answer", "> "],
      ["\x1b", "Escape again goes back"],
      ["\x1b", "Go back to the message"],
      ["\r", "(back before this message", "> two"],
      [" changed\r", "third answer"],
    ],
    then: (setting) => {
      expect(contents(setting, 2)?.slice(-3)).toEqual(["one", "first answer", "two changed"]);
      expect(reasons(setting)).toEqual(["startup", "clear", "resume", "prompt_input_exit"]);
    },
  },
  (() => {
    const { step, release } = held("first answer");
    return {
      name: "a command that has to wait runs after the answer, and not after a cancellation",
      replies: [step, held("never").step],
      typed: (setting) => [
        ["one\r"],
        asked(setting, 1),
        ["!echo ran-$((1+1))\r", "(runs after the answer)"],
        release,
        ["", "ran-2"],
        ["two\r"],
        asked(setting, 2),
        ["!touch never\r", "(runs after the answer)"],
        ["\x03", "(not run) !touch never"],
      ],
      then: ({ cwd }) => expect(existsSync(join(cwd, "never"))).toBe(false),
    };
  })(),
  {
    name: "/compact replaces the conversation with a summary",
    replies: [{ text: "first answer" }, { text: "SUMMARY" }, { text: "second answer" }],
    typed: () => [
      ["one\r", "first answer"],
      ["/compact keep the names\r", "(compacted: a summary of about"],
      ["two\r", "second answer"],
    ],
    then: (setting) => {
      expect(JSON.stringify(contents(setting, 1))).toContain("keep the names");
      expect(JSON.stringify(contents(setting, 2))).toContain("SUMMARY");
    },
  },
];

test.each(CASES.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
  const setting = setUp(one.agent ?? {}, ...(one.replies ?? []));
  const run = await talk(setting.cwd, one.args ?? [], one.typed(setting));
  await one.then?.(setting, run);
});

// What needs more than one run, or other files.

test("/agents shows the agents of the team and lets another one answer", async () => {
  const setting = setUp({ sub_agents: ["helper"] }, { text: "helped" });
  const path = join(setting.cwd, "agent.yaml");
  const file = JSON.parse(readFileSync(path, "utf8"));
  file.agents.helper = { model: "fake/small", description: "Helps", instruction: "I am the helper." };
  writeFileSync(path, JSON.stringify(file));
  await talk(
    setting.cwd,
    [],
    [
      ["/agents helpr\r", 'no agent "helpr", did you mean helper?'],
      ["/agents\r", "root (answers now)", "fake/small · Helps"],
      ["help", "helper"],
      ["\r", "(helper answers from now on)"],
      ["hello\r", "helped"],
    ],
  );
  expect(contents(setting, 0)?.[0]).toContain("I am the helper.");
});

test("leaving says how to continue; a resumed session shows its last exchange and asks again after --yolo", async () => {
  const { cwd } = setUp({}, { text: "the answer" }, shell("touch made"), { text: "finished" });
  const id = await leftSession(cwd, ["--yolo"]);
  const second = start(cwd, ["--session", id]);
  await converse(second, [
    ["", "tools ask again now", "Resumed: hello", "the answer", "> "],
    ["go\r", "[n]o:"],
    ["n", "finished"],
    ["/exit\r"],
  ]);
  expect(await second.child.exited).toBe(0);
  await talk(
    cwd,
    [],
    [
      [`/resume ${id}\r`, "Resumed: hello"],
      ["/resume nothing\r", 'no stored session "nothing"'],
    ],
  );
});

test("/resume keeps the directory and the mode that flags chose, and refuses a directory that is gone", async () => {
  const { cwd } = setUp({}, { text: "the answer" });
  const [gone, chosen] = [join(cwd, "gone"), join(cwd, "chosen")];
  for (const directory of [gone, chosen]) cpSync(join(cwd, "agent.yaml"), join(directory, "agent.yaml"));
  const id = await leftSession(cwd, ["--working-dir", gone, "--safety", "balanced"]);
  const resume: Exchange = [`/resume ${id}\r`, "Resumed: hello"];
  await talk(cwd, ["--safety", "restricted"], [resume, ["/permissions\r", "Safety mode: restricted"]]);
  rmSync(gone, { recursive: true });
  await talk(cwd, [], [[`/resume ${id}\r`, "name a directory with --working-dir"]]);
  await talk(cwd, ["--working-dir", chosen], [resume, ["!basename $PWD-here\r", "chosen-here"]]);
});

test("/undo undoes the last turn, /snapshots restores the original state", async () => {
  const words = ["one", "two", "three"];
  const { cwd } = setUp({}, ...words.flatMap((word) => [shell(`echo ${word} > a.txt`), { text: `did ${word}` }]));
  writeFileSync(join(cwd, "a.txt"), "zero\n");
  sh(cwd, "git init -q && printf '.home\\nevents.log\\n' > .gitignore && git add . && git commit -q -m first");
  const holds = (text: string) => () => expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe(text);
  const snapshots: Exchange = [
    "/snapshots\r",
    "Restore the state at",
    " UTC",
    "before a turn that changed 1 file: a.txt",
    "original, before",
  ];
  await talk(
    cwd,
    ["--yolo", "--snapshot"],
    [
      ["/undo\r", "Nothing to undo"],
      ...words.map((word): Exchange => [`make ${word}\r`, `did ${word}`]),
      ["/undo\r", "restored a.txt"],
      holds("two\n"),
      snapshots,
      (run) => run.escape(),
      holds("two\n"),
      snapshots,
      ["original\r", "restored a.txt"],
      holds("zero\n"),
    ],
  );
});
