import { escapeControls } from "../../lib/text/escape-controls.ts";
import { agentOf } from "../../runtime/runtime.ts";
import { compactSession } from "../../runtime/session/session-lifecycle.ts";
import { type Conversation, replaceSession } from "./prompt-session.ts";
import type { Choice } from "./terminal.ts";
import { resetSnapshots, undo } from "./undo-command.ts";
import { showCost, showPermissions, showSessions, showTools, toggleAutonomous } from "./views.ts";

/** A command at the prompt. */
interface PromptCommand {
  summary: string;
  /** The argument, as shown in `/help`. */
  argument?: string;
  aliases?: readonly string[];
  /**
   * The effect while the agent works: the command runs at once, cancels the answer and then runs, or waits for the
   * answer.
   */
  whenBusy: "runs" | "cancels" | "waits";
  /** Returns false if the command would do nothing. */
  isOffered?: (conversation: Conversation) => boolean;
  run: (conversation: Conversation, rest: string) => Promise<void> | void;
}

const hasSnapshots = (conversation: Conversation): boolean => conversation.hasSnapshots;

/** All commands, in the order of `/help`. */
const PROMPT_COMMANDS: Readonly<Record<string, PromptCommand>> = {
  help: { summary: "Show the commands", whenBusy: "runs", run: showHelp },
  new: { summary: "Start a new session", aliases: ["clear"], whenBusy: "cancels", run: startAnew },
  compact: {
    summary: "Replace the older part of the conversation with a summary",
    argument: "[WHAT TO KEEP]",
    whenBusy: "waits",
    run: compactNow,
  },
  undo: { summary: "Restore the files the agent changed last", whenBusy: "waits", isOffered: hasSnapshots, run: undo },
  snapshots: {
    summary: "List the snapshots, and restore the state before one",
    whenBusy: "waits",
    isOffered: hasSnapshots,
    run: resetSnapshots,
  },
  cost: { summary: "Show tokens and cost", whenBusy: "runs", run: showCost },
  yolo: { summary: "Run tools without asking, or ask again", whenBusy: "runs", run: toggleAutonomous },
  tools: { summary: "List the agent's tools", whenBusy: "runs", run: showTools },
  permissions: { summary: "Show what runs without asking", whenBusy: "runs", run: showPermissions },
  sessions: { summary: "List the stored sessions", whenBusy: "runs", run: showSessions },
  exit: {
    summary: "End the session",
    aliases: ["quit", "q"],
    whenBusy: "cancels",
    run: (conversation) => void (conversation.isLeaving = true),
  },
};

/** A command, and the text after its name. */
export interface FoundCommand extends PromptCommand {
  rest: string;
}

/** Returns the command that a line names. These names take precedence over an agent's own commands. */
export function findCommand(conversation: Conversation, line: string): FoundCommand | undefined {
  const [, name = "", rest = ""] = /^\/(\S+)(?:\s+([\s\S]*))?$/.exec(line) ?? [];
  const rows = Object.entries(PROMPT_COMMANDS);
  const command = rows.find(([own, { aliases }]) => own === name || aliases?.includes(name))?.[1];
  return command && (command.isOffered?.(conversation) ?? true) ? { ...command, rest: rest.trim() } : undefined;
}

/** True if a line names one of the agent's own commands or skills. */
export function isAgentCommand({ runtime, current }: Conversation, line: string): boolean {
  const [, name = ""] = /^\/(\S+)/.exec(line) ?? [];
  const { commands, skills = [] } = agentOf(runtime, current.session);
  return name !== "" && (commands?.has(name) === true || skills.some((skill) => skill.name === name));
}

/** Returns the commands that may be typed now, for completion. */
export function commandChoices(conversation: Conversation): Choice<string>[] {
  const own = Object.entries(PROMPT_COMMANDS).filter(([, { isOffered }]) => isOffered?.(conversation) ?? true);
  const { commands = new Map(), skills = [] } = agentOf(conversation.runtime, conversation.current.session);
  const choice = (name: string, description: string) => ({
    value: `/${name}`,
    label: `/${escapeControls(name)}`,
    description: escapeControls(description),
  });
  return [
    ...own.map(([name, { summary }]) => choice(name, summary)),
    ...[...commands].map(([name, { description }]) => choice(name, description)),
    ...skills.map(({ name, description }) => choice(name, description)),
  ];
}

function showHelp(conversation: Conversation): void {
  const commands = Object.entries(PROMPT_COMMANDS).filter(([, { isOffered }]) => isOffered?.(conversation) ?? true);
  const rows = commands.map(
    ([name, { argument, aliases = [], summary }]) =>
      [[name, ...aliases].map((each) => `/${each}`).join(" ") + (argument ? ` ${argument}` : ""), summary] as const,
  );
  const agent = agentOf(conversation.runtime, conversation.current.session);
  for (const [name, { description }] of agent.commands ?? [])
    rows.push([`/${escapeControls(name)}`, escapeControls(description)]);
  for (const { name, description } of agent.skills ?? [])
    rows.push([`/${escapeControls(name)}`, escapeControls(description)]);
  rows.push(["!COMMAND", "Run a command and show its output to the agent"]);
  const width = Math.max(...rows.map(([name]) => name.length));
  conversation.terminal.note(
    [
      ...rows.map(([name, summary]) => `${name.padEnd(width)}  ${summary}`),
      "",
      "End a line with a backslash to continue it on the next. A message sent while the agent works reaches it before its",
      "next step; with Alt+Enter, after its answer. Ctrl+C cancels the answer; on an empty line it ends the session.",
    ].join("\n"),
  );
}

async function startAnew(conversation: Conversation): Promise<void> {
  await replaceSession(conversation);
  conversation.terminal.note("(new session)");
}

async function compactNow({ runtime, current, control, terminal }: Conversation, rest: string): Promise<void> {
  const outcome = await compactSession(runtime, current.session, rest, control.beginStream());
  const words = {
    applied: "compacted",
    skipped: "nothing to compact",
    failed: "not compacted",
    vetoed: "not compacted: a hook blocked it",
  };
  terminal.note(`(${words[outcome]})`);
}
