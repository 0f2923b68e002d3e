/** Captures the events that only some runs have: those at a terminal, of a compaction, an error, a worktree, a skill. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary } from "../../test/helpers/binary.ts";
import { type WireReply, type WireRequest, windowServer } from "../../test/helpers/window-server.ts";
import { type CaptureRun, captureRun, capturingHooks, type Payload, runToEnd } from "./capture-run.ts";

/** Returns the payloads of the runs, without what belongs to a run. */
export async function captureRareEvents(): Promise<Payload[]> {
  const runs = [conversation, compaction, failure, worktree, loadedTexts, routed];
  const payloads: Payload[] = [];
  for (const run of runs) payloads.push(...(await run()));
  return payloads;
}

function agentFile(url: string, keys: object = {}, contextSize = 100_000): string {
  const root = {
    model: "small",
    description: "A clerk",
    instruction: "Help.",
    redact_secrets: false,
    toolsets: [{ type: "shell" }],
    hooks: capturingHooks(["stop_guard", "response_guard"]),
    ...keys,
  };
  return JSON.stringify({
    agents: { root },
    models: { small: { provider: "fake", model: "model", provider_opts: { context_size: contextSize } } },
    providers: { fake: { base_url: url } },
  });
}

const WAITING = "touch started; while [ ! -e go ]; do sleep 0.1; done";

/** A conversation at a terminal: an approval, a steering message, a follow-up, and more iterations than allowed. */
async function conversation(): Promise<Payload[]> {
  using model = windowServer(1_000_000, ({ messages }) => {
    const answered = messages.filter(({ role }) => role === "tool").length;
    return answered === 0 ? { calls: [{ name: "shell", arguments: { cmd: WAITING } }] } : { text: "Done." };
  });
  using run = captureRun({ "agent.yaml": agentFile(model.url, { max_iterations: 1 }) }, model.url);
  using terminal = startAtTerminal(run);
  const { press } = terminal;
  await until(
    () => eventCount(run, "user_prompt_submit") > 0,
    () => press("Round the prices.\r"),
    10_000,
  );
  await until(() => eventCount(run, "permission_request") > 0);
  await answerYes(terminal, () => existsSync(join(run.cwd, "started")));
  press("round to cents\r");
  await until(() => terminal.shown().includes("round to cents"));
  await Bun.sleep(500);
  // Alt+Enter or Tab queues a message for after the answer, depending on the terminal; the other key does nothing here.
  press("then show the total\x1b\r");
  await until(() => terminal.shown().includes("then show the total"));
  await Bun.sleep(500);
  press("\t");
  await Bun.sleep(500);
  writeFileSync(join(run.cwd, "go"), "");
  await until(() => eventCount(run, "on_max_iterations") > 0);
  await answerYes(terminal, () => eventCount(run, "on_session_resume") > 0);
  await until(() => eventCount(run, "user_followup_submit") > 0 && eventCount(run, "stop") > 1);
  await until(
    () => terminal.hasEnded(),
    () => press("\x03\x04"),
    500,
  );
  return run.cleaned(run.payloads());
}

/** A run at a pseudo-terminal, which is killed when the value is disposed of. */
interface TerminalRun extends Disposable {
  press(keys: string): void;
  /** Everything that was printed, without escape sequences. */
  shown(): string;
  hasEnded(): boolean;
}

function startAtTerminal({ cwd, env }: CaptureRun): TerminalRun {
  const decoder = new TextDecoder();
  let printed = "";
  const data = (_terminal: unknown, bytes: Uint8Array) => {
    printed += decoder.decode(bytes, { stream: true });
  };
  const child = Bun.spawn([binary(), "run", "agent.yaml"], {
    cwd,
    env: { ...env, TERM: "xterm" },
    terminal: { cols: 100, rows: 30, data },
  });
  return {
    press: (keys) => void child.terminal?.write(keys),
    shown: () => Bun.stripANSI(printed),
    hasEnded: () => child.exitCode !== null,
    [Symbol.dispose]: () => child.kill(),
  };
}

/** Answers the question that is about to be asked; an early key does not count, so it is pressed again. */
async function answerYes({ press }: TerminalRun, isAnswered: () => boolean): Promise<void> {
  await Bun.sleep(500);
  await until(isAnswered, () => press("y"), 5000);
}

/** A conversation that fills its context window and is compacted. */
async function compaction(): Promise<Payload[]> {
  using model = windowServer(1_000_000, ({ tools = [] }: WireRequest): WireReply => {
    if (tools.length === 0) return { text: "The user asked for prices. Apples cost 1.19." };
    return { text: "Apples cost 1.19.", usage: { prompt: 7500, completion: 10 } };
  });
  using run = captureRun({ "agent.yaml": agentFile(model.url, {}, 8000) }, model.url);
  await runToEnd(run, ["run", "agent.yaml", "--yolo", "What do apples cost?", "And pears?"]);
  return run.cleaned(run.payloads());
}

/** A run whose model fails. */
async function failure(): Promise<Payload[]> {
  const refuse = () =>
    Response.json({ error: { message: "model: not found", type: "invalid_request_error" } }, { status: 404 });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: refuse });
  const url = `http://127.0.0.1:${server.port}/v1`;
  using run = captureRun({ "agent.yaml": agentFile(url) }, url);
  await runToEnd(run, ["run", "agent.yaml", "What do apples cost?"], 1);
  await server.stop(true);
  return run.cleaned(run.payloads());
}

/** A run in a worktree of its own. */
async function worktree(): Promise<Payload[]> {
  using model = windowServer(1_000_000, () => ({ text: "Done." }));
  using run = captureRun({ "agent.yaml": agentFile(model.url) }, model.url);
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
      cwd: run.cwd,
      env: run.env,
    });
  git("init", "-q", "-b", "main");
  git("add", ".");
  git("commit", "-q", "-m", "start");
  await runToEnd(run, ["run", "agent.yaml", "--worktree=prices", "Round the prices."]);
  return run.cleaned(run.payloads());
}

/** A run that loads a prompt file and reads a skill. */
async function loadedTexts(): Promise<Payload[]> {
  using model = windowServer(1_000_000, ({ messages }) => {
    const isRead = messages.some(({ role }) => role === "tool");
    return isRead ? { text: "Done." } : { calls: [{ name: "read_skill", arguments: { name: "prices" } }] };
  });
  const files = {
    "agent.yaml": agentFile(model.url, { add_prompt_files: ["AGENTS.md"], skills: ["prices"] }),
    "AGENTS.md": "Prices are in euros.\n",
    ".agents/skills/prices/SKILL.md": "---\ndescription: How to set prices\n---\nRound to cents.\n",
  };
  using run = captureRun(files, model.url);
  await runToEnd(run, ["run", "agent.yaml", "Set the prices."]);
  return run.cleaned(run.payloads());
}

/** A conversation in which hooks may route. */
async function routed(): Promise<Payload[]> {
  using model = windowServer(1_000_000, () => ({ text: "They cost 2 euros." }));
  const selectors = ["before_agent_run", "after_agent_complete"] as const;
  const keys = { routing: { allowed_agents: ["quick", "reviewer"] }, hooks: capturingHooks([], selectors) };
  const file = JSON.parse(agentFile(model.url, keys));
  for (const name of ["quick", "reviewer"]) file.agents[name] = { model: "small", instruction: "Help." };
  using run = captureRun({ "agent.yaml": JSON.stringify(file) }, model.url);
  await runToEnd(run, ["run", "agent.yaml", "What do apples cost?", "And pears?"]);
  return run.cleaned(run.payloads());
}

function eventCount(run: CaptureRun, event: string): number {
  return run.payloads().filter((payload) => payload.hook_event_name === event).length;
}

/** Waits until something holds, and calls `meanwhile` every `ms`. Throws after two minutes. */
async function until(holds: () => boolean, meanwhile = () => {}, ms = 200): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (let waited = 0; !holds(); waited += 100) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${holds.toString()}`);
    if (waited % ms === 0) meanwhile();
    await Bun.sleep(100);
  }
}
