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

/** All commands, in the groups and the order of `/help`. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, PromptCommand>>>> = {
  Conversation: {
    clear: { summary: "Start a new session", aliases: ["new"], whenBusy: "cancels", run: startAnew },
    compact: {
      summary: "Replace the older part of the conversation with a summary",
      argument: "[WHAT TO KEEP]",
      whenBusy: "waits",
      run: compactNow,
    },
    back: { summary: "Go back to an earlier message (Esc Esc)", whenBusy: "waits", run: goBack },
    rewind: {
      summary: "Go back to an earlier message, and restore the files that tools have changed since",
      whenBusy: "waits",
      run: rewind,
    },
    resume: {
      summary: "Continue a stored session",
      argument: "[ID]",
      whenBusy: "waits",
      choices: sessionChoices,
      run: resumeSession,
    },
    sessions: { summary: "List the stored sessions", whenBusy: "runs", run: showSessions },
    title: {
      summary: "Show the title of the session, or change it",
      argument: "[TEXT]",
      whenBusy: "runs",
      run: setTitle,
    },
    export: {
      summary: "Write the session to a file (.json or text)",
      argument: "[FILE]",
      whenBusy: "runs",
      run: exportSession,
    },
    quit: {
      summary: "End the session",
      aliases: ["exit", "q"],
      whenBusy: "cancels",
      run: (conversation) => void (conversation.isLeaving = true),
    },
  },
  Message: {
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
    copy: { summary: "Copy the last answer to the clipboard", whenBusy: "runs", run: copyAnswer },
  },
  Files: {
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
    init: {
      summary: "Ask the agent to study the folder and to write AGENTS.md",
      argument: "[WHAT MATTERS]",
      whenBusy: "waits",
      run: writeAgentsFile,
    },
  },
  Agent: {
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
  },
  Guards: {
    hooks: { summary: "Show the hooks in force and how each ended last", whenBusy: "runs", run: showHooks },
    permissions: {
      summary: "Show what runs without asking, and change the rules of this session",
      argument: "[allow|ask|deny|remove RULE]",
      whenBusy: "runs",
      choices: permissionChoices,
      run: changePermissions,
    },
    yolo: { summary: "Run tools without asking, or ask again", whenBusy: "runs", run: toggleAutonomous },
  },
  Use: {
    context: { summary: "Show what fills the context window", whenBusy: "runs", run: showContext },
    cost: { summary: "Show tokens and cost by agent and model", whenBusy: "runs", run: showCost },
  },
  Screen: {
    help: {
      summary: "Show the commands; of one, what it does; `all`: of each, with the keys",
      argument: "[COMMAND|all]",
      aliases: ["?"],
      whenBusy: "runs",
      choices: () => Object.keys({ all: "", ...PROMPT_COMMANDS }).map((value) => ({ value, label: value })),
      run: showHelp,
    },
    view: {
      summary: "View the last tool result or answer in the whole window, or an earlier one",
      argument: "[NUMBER]",
      whenBusy: "runs",
      choices: viewChoices,
      run: viewText,
    },
    todos: { summary: "Hide or show the agent's todos above the input line", whenBusy: "runs", run: toggleTodos },
    theme: {
      summary: "Change the colours",
      argument: "[NAME]",
      whenBusy: "waits",
      choices: themeChoices,
      run: changeTheme,
    },
  },
};

/** All commands, by name. */
export const PROMPT_COMMANDS: Readonly<Record<string, PromptCommand>> = Object.assign({}, ...Object.values(GROUPS));

/** A command, and the text after its name. */
export interface FoundCommand extends PromptCommand {
  rest: string;
}

/** `?` alone, which a plain terminal sends as a line. */
const SHOW_KEYS: PromptCommand = {
  summary: "Show the keys",
  whenBusy: "runs",
  run: ({ terminal }) => terminal.note(keysText()),
};

/** A line that starts with a name, not a path: `/name` or `/name text`. */
const TYPED = /^\/([\w?][\w.:?-]*)(?:\s+([\s\S]*))?$/;

/**
 * Returns the command that a line names. These names take precedence over an agent's own commands. Throws a
 * {@link UserError} for an unknown name, because a mistyped command must not become a message to the model, and
 * for a command that cannot do anything in this run.
 */
export function findCommand(conversation: Conversation, line: string): FoundCommand | undefined {
  if (line.trim() === "?") return { ...SHOW_KEYS, rest: "" };
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

/** `/help [COMMAND|all]`: names the commands by group, which fits a small screen; or says what one or each of them does. */
function showHelp(conversation: Conversation, typed: string): void {
  const { terminal } = conversation;
  const name = typed.replace(/^\//, "");
  if (name === "") return terminal.note(namesByGroup(conversation).join("\n"));
  const rows = helpRows(conversation);
  if (name === "all") return terminal.note([...table(rows), "", keysText()].join("\n"));
  const found = rows.filter(([names]) => names.split(" ").includes(`/${name}`));
  if (found.length === 0) throw new UserError(`/help: no command /${name}; /help names all commands`);
  terminal.note(table(found).join("\n"));
}

function namesByGroup(conversation: Conversation): string[] {
  const known = new Set(available(conversation).map(([name]) => name));
  const groups = Object.entries(GROUPS).map(([group, commands]) => {
    const names = Object.keys(commands).filter((name) => known.has(name));
    return [group, names.map((name) => `/${name}`).join(" ")] as const;
  });
  const own = commandsOfAgent(conversation).map(([name]) => `/${escapeControls(name)}`);
  return [
    ...table(groups.filter(([, names]) => names !== "")),
    ...(own.length > 0 ? [`This agent has ${own.join(" ")}`] : []),
    "!COMMAND runs a command and shows its output to the agent",
    "/help COMMAND says what a command does, /help all what each does; ? on an empty line shows the keys",
  ];
}

/** The commands that can do something in this run, with what each does. */
function helpRows(conversation: Conversation): (readonly [names: string, summary: string])[] {
  const own = available(conversation).map(([name, { argument, aliases = [], summary }]) => {
    const names = [name, ...aliases].map((each) => `/${each}`).join(" ");
    return [names + (argument ? ` ${argument}` : ""), summary] as const;
  });
  const agents = commandsOfAgent(conversation).map(
    ([name, description]) => [`/${escapeControls(name)}`, escapeControls(description)] as const,
  );
  return [...own, ...agents, ["!COMMAND", "Run a command and show its output to the agent"]];
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const column = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, summary]) => `${name.padEnd(column)}  ${summary}`);
}

/** The keys and what they do, as `?` on an empty line shows them. */
export function keysText(): string {
  return table(KEYS).join("\n");
}

/** The keys. */
export const KEYS: readonly (readonly [key: string, effect: string])[] = [
  ["?", "shows these keys, if the line is empty"],
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
