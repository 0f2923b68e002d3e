import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { sentByScript, startAtTerminal } from "../helpers/terminal-run.ts";

const serve = modelServers();

/** Erases the screen, sets the title, hides a link, moves to the left, changes the direction: in C0, C1 and Unicode. */
const EVIL = "\x1b[2J\x1b]0;owned\x07\x1b]8;;http://evil.example\x1b\\\x9b2K\b\u202egood";
const SHOWN = "\\x1b[2J\\x1b]0;owned\\x07\\x1b]8;;http://evil.example\\x1b\\\\x9b2K\\b\\u202egood";
/** The same, where JSON is possible. */
const SHOWN_AS_JSON = SHOWN.replace("\\x9b", "\\u009b");
/** JSON for a YAML file: only ASCII. */
const ascii = (json: string) =>
  json.replace(/[\x7f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

const HARMFUL = /\x1b\[2J|\x1b\]|\x9b|\x07|\x08|\u202e/;

/** Sent once by hooksh itself: asks the terminal whether its background is light or dark. */
const BACKGROUND_QUERY = "\x1b]11;?\x07";

const onShell = (...hooks: object[]) => [{ matcher: "shell", hooks }];

/** An agent whose replies, tool output and hooks all contain the sequences. */
function evilAgent(): string {
  const server = serve(
    {
      text: `say ${EVIL}`,
      calls: [
        { name: "shell", arguments: { cmd: "cat evil.txt" } },
        { name: `no${EVIL}`, arguments: { [EVIL]: EVIL } },
      ],
    },
    { text: "blocked next", calls: [{ name: "shell", arguments: { cmd: "cat forbidden" } }] },
    { text: `end ${EVIL}` },
  );
  const answer = { system_message: `warn ${EVIL}` };
  const hooks = {
    pre_tool_use: onShell(
      { type: "command", command: "cat answer.json", name: "warner" },
      { type: "command", command: "if grep -q forbidden; then cat evil.txt >&2; exit 2; fi", name: `guard ${EVIL}` },
    ),
  };
  return tempDir({
    "agent.yaml": ascii(agentFor(server, { hooks })),
    "evil.txt": EVIL,
    "answer.json": JSON.stringify(answer),
  });
}

describe("a run escapes foreign escape sequences", () => {
  test.each([
    ["with a message on standard input", "echo go | $0 run agent.yaml --yolo"],
    ["with standard input closed", "$0 run agent.yaml --yolo go < /dev/null"],
    ["with tool calls hidden", "$0 run agent.yaml --yolo --hide-tool-calls go < /dev/null"],
    ["with --json", "$0 run agent.yaml --yolo --json go"],
    ["at the terminal", "$0 run agent.yaml --yolo go"],
  ])("%s", async (_name, script) => {
    const sent = await sentByScript(evilAgent(), script);
    expect(sent.replace(BACKGROUND_QUERY, "")).not.toMatch(HARMFUL);
    expect(sent).toContain("2J");
  });

  test("on standard error if it is a terminal, while standard output stays unchanged for programs", async () => {
    const cwd = evilAgent();
    const sent = await sentByScript(cwd, "$0 run agent.yaml --yolo go < /dev/null > out.txt");
    expect(sent).not.toMatch(HARMFUL);
    expect(sent).toContain(`warn ${SHOWN_AS_JSON}`);
    const written = readFileSync(join(cwd, "out.txt"), "utf8");
    expect(written).toContain(`say ${EVIL}`);
    expect(written).toContain(`shell response → ${EVIL}`);
  });

  test("on standard output if it is a terminal, while standard error is a file", async () => {
    const cwd = evilAgent();
    const sent = await sentByScript(cwd, "$0 run agent.yaml --yolo go < /dev/null 2> err.txt");
    expect(sent).not.toMatch(HARMFUL);
    expect(sent).toContain(`say ${SHOWN}`);
    expect(readFileSync(join(cwd, "err.txt"), "utf8")).toContain(`warn ${EVIL}`);
  });
});

describe("so do other commands", () => {
  const EVENT = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });
  const files = {
    "hooks.json": ascii(
      JSON.stringify({
        pre_tool_use: onShell({ type: "command", command: "cat evil.txt >&2; exit 2", name: `guard ${EVIL}` }),
      }),
    ),
    "broken.yaml": ascii(JSON.stringify({ agents: { root: { model: "openai/gpt-4o", instruction: "x", [EVIL]: 1 } } })),
    "agent.yaml": ascii(
      JSON.stringify({ agents: { [`root${EVIL}`]: { model: "openai/gpt-4o", instruction: "x", description: EVIL } } }),
    ),
    "event.json": EVENT,
    "evil.txt": EVIL,
  };

  test.each([
    ["dispatch", "$0 dispatch --hooks-file hooks.json < event.json"],
    ["dispatch --output text", "$0 dispatch --hooks-file hooks.json --output text --details < event.json"],
    ["dispatch of input that is not JSON", "$0 dispatch --hooks-file hooks.json < evil.txt"],
    [
      "dispatch with a debug log at the terminal",
      "$0 dispatch --hooks-file hooks.json --debug --log-file /dev/tty < event.json",
    ],
    ["validate", "$0 validate broken.yaml"],
    ["validate --json", "$0 validate --json broken.yaml"],
    ["doctor", "$0 doctor broken.yaml"],
    ["hooks list", "$0 hooks list --hooks-file hooks.json"],
    ["hooks list --json", "$0 hooks list --json --hooks-file hooks.json"],
    ["run --dry-run", "OPENAI_API_KEY=x $0 run agent.yaml --dry-run"],
    ["a broken agent file", "$0 run broken.yaml go"],
    ["an error on the command line", "$0 run nowhere$(cat evil.txt).yaml go"],
    ["an unknown command", '$0 "$(cat evil.txt)"'],
  ])("%s", async (_name, script) => {
    const sent = await sentByScript(tempDir(files), script);
    expect(sent).not.toMatch(HARMFUL);
    expect(sent).toMatch(/2J/);
  });

  test("JSON stays JSON of the same value", async () => {
    const cwd = tempDir(files);
    const sent = await sentByScript(cwd, "$0 hooks list --json --hooks-file hooks.json");
    const hooks = JSON.parse(sent.slice(0, sent.lastIndexOf("]") + 1).replaceAll("\r\n", "\n"));
    expect(hooks).toMatchObject([{ name: `guard ${EVIL}` }]);
  });

  test("sessions show and sessions export", async () => {
    const cwd = evilAgent();
    await sentByScript(cwd, "$0 run agent.yaml --yolo go < /dev/null > out.txt 2>&1");
    for (const script of ["$0 sessions show -1", "$0 sessions export -1", "$0 sessions list"]) {
      expect(await sentByScript(cwd, script)).not.toMatch(HARMFUL);
    }
  });
});

test("hooksh's own colours are kept", async () => {
  const server = serve({ calls: [{ name: "shell", arguments: { cmd: "echo hi" } }] }, { text: "done" });
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const piped = await sentByScript(cwd, "$0 run agent.yaml --yolo go < /dev/null");
  expect(piped).toContain("\x1b[36mCalling shell(cmd: echo hi)\x1b[0m");
  const help = startAtTerminal(cwd, ["run", "--help"], { env: { FORCE_COLOR: "1" } });
  await help.sees("Usage");
  expect(help.sent()).not.toContain("\\x1b");
});
