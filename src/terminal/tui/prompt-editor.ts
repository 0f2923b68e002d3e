import {
  type Component,
  Editor,
  KeybindingsManager,
  matchesKey,
  parseKey,
  setKeybindings,
  type TUI,
  TUI_KEYBINDINGS,
} from "@earendil-works/pi-tui";
import { escapeCharacter } from "../../lib/text/escape-controls.ts";
import type { Theme } from "../theme.ts";

/** What the user can do at the input line, other than edit it. */
export interface PromptActions {
  /** Enter. `shown` is the text with long pastes folded. */
  onSend: (text: string, shown: string) => void;
  /** Tab while the agent works: the text waits for the end of the answer. */
  onQueue: (text: string, shown: string) => void;
  onInterrupt: () => void;
  onEndOfInput: () => void;
  /** Escape that does not clear the line; `again` if it was pressed just before. */
  onEscape: (again: boolean) => void;
  /** Any other key that has an action, see {@link ACTION_KEYS}. */
  onAction: (action: PromptAction) => void;
  /** Returns what to insert for a paste that only names files, such as those dragged into the window; else undefined. */
  nameDropped: (pasted: string) => string | undefined;
  /** `?` on an empty line. */
  onShowKeys: () => void;
  /** Up on an empty line: takes a message out of the queue and returns it for editing; undefined if the queue is empty. */
  takeBack: () => string | undefined;
  /** Called after each key, with the text. */
  onEdit: (text: string) => void;
  /** True if a line is a command as it is, so that Enter runs it and not the one selected in the list. */
  isCommand: (line: string) => boolean;
}

/** Keys with an action of their own. */
export const ACTION_KEYS = {
  "ctrl+r": "search",
  "ctrl+g": "edit",
  "ctrl+o": "toggle",
  "ctrl+t": "thoughts",
  "ctrl+l": "clear",
  "ctrl+z": "suspend",
  "shift+tab": "mode",
} as const;

export type PromptAction = (typeof ACTION_KEYS)[keyof typeof ACTION_KEYS];

/** Two presses of Escape within this time go back to an earlier message. */
const DOUBLE_PRESS_MS = 800;

/** A bracketed paste (https://invisible-island.net/xterm/ctlseqs/ctlseqs.html). */
const PASTE = /^\x1b\[200~([^]*)\x1b\[201~$/;

const PADDING = 2;

/** Keys that walk through the history. */
const HISTORY_KEYS: ReadonlySet<string | undefined> = new Set(["up", "down", "ctrl+p", "ctrl+n"]);
const CTRL_P = "\x10";
const CTRL_E = "\x05";

/** Control characters that no key enters: text from a file or a session could have them. */
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g;

/** Characters without a width that control the terminal or reorder the row: they are sent, and not shown. */
const INVISIBLE = /[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g;

/** Represents a tab inside pi-tui's editor, which would turn a tab into spaces. It is a noncharacter, so no text contains it. */
const TAB = "\ufdd0";

setKeybindings(
  new KeybindingsManager(TUI_KEYBINDINGS, {
    "tui.input.newLine": ["shift+enter", "ctrl+j", "alt+enter"],
    "tui.editor.historyPrevious": "ctrl+p",
    "tui.editor.historyNext": "ctrl+n",
  }),
);

/** The input line: pi-tui's editor with a prompt in front and the keys of a shell. */
export class PromptEditor extends Editor {
  /** True while the agent works. */
  isBusy = false;
  /** True while a question waits for an empty line. */
  isHoldingQuestion = false;
  readonly #actions: PromptActions;
  #escapedAt = 0;

  constructor(tui: TUI, theme: Theme, actions: PromptActions) {
    super(tui, editorTheme(theme), { paddingX: PADDING, autocompleteMaxVisible: 8 });
    this.#actions = actions;
    // Enter on a command in the list of completions: the editor completes the text and submits it itself.
    this.onSubmit = (text) => actions.onSend(withTabs(text), withTabs(text));
  }

  override handleInput(data: string): void {
    if (!this.#act(data)) this.#edit(data);
    this.#actions.onEdit(this.getText());
  }

  override setText(text: string): void {
    super.setText(editable(text));
  }

  override addToHistory(text: string): void {
    super.addToHistory(editable(text));
  }

  override getText(): string {
    return withTabs(super.getText());
  }

  override getExpandedText(): string {
    return withTabs(super.getExpandedText());
  }

  /** Replaces the text of an empty line. */
  restore(text: string): void {
    if (this.getText() === "") this.setText(text);
  }

  override render(columns: number): string[] {
    const [top = "", first = "", ...rest] = super
      .render(columns)
      .map((row) => row.replace(INVISIBLE, "").replaceAll(TAB, "→"));
    const prompt = this.isBusy ? "» " : "> ";
    return [top, first.startsWith("  ") ? prompt + first.slice(PADDING) : first, ...rest];
  }

  /** Does what a key means here. Returns false if the key edits. */
  #act(data: string): boolean {
    const key = parseKey(data);
    const isEmpty = this.getText() === "";
    const action =
      key !== undefined && Object.hasOwn(ACTION_KEYS, key) ? ACTION_KEYS[key as keyof typeof ACTION_KEYS] : undefined;
    if (action) this.#actions.onAction(action);
    else if (data === "?" && isEmpty) this.#actions.onShowKeys();
    else if (key === "ctrl+c") this.#interrupt();
    else if (key === "ctrl+d" && isEmpty) this.#actions.onEndOfInput();
    else if (key === "escape" && !this.isShowingAutocomplete()) this.#escape(isEmpty);
    else if (data !== "\n" && matchesKey(data, "enter") && (!this.isShowingAutocomplete() || this.#isComplete()))
      return this.#send(this.#actions.onSend);
    else if (key === "tab" && this.isBusy && !isEmpty && !this.isShowingAutocomplete() && !this.#isCompletable())
      return this.#send(this.#actions.onQueue);
    else return false;
    return true;
  }

  #edit(data: string): void {
    if (HISTORY_KEYS.has(parseKey(data)) && !this.isShowingAutocomplete()) this.#walkHistory(data);
    else super.handleInput(this.#withNames(data));
  }

  /** As in a shell, Up leaves a draft of one line immediately, and the cursor is at the end of the entry that is shown. */
  #walkHistory(data: string): void {
    const queued = this.getText() === "" && parseKey(data) === "up" ? this.#actions.takeBack() : undefined;
    if (queued !== undefined) return this.setText(queued);
    const before = this.getText();
    const { col } = this.getCursor();
    const isOneLine = () => this.getLines().length === 1;
    super.handleInput(data);
    const hasJumpedToStart = col > 0 && this.getCursor().col === 0;
    if (isOneLine() && hasJumpedToStart && this.getText() === before) super.handleInput(CTRL_P);
    if (isOneLine() && this.getText() !== before) super.handleInput(CTRL_E);
  }

  /** True if a key that cancels the answer leaves the text alone: the user may have typed on meanwhile. */
  #keepsText(): boolean {
    return this.isBusy && !this.isHoldingQuestion;
  }

  /** Replaces a paste of image paths by mentions of the images. Returns other input unchanged. */
  #withNames(data: string): string {
    const [, pasted] = PASTE.exec(data) ?? [];
    const names = pasted === undefined ? undefined : this.#actions.nameDropped(pasted);
    if (names === undefined) return pasted === undefined ? data : data.replaceAll("\t", TAB);
    const { line, col } = this.getCursor();
    const isWord = /\S$/.test(this.getLines()[line]?.slice(0, col) ?? "");
    return `\x1b[200~${isWord ? " " : ""}${names} \x1b[201~`;
  }

  #interrupt(): void {
    if (!this.#keepsText()) this.setText("");
    this.#actions.onInterrupt();
  }

  #escape(isEmpty: boolean): void {
    if (!isEmpty && !this.#keepsText()) return this.setText("");
    const now = Date.now();
    this.#actions.onEscape(now - this.#escapedAt < DOUBLE_PRESS_MS);
    this.#escapedAt = now;
  }

  /** Sends the text. Returns false if it ends with a backslash, which continues it on the next row. */
  #send(deliver: (text: string, shown: string) => void): boolean {
    const { line, col } = this.getCursor();
    if (this.getLines()[line]?.slice(0, col).endsWith("\\")) return false;
    const shown = this.getText();
    const text = this.getExpandedText();
    this.setText("");
    deliver(text, shown);
    return true;
  }

  /** True if the text is a command that needs no completion: its name is known, or it has an argument. */
  #isComplete(): boolean {
    const text = this.getText().trimEnd();
    return text.startsWith("/") && (/\s/.test(text) || this.#actions.isCommand(text));
  }

  /** True if the word before the cursor can be completed. */
  #isCompletable(): boolean {
    const { line, col } = this.getCursor();
    return /(^\/\S*|(^|[\s(])@("[^"]*|\S*))$/.test(this.getLines()[line]?.slice(0, col) ?? "");
  }
}

/** Returns a text as pi-tui's editor can hold it. */
function editable(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(CONTROLS, escapeCharacter).replaceAll("\t", TAB);
}

function withTabs(text: string): string {
  return text.replaceAll(TAB, "\t");
}

/** The looks of the editor and of its list of completions. */
function editorTheme(theme: Theme): ConstructorParameters<typeof Editor>[1] {
  const dim = (text: string) => theme.style("dim", text);
  const selected = (text: string) => theme.style("selected", text);
  return {
    borderColor: (text) => theme.style("border", text),
    selectList: { selectedPrefix: selected, selectedText: selected, description: dim, scrollInfo: dim, noMatch: dim },
  };
}

/** An empty place in a list of components. */
export const NOTHING: Component = { render: () => [], invalidate: () => {} };
