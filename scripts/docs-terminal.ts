import { KEYS, PROMPT_COMMANDS } from "../src/terminal/front-end/commands/typed-commands.ts";

/** Returns the page on runs at a terminal. */
export function terminalPage(): string {
  const keys = KEYS.map(([key, effect]) => `| ${key} | ${effect} |`);
  const commands = Object.entries(PROMPT_COMMANDS).map(([name, { argument = "", aliases = [], summary }]) => {
    const others = aliases.map((alias) => `\`/${alias}\``).join(", ");
    return `| \`/${name}${argument && ` ${argument.replaceAll("|", "\\|")}`}\` | ${others} | ${summary} |`;
  });
  return `${PAGE_START}
| key | effect |
|---|---|
${keys.join("\n")}

A message may start with \`!\`: \`!git status\` runs the command, shows its output, and adds both to the conversation. No hook
runs for it, because you ran it yourself.

## Files in a message

\`@FILE\` in a message sends the file with it: an image, audio and PDF as such, a text (at most 256 KiB) as text. Names with spaces are
written \`@"my shot.png"\` or \`@my\\ shot.png\`; Tab completes the files of the project. The terminal says what it attached, and why
not: then only the name is sent, and the agent may read the file with its tools.

- An image or PDF that you **drag into the window**, or whose path you paste, becomes an \`@FILE\`. Other paths stay text.
- \`/attach FILE [MESSAGE]\` does the same. A file that cannot be attached is then an error, and nothing is sent.
- \`/drop NAME\` takes a file back that waits: one of \`--attach\`, or one of a message that is queued while the agent works, whose text
  is still sent. \`/drop\` lists them, \`/drop all\` takes back all. A file that is named in the input line goes with its \`@FILE\`.
- \`hooksh run agent.yaml --attach FILE "MESSAGE"\` sends a file with the first message, at the prompt too; repeat the flag for more. A
  path counts from the current directory.

Only an \`@FILE\` that you can see in the input line attaches a file. An \`@\` in a folded paste, on the command line, on standard input or in
a model's text does not. \`.agentsignore\` holds here as for tools, and a symbolic link that leads out of the directory is not followed: name the file itself.

Hooks on prompts read the text of an attached file as a part of the prompt, and [redaction](redaction.md) applies to it; neither looks into
images and PDF. [Configuration](configuration.md#images-pdf-and-audio) says what a model gets of them. Attached files are stored with the session.

## Commands

A line that starts with \`/\` and a name is a command; one that starts with a path such as \`/etc/hosts\` is a message. An unknown
/command is an error with a suggestion; it is not sent to the model. The agent's own commands and skills follow after these in \`/help\`.

| command | also | effect |
|---|---|---|
${commands.join("\n")}

${PAGE_END}`;
}

const PAGE_START = `# The terminal

\`hooksh run agent.yaml\` without a message opens a prompt. Everything is drawn in the terminal's normal screen: what scrolls off stays
in the scrollback, with what your shell printed before.

![The prompt: a file is read, an edit is shown as a diff, the output of the tests is folded, and the answer has a table and code in colours; model, tokens, share of the context, cost, safety mode and branch are below the input line](images/terminal.png)

## What it shows

- **At the start**: version, agent, model and number of tools; the hooks in force, where they are configured, and how many of them
  only observe; the directory and the safety mode.
- **Answers**: Markdown as it arrives: headings, lists, tables, code in colours, links with their targets. A table that is too wide
  becomes a list.
- **Thoughts**, if the model shows them: one line with the last of them while it thinks, then how long it thought; Ctrl+T opens them.
  With \`--plain\`, only how long.
- **Tool calls**: a line each with the essence of the arguments, the end of the output while the call runs, and the result, folded to
  a few lines. Errors are shown in full, edits of files as a diff.
- **Questions**: the first row has agent, tool and target, however long the rest is. All arguments follow, edits as a diff, then what
  hooks say and which hook asked. If a hook changed the call, the question and the result say which one, and what the model wrote.
- **Blocked calls**: which hook blocked, why, and the file and line where it is declared.
- **Below the input line**: model, tokens, share of the context, cost, safety mode, git branch. What does not fit is left out.
- **Above the input line**: the to-dos of the agent while some are open, at most six rows, in a low window one; \`/todos\` hides them.
- **While you wait**: one line that says what the run is doing and for how long: thinking, running a hook or a tool, trying a
  model again, changing to a fallback, waiting for a rate limit, compacting. Escape cancels it.

\`/view\` shows the last tool result or answer in the whole window, \`/view 2\` the one before it; Tab after \`/view \` lists them. Arrows,
PgUp, PgDn, Home and End (\`g\`, \`G\`) move, \`/\` searches, \`n\` and \`N\` go on, \`q\` and Esc leave. A question closes the view, and
keys that were meant for the view do not answer it.

Text from models, tools and files cannot control the terminal: escape sequences in the output of a tool are removed, and other control
characters, changes of direction and invisible characters are shown as \`\\x1b\`, \`\\u202e\` and so on.

A question, and a call that a hook has changed ([a blocked call](cookbook.md)):

![A question: which agent wants to edit which file, the edit as a diff, and the keys that answer](images/terminal-approval.png)

![A question about a command: below it the hook that changed it, its file and line, and what the model wrote; above it the to-dos and the folded thought](images/terminal-rewritten.png)

The same conversation on a light background (\`settings.theme: light\`), and in a window of 40 columns:

![The conversation of the first picture in the light theme](images/terminal-light.png)

![The same in 40 columns: code is wrapped, long rows of the diff are cut, and the status line leaves out what does not fit](images/terminal-40-columns.png)

## Keys
`;

const PAGE_END = `\`/context\` estimates what the next request holds: instructions, tools by toolset, context from hooks and prompt files, the summary of
a compaction, messages by kind. Its bar has a letter for each. Below it stands what the provider counted in the last request.

\`/permissions\` shows the rules and where each stands. \`/permissions allow RULE\`, \`ask RULE\` and \`deny RULE\` add one to the session, written
as [in the agent file](configuration.md#rules-on-command-lines); \`remove RULE\` takes it back, also one that \`t\` at a question has added. Rules of the
session come before those of files, but a deny rule of either wins. They are stored with the session.

\`/tasks\` lists what works in the background, commands of \`background_jobs\` and agents of \`background_agents\`: status, age and the last line of
output, redacted as other output is. \`/tasks stop ID\` stops one with everything that it started.

\`/mcp\` lists the MCP servers: connected or why not, tools and prompts. \`/mcp restart NAME\` starts one again. A prompt of a server is the command
\`/mcp__SERVER__PROMPT ARGUMENTS\`: arguments in the order of the list, in quotation marks if they hold spaces; the last one takes the rest. The text
that the server gives is shown, whole, and sent as your message, so hooks on \`user_prompt_submit\` see it. It runs no command, and more than 64 KiB are refused.

\`/model\` proposes the models of the agent file, a model of each provider whose key is set, and the providers themselves: choose
\`openai/ …\`, or type \`/model openai\`, and hooksh asks that provider for its list. A name that you type is checked with the provider
before it is used, unless the provider gives no list. The change holds until the run ends.

\`/init\` asks the agent to study the folder and to write \`AGENTS.md\`, or to improve it, with its own tools and so with every guard and
question. Later sessions read the file if the agent file has \`add_prompt_files: [AGENTS.md]\`.

## Questions

Press the letter of an answer, or move the highlight (\`→\`) with the arrow keys or Tab and take it with Enter. With \`--plain\` only
letters answer.

\`y\` allows the call, \`t\` this tool from now on, \`b\` everything that looks safe, \`a\` everything in this session; \`n\` rejects it,
\`r\` rejects it with a reason for the model; Esc and Ctrl+C cancel the whole answer. Rules, hooks and deny rules apply whatever you answer. A
question waits until you have stopped typing, so that neither a message nor a paste answers it.

Shift+Tab goes from asking to accepting edits, to planning, to autonomous mode, and back; the status line names
[the mode](configuration.md#what-runs-without-asking). At a question it moves the highlight instead, and while the agent works it leaves out
autonomous mode (\`/yolo\` switches at any time).

Several questions, such as those of an MCP server and an approval, are asked one after another. Each says who asks, and waits again until
you stop typing, so a key pressed for one cannot answer the next.

## Leave and come back

On leaving, hooksh prints the command that continues the session. A resumed session shows its title and the last exchange. One that
ran with \`--yolo\` or accepted edits asks again, unless you pass the flag again.

\`/resume\` lists the stored sessions of this folder with title, age and number of messages; type to search. Tab shows those of other
folders too, Ctrl+P the last exchange of the selected one, Ctrl+R renames it, and Ctrl+X deletes it, after a question. With \`--plain\`,
type the number, or \`folders\`, \`preview 2\`, \`rename 2\`, \`delete 2\`. The session goes on in its directory; \`--working-dir\`,
\`--worktree\`, \`--safety\` and \`--yolo\` of the run hold for it too. Its title is the first message until \`/title TEXT\` gives it another.

Esc Esc or \`/back\` continues before an earlier message, in a new session: the old one stays stored, and files stay as they are.
\`/rewind\` does the same and restores the files that tools have changed since the message, after it has listed them and asked. \`/undo\`
restores files only, those of the last turn.

For this, a run at a terminal records the files of a git repository before the first tool of a turn that may write, and again after the
turn: files that git ignores and new files over 2 MB are left out. The states are objects in the data directory (\`~/.hooksh/snapshot\`); the
repository is only read. Where one takes longer than 5 seconds, hooksh says so and records no more in this run. \`--snapshot\` waits and works
without a terminal; \`--no-snapshot\`, and \`snapshot: false\` in the settings, record nothing. Changes of your own, with \`!\` too, are not
recorded, but restoring a file that you changed after a tool did replaces both changes.

## Settings

In \`config.yaml\`, see [Configuration](configuration.md):

<!-- file: config.yaml -->
\`\`\`yaml
settings:
  theme: light     # auto (default: by the background of the terminal) or a name below
  notify: desktop  # bell, desktop or off (default): when a question waits, and after an answer that took 10 seconds
  plain: true      # always as with --plain
\`\`\`

The themes are \`dark\` and \`light\`, in the 16 colours of your terminal; \`high-contrast\`; \`color-blind\`, with diffs in blue and
orange; \`dracula\`, \`github-light\`, and \`none\`. \`/theme\` shows what each looks like. Palettes use 24-bit colours where COLORTERM says
\`truecolor\`, else 256 or 16 colours, as TERM says.

Colours are off with \`--no-color\` and \`NO_COLOR\`. With \`--plain\`, and on a terminal that has no escape sequences
(\`TERM=dumb\`), everything is a line of text that stays as it is, for screen readers and logs, and you choose from lists by number.

[Without a terminal](ci.md), the same run prints lines or JSON. [Compared](terminal-compared.md) with docker-agent, crush, opencode and Claude
Code.
`;
