import { describe, expect, test } from "bun:test";
import { FOREIGN_FLAGS, foreignAdvice } from "../../src/cli/foreign-commands.ts";
import { GLOBAL_FLAGS } from "../../src/cli/global-flags.ts";
import { COMMANDS, RENAMED } from "../../src/commands/index.ts";
import { RUN_FLAGS } from "../../src/run/run-flags.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const cwd = tempDir();

/**
 * Every command of docker-agent with its subcommands, in the order of
 * https://github.com/docker/docker-agent/blob/main/cmd/root/root.go; without the hidden `__askpass`.
 */
const THEIR_COMMANDS: Readonly<Record<string, readonly string[]>> = {
  version: [],
  run: [],
  new: [],
  "getting-started": [],
  eval: [],
  share: ["push", "pull"],
  models: ["list", "ls"],
  toolsets: [],
  setup: [],
  doctor: [],
  debug: ["tool", "config", "toolsets", "skills", "title", "auth", "oauth"],
  alias: ["add", "list", "ls", "remove", "rm"],
  plans: ["list", "get", "create", "update", "status", "export", "delete"],
  sandbox: ["allow", "deny", "list"],
  board: [],
  serve: ["api", "mcp", "a2a", "acp", "chat"],
  completion: ["bash", "zsh", "fish", "powershell"],
  help: [],
};

/**
 * Every flag of docker-agent's `run` (https://docs.docker.com/ai/docker-agent/features/cli/, and
 * https://github.com/docker/docker-agent/blob/main/cmd/root/run.go), and its global flags.
 */
const THEIR_FLAGS =
  "agent yolo model session session-db session-read-only prompt-file attach dry-run remote listen lean app-name sidebar " +
  "disable-commands theme on-event json hide-tool-calls hide-tool-results sandbox template sbx no-kit agent-picker worktree " +
  "worktree-base worktree-pr working-dir env-from-file code-mode-tools models-gateway hook-pre-tool-use hook-post-tool-use " +
  "hook-session-start hook-session-end hook-on-user-input hook-stop fake fake-stream record exec safety debug log-file otel " +
  "cloud workflow cache-dir config-dir data-dir help flavor mcp-oauth-redirect-uri exit-after-response force-tui session-workingdir-root tour";

describe("a command of docker-agent", () => {
  test.each(Object.entries(THEIR_COMMANDS))("%s is one of hooksh, or says what to use instead", async (verb, subs) => {
    if (!Object.hasOwn({ ...COMMANDS, ...RENAMED }, verb)) {
      expect(foreignAdvice(verb)).toStartWith(`"${verb}" is a command of docker-agent: `);
      for (const sub of subs)
        expect((await hooksh([verb, sub], { cwd })).stderr).toMatch(
          new RegExp(`^"${verb}( ${sub})?" is a command of docker-agent: `),
        );
      return;
    }
    for (const sub of subs) {
      const { stdout, stderr } = await hooksh([verb, sub], { cwd });
      const isAnswered =
        foreignAdvice(`${verb} ${sub}`) !== undefined && stderr.startsWith(`"${verb} ${sub}" is a command of`);
      const isKnown = stdout !== "" || stderr === "" || !stderr.includes(`not "${sub}"`);
      expect([sub, isAnswered || isKnown || stderr.startsWith("completion takes bash, zsh, fish")]).toEqual([
        sub,
        true,
      ]);
    }
  });
});

test.each([
  [["debug", "tool", "agent.yaml", "shell"], "hooksh test"],
  [["debug", "config", "agent.yaml"], "hooksh validate"],
  [["debug", "toolsets", "--json"], "hooksh hooks list"],
  [["debug", "skills", "--json"], "hooksh hooks list"],
  [["debug", "auth"], "hooksh validate"],
  [["sessions", "diff", "-1", "-2"], "hooksh sessions export"],
  [["share", "push", "agent.yaml", "me/agent", "--key", "k"], "--trust=DIGEST"],
  [["run", "agent.yaml", "--cloud"], "container"],
  [["run", "agent.yaml", "--workflow", "w"], "routing hooks"],
  [["eval", "agent.yaml"], "hooksh test"],
])("%p is a usage error that names the other way", async (words, other) => {
  const { code, stderr } = await hooksh(words, { cwd });
  expect(code).toBe(64);
  expect(stderr.split("\n")[0]).toContain("of docker-agent: ");
  expect(stderr.split("\n")[0]).toContain(other);
});

describe("a flag of docker-agent's run", () => {
  test.each(THEIR_FLAGS.split(" "))("--%s is one of hooksh, or says what to use instead", async (name) => {
    const isOurs = Object.hasOwn(RUN_FLAGS, name) || Object.hasOwn(GLOBAL_FLAGS, name);
    expect([name, isOurs !== Object.hasOwn(FOREIGN_FLAGS, `--${name}`)]).toEqual([name, true]);
  });

  test("that hooksh does not have is a usage error that names the other way", async () => {
    const { code, stderr } = await hooksh(["run", "agent.yaml", "--sandbox", "Hello"], { cwd });
    expect(code).toBe(64);
    expect(stderr).toStartWith("--sandbox is a flag of docker-agent: hooksh starts no sandbox");
    expect((await hooksh(["run", "--sandbxo"], { cwd })).stderr).toStartWith("unknown flag --sandbxo");
  });
});
