const NO_AGENT_SERVER = "hooksh serves no agents; `hooksh run AGENT --json` prints every event of a run as JSON";

/**
 * Commands of docker-agent that hooksh has under another name or not at all, and what to use instead. A key with two
 * words is a subcommand, of a command that both have or that has a row of its own. Source: https://docs.docker.com/ai/docker-agent/reference/cli
 */
export const FOREIGN_COMMANDS: Readonly<Record<string, string>> = {
  exec: "use `hooksh run AGENT MESSAGE`, which prints the answer and exits",
  new: "use `hooksh init`, which writes an agent file with a guard and its tests",
  "getting-started": "use `hooksh demo`, then `hooksh init`",
  setup: "use `hooksh init`, which says which API keys to set",
  eval: "use `hooksh test` for hooks; hooksh does not score the answers of models",
  models: "`hooksh run AGENT --model PROVIDER/MODEL` takes any model; docs/providers.md lists the providers",
  toolsets: "`hooksh run AGENT --dry-run` lists the tools of an agent",
  "debug tool": "`hooksh test` and `hooksh dispatch` show what hooks say to a call, without a model",
  "debug config": "`hooksh validate AGENT` checks a file and names each problem with its place",
  "debug toolsets": "`hooksh run AGENT --dry-run` lists the tools of an agent, `hooksh hooks list AGENT` its hooks",
  "debug skills": "`hooksh validate AGENT` checks an agent's skills, `hooksh hooks list AGENT` lists its hooks",
  debug: "use `hooksh validate AGENT`, `hooksh run AGENT --dry-run` or `hooksh hooks list AGENT`",
  config: "edit config.yaml; `hooksh doctor` names its directory and checks it",
  catalog: "hooksh has no catalog; `hooksh run IMAGE` runs an agent from a registry",
  build: "hooksh builds no images; `hooksh agent push FILE IMAGE` stores an agent file in a registry",
  sandbox: "hooksh starts no sandbox; run hooksh inside a container",
  gateway: "hooksh has no models gateway; set base_url of a provider in the agent file",
  board: "`hooksh run --worktree` runs an agent in a git worktree of its own",
  plans: "hooksh stores no plans; `hooksh sessions list` lists the stored sessions",
  feedback: "hooksh sends nothing to its authors",
  api: NO_AGENT_SERVER,
  mcp: NO_AGENT_SERVER,
  acp: NO_AGENT_SERVER,
  a2a: NO_AGENT_SERVER,
  chat: "use `hooksh run AGENT`, which opens a conversation in the terminal",
  "sessions diff": "export both with `hooksh sessions export ID`, and compare the files",
  "serve api": NO_AGENT_SERVER,
  "serve mcp": NO_AGENT_SERVER,
  "serve acp": NO_AGENT_SERVER,
  "serve a2a": NO_AGENT_SERVER,
  "serve chat": NO_AGENT_SERVER,
};

const NO_SANDBOX = "hooksh starts no sandbox; run hooksh inside a container";
const NO_WORKTREE = "`hooksh run --worktree` branches from the current commit; make other worktrees with git";
const SCREEN = "hooksh has one screen, which is inline, without a sidebar";

/**
 * Flags of docker-agent's `run` and `share` that hooksh does not have, and what to use instead. Source:
 * https://docs.docker.com/ai/docker-agent/features/cli/
 */
export const FOREIGN_FLAGS: Readonly<Record<string, string>> = {
  "--agent-picker": "name the agent; `hooksh agent alias list` lists the short names",
  "--app-name": SCREEN,
  "--cloud": NO_SANDBOX,
  "--code-mode-tools": "hooksh has no tool that calls other tools",
  "--disable-commands": SCREEN,
  "--exit-after-response": "give the message as an argument: `hooksh run AGENT MESSAGE` answers and exits",
  "--flavor": "hooksh has no flavors; write an agent file for each",
  "--force-tui": SCREEN,
  "--key": "hooksh does not sign or encrypt what it stores; `hooksh run IMAGE --trust=DIGEST` pins the content",
  "--lean": "hooksh is always inline, without an alternate screen",
  "--listen": "hooksh serves no agents; `hooksh run AGENT --json` prints every event of a run as JSON",
  "--mcp-oauth-redirect-uri": "hooksh does not sign in to MCP servers; put a token into their headers",
  "--models-gateway": "hooksh has no models gateway; set base_url of a provider in the agent file",
  "--no-kit": NO_SANDBOX,
  "--on-event": "use --hook EVENT=CMD, which runs a command on any event",
  "--otel": "use --trace FILE, or OTEL_EXPORTER_OTLP_ENDPOINT to send the trace to a collector",
  "--remote": "hooksh runs agents only on this machine",
  "--sandbox": NO_SANDBOX,
  "--sbx": NO_SANDBOX,
  "--session-read-only": "use `hooksh sessions show ID`",
  "--session-workingdir-root": NO_AGENT_SERVER,
  "--sidebar": SCREEN,
  "--template": NO_SANDBOX,
  "--theme": "hooksh uses the 16 colours of your terminal",
  "--tour": "use `hooksh demo`, then `hooksh init`",
  "--worktree-base": NO_WORKTREE,
  "--workflow": "hooksh has no workflows; use sub_agents, handoffs or routing hooks",
  "--worktree-pr": NO_WORKTREE,
};

const NEWEST_SESSION = "use --session -1, which continues the newest session";

/** Flags of `run` in other agents, and what to use instead. */
const HABITS: Readonly<Record<string, string>> = {
  "-p": "use `hooksh run -p AGENT MESSAGE`, which prints the answer alone and exits",
  "-c": NEWEST_SESSION,
  "--continue": NEWEST_SESSION,
  "--resume": "use --session ID; `hooksh sessions list` lists the sessions",
  "--dangerously-skip-permissions": "use --yolo, which runs tool calls without asking; hooks still apply",
  "--permission-mode": "use --safety MODE",
  "--allowedTools": "list the tools under permissions.allow of the agent file",
  "--verbose": "use --debug, which writes a log",
  "-y": "use --yolo, which runs tool calls without asking",
};

/** Returns what `run` has instead of a flag that other agents have; undefined for any other flag. */
export function habitAdvice(flag: string): string | undefined {
  return Object.hasOwn(HABITS, flag) ? `unknown flag ${flag}: ${HABITS[flag]}` : undefined;
}

/** Returns what to use instead of a flag of docker-agent; undefined if it is not one that hooksh lacks. */
export function foreignFlagAdvice(flag: string): string | undefined {
  if (!Object.hasOwn(FOREIGN_FLAGS, flag)) return undefined;
  return `${flag} is a flag of docker-agent: ${FOREIGN_FLAGS[flag]}`;
}

/** Returns what to use instead of a command of docker-agent; undefined if it is not one that hooksh lacks. */
export function foreignAdvice(words: string): string | undefined {
  if (!Object.hasOwn(FOREIGN_COMMANDS, words)) return undefined;
  return `${JSON.stringify(words)} is a command of docker-agent: ${FOREIGN_COMMANDS[words]}`;
}

/** Returns the message for an unknown command and the word after it. `close` is the command probably meant. */
export function unknownCommandText(verb: string, next: string | undefined, close: string | undefined): string {
  const known = foreignAdvice(`${verb} ${next}`) ?? foreignAdvice(verb);
  if (known !== undefined) return known;
  const unknown = `unknown command ${JSON.stringify(verb)}`;
  if (close !== undefined) return `${unknown}, did you mean ${close}?`;
  if (/\.(?:ya?ml|json)$/.test(verb)) return `${unknown}: to run an agent file: hooksh run ${verb}`;
  return /\s/.test(verb) ? `${unknown}: a message goes to an agent: hooksh run AGENT MESSAGE` : unknown;
}
