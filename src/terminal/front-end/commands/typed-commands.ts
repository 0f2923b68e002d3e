import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import { offeredPrompts, usageOf } from "../../../runtime/conversation/server-prompts.ts";
import { compactSession } from "../../../runtime/conversation/session-lifecycle.ts";
import { agentOf } from "../../../runtime/stream/runtime.ts";
import { attachToMessage } from "../attach-mentions.ts";
import { type Conversation, replaceSession } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";
import { toggleAutonomous } from "./change-mode.ts";
import { copyAnswer, exportSession } from "./copy-and-export.ts";
import { dropFiles, droppableFiles } from "./drop-files.ts";
import { goBack, rewind } from "./go-back.ts";
import { changePermissions, permissionChoices } from "./permission-commands.ts";
import { resumeSession, sessionChoices } from "./resume-session.ts";
import { setTitle } from "./set-title.ts";
import { serverChoices, showServers } from "./show-servers.ts";
import { showHooks, showSessions, showTools } from "./show-state.ts";
import { showTasks, taskChoices } from "./show-tasks.ts";
import { showContext, showCost } from "./show-use.ts";
import {
  agentChoices,
  changeTheme,
  modelChoices,
  switchAgent,
  switchModel,
  themeChoices,
  toggleTodos,
} from "./switches.ts";
import { resetSnapshots, undo, whyNoUndo } from "./undo-command.ts";
import { viewChoices, viewText } from "./view-text.ts";
import { writeAgentsFile } from "./write-agents-file.ts";

export interface PromptCommand {
  summary: string;
  /** The argument, as shown in `/help`. */
  argument?: string;
  aliases?: readonly string[];
  /**
   * The effect while the agent works: the command runs immediately, cancels the answer and then runs, or waits for the
   * answer.
   */
  whenBusy: "runs" | "cancels" | "waits";
  /** Returns the arguments to complete. */
  choices?: (conversation: Conversation) => readonly Choice<string>[];
  /** Returns why the command cannot do anything in this run; undefined if it can. */
  isUnavailable?: (conversation: Conversation) => string | undefined;
  run: (conversation: Conversation, rest: string) => Promise<void> | void;
}

/** All commands, in the order of `/help`. */
export const PROMPT_COMMANDS: Readonly<Record<string, PromptCommand>> = {
  help: { summary: "Show commands and keys", aliases: ["?"], whenBusy: "runs", run: showHelp },
  model: {
    summary: "Use another model",
    argument: "[MODEL|PROVIDER]",
    whenBusy: "waits",
    choices: modelChoices,
    run: switchModel,
  },
  agents: {
    summary: "Show the agents, and let another one answer",
    argument: "[NAME]",
    aliases: ["agent"],
    whenBusy: "waits",
    choices: agentChoices,
    run: switchAgent,
  },
  tools: { summary: "List the agent's tools with their arguments", whenBusy: "runs", run: showTools },
  hooks: { summary: "Show the hooks in force and how each ended last", whenBusy: "runs", run: showHooks },
  permissions: {
    summary: "Show what runs without asking, and change the rules of this session",
    argument: "[allow|ask|deny|remove RULE]",
    whenBusy: "runs",
    choices: permissionChoices,
    run: changePermissions,
  },
  mcp: {
    summary: "Show the MCP servers with their prompts, and restart one",
    argument: "[restart NAME]",
    whenBusy: "runs",
    choices: serverChoices,
    run: showServers,
  },
  tasks: {
    summary: "Show the commands and agents that work in the background, and stop one",
    argument: "[stop ID]",
    whenBusy: "runs",
    choices: taskChoices,
    run: showTasks,
  },
  yolo: { summary: "Run tools without asking, or ask again", whenBusy: "runs", run: toggleAutonomous },
  sessions: { summary: "List the stored sessions", whenBusy: "runs", run: showSessions },
  resume: {
    summary: "Continue a stored session",
    argument: "[ID]",
    whenBusy: "waits",
    choices: sessionChoices,
    run: resumeSession,
  },
  title: {
    summary: "Show the title of the session, or change it",
    argument: "[TEXT]",
    whenBusy: "runs",
    run: setTitle,
  },
  init: {
    summary: "Ask the agent to study the folder and to write AGENTS.md",
    argument: "[WHAT MATTERS]",
    whenBusy: "waits",
    run: writeAgentsFile,
  },
  clear: { summary: "Start a new session", aliases: ["new"], whenBusy: "cancels", run: startAnew },
  compact: {
    summary: "Replace the older part of the conversation with a summary",
    argument: "[WHAT TO KEEP]",
    whenBusy: "waits",
    run: compactNow,
  },
  undo: {
    summary: "Restore the files the agent changed last",
    whenBusy: "waits",
    isUnavailable: whyNoUndo,
    run: undo,
  },
  snapshots: {
    summary: "Choose a snapshot, and restore the files as they were then",
    whenBusy: "waits",
    isUnavailable: whyNoUndo,
    run: resetSnapshots,
  },
  rewind: {
    summary: "Go back to an earlier message, and restore the files that tools have changed since",
    whenBusy: "waits",
    run: rewind,
  },
  back: { summary: "Go back to an earlier message (Esc Esc)", whenBusy: "waits", run: goBack },
  attach: {
    summary: "Send an image, a PDF or a text file with your message, as @FILE does",
    argument: "[FILE] [MESSAGE]",
    whenBusy: "waits",
    run: attachToMessage,
  },
  drop: {
    summary: "Remove files that wait to be sent with a message; without a name, list them, as /attach does",
    argument: "[NAME|all]",
    whenBusy: "runs",
    choices: droppableFiles,
    run: dropFiles,
  },
  context: { summary: "Show what fills the context window", whenBusy: "runs", run: showContext },
  cost: { summary: "Show tokens and cost by agent and model", whenBusy: "runs", run: showCost },
  copy: { summary: "Copy the last answer to the clipboard", whenBusy: "runs", run: copyAnswer },
  export: {
    summary: "Write the session to a file (.json or text)",
    argument: "[FILE]",
    whenBusy: "runs",
    run: exportSession,
  },
  theme: {
    summary: "Change the colours",
    argument: "[NAME]",
    whenBusy: "waits",
    choices: themeChoices,
    run: changeTheme,
  },
  view: {
    summary: "View the last tool result or answer in the whole window, or an earlier one",
    argument: "[NUMBER]",
    whenBusy: "runs",
    choices: viewChoices,
    run: viewText,
  },
  todos: { summary: "Hide or show the agent's todos above the input line", whenBusy: "runs", run: toggleTodos },
  quit: {
    summary: "End the session",
    aliases: ["exit", "q"],
    whenBusy: "cancels",
    run: (conversation) => void (conversation.isLeaving = true),
  },
};

/** A command, and the text after its name. */
export interface FoundCommand extends PromptCommand {
  rest: string;
}

/** A line that starts with a name, not a path: `/name` or `/name text`. */
const TYPED = /^\/([\w?][\w.:?-]*)(?:\s+([\s\S]*))?$/;

/**
 * Returns the command that a line names. These names take precedence over an agent's own commands. Throws a
 * {@link UserError} for an unknown name, because a mistyped command must not become a message to the model, and
 * for a command that cannot do anything in this run.
 */
export function findCommand(conversation: Conversation, line: string): FoundCommand | undefined {
  const [, name, rest = ""] = TYPED.exec(line) ?? [];
  if (name === undefined) return undefined;
  const rows = Object.entries(PROMPT_COMMANDS);
  const command = commandNamed(name);
  const reason = command?.isUnavailable?.(conversation);
  if (reason !== undefined) throw new UserError(`/${name}: ${reason}`);
  if (command) return { ...command, rest: rest.trim() };
  if (isAgentCommand(conversation, line)) return undefined;
  const known = commandChoices(conversation).map(({ value }) => value.slice(1));
  const close = nearest(name, [...known, ...rows.flatMap(([, { aliases = [] }]) => aliases)]);
  throw new UserError(`unknown command /${name}${close ? `, did you mean /${close}?` : ""}; /help lists all commands`);
}

/** True if a line is a command as it is, without a completion. */
export function isCommand(conversation: Conversation, line: string): boolean {
  const [, name] = TYPED.exec(line) ?? [];
  return name !== undefined && (commandNamed(name) !== undefined || isAgentCommand(conversation, line));
}

function commandNamed(name: string): PromptCommand | undefined {
  return Object.entries(PROMPT_COMMANDS).find(([own, { aliases }]) => own === name || aliases?.includes(name))?.[1];
}

/** True if a line names one of the agent's own commands or skills, or a prompt of its MCP servers. */
export function isAgentCommand(conversation: Conversation, line: string): boolean {
  const [, name] = /^\/(\S+)/.exec(line) ?? [];
  return name !== undefined && commandsOfAgent(conversation).some(([own]) => own === name);
}

/** The agent's own commands and skills as the agent file has them, then the prompts of its MCP servers. */
function commandsOfAgent({ runtime, current }: Conversation): (readonly [name: string, description: string])[] {
  const agent = agentOf(runtime, current.session);
  const { commands = [], skills = [] } = agent;
  const own = [...commands, ...skills.map((skill) => [skill.name, skill] as const)].map(
    ([name, { description }]) => [name, description] as const,
  );
  const prompts = offeredPrompts(agent).map(({ name, prompt }) => {
    const usage = usageOf(prompt);
    return [name, `${prompt.description || "Sends this prompt"}${usage === "" ? "" : ` (${usage})`}`] as const;
  });
  return [...own, ...prompts];
}

/** The commands that can do something in this run. */
function available(conversation: Conversation): [string, PromptCommand][] {
  return Object.entries(PROMPT_COMMANDS).filter(([, { isUnavailable }]) => isUnavailable?.(conversation) === undefined);
}

/** Returns the commands that may be typed now, for completion; after the name of one, the command with each argument. */
export function commandChoices(conversation: Conversation, typed = ""): Choice<string>[] {
  const [, name] = /^\/(\S+)\s/.exec(typed) ?? [];
  if (name !== undefined) {
    const choices = commandNamed(name)?.choices?.(conversation) ?? [];
    return choices.map((choice) => ({ ...choice, value: `/${name} ${choice.value}` }));
  }
  const own = available(conversation).map(([name, { summary }]) => [name, summary] as const);
  return [...own, ...commandsOfAgent(conversation)].map(([name, description]) => ({
    value: `/${name}`,
    label: `/${escapeControls(name)}`,
    description: escapeControls(description),
  }));
}

function showHelp(conversation: Conversation): void {
  const own = available(conversation).map(([name, { argument, aliases = [], summary }]) => {
    const names = [name, ...aliases].map((each) => `/${each}`).join(" ");
    return [names + (argument ? ` ${argument}` : ""), summary] as const;
  });
  const agents = commandsOfAgent(conversation).map(
    ([name, description]) => [`/${escapeControls(name)}`, escapeControls(description)] as const,
  );
  const table = (lines: readonly (readonly [string, string])[]) => {
    const column = Math.max(...lines.map(([name]) => name.length));
    return lines.map(([name, summary]) => `${name.padEnd(column)}  ${summary}`);
  };
  const local = ["!COMMAND", "Run a command and show its output to the agent"] as const;
  conversation.terminal.note([...table([...own, ...agents, local]), "", ...table(KEYS)].join("\n"));
}

/** The keys, as `/help` shows them. */
export const KEYS: readonly (readonly [key: string, effect: string])[] = [
  ["Enter", "sends; while the agent works, the message reaches it before its next step"],
  [
    "Tab",
    "completes / commands and @ files, which are sent with the message; while the agent works, sends the message after its answer",
  ],
  ["Ctrl+J, Shift+Enter, Alt+Enter", "new line, as does a backslash at the end of a line"],
  ["Shift+Tab", "next safety mode: ask, accept edits, plan, autonomous (not while the agent works)"],
  ["Ctrl+C", "cancels the answer and keeps what you have typed, else clears the line; pressed again, leaves"],
  ["Ctrl+D", "leaves, if the line is empty"],
  ["Esc", "cancels the answer or clears the line; pressed twice, goes back to an earlier message"],
  ["Up, Down, Ctrl+R", "history, and a search in it; Up on an empty line first takes back a queued message"],
  ["Ctrl+_", "undoes the last edit, and brings back a line that was cleared"],
  ["Ctrl+O, Ctrl+T", "opens or folds the last tool result; what the model thought last"],
  ["Ctrl+G", "edits the message in $EDITOR"],
  ["Ctrl+L, Ctrl+Z", "clears the screen; suspends hooksh"],
];

async function startAnew(conversation: Conversation): Promise<void> {
  await replaceSession(conversation);
  conversation.terminal.note("(new session)");
}

async function compactNow({ runtime, current, control, terminal }: Conversation, rest: string): Promise<void> {
  const outcome = await compactSession(runtime, current.session, rest, control.beginStream());
  const words = {
    skipped: "nothing to compact",
    failed: "not compacted",
    vetoed: "not compacted: a hook denied it",
  };
  // The event of an applied compaction says what it replaced.
  if (outcome !== "applied") terminal.note(`(${words[outcome]})`);
}
