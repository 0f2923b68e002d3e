import { untilAborted } from "../../lib/settle-within.ts";
import { escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { nameDropped } from "../front-end/dropped-files.ts";
import { foldedText } from "../front-end/folded-text.ts";
import { LineQueue } from "../front-end/line-queue.ts";
import {
  type BusyHandlers,
  type Choice,
  type InputLine,
  type InputLineOptions,
  interrupt,
  type SentLine,
} from "../front-end/terminal.ts";
import type { Theme } from "../theme.ts";
import { completions } from "./completions.ts";
import { editExternally } from "./external-editor.ts";
import type { InlineScreen } from "./inline-screen.ts";
import { NoteBlock } from "./note-block.ts";
import { type PromptAction, PromptEditor } from "./prompt-editor.ts";
import type { RunView } from "./run-view.ts";

export interface RichInputLineOptions extends InputLineOptions {
  screen: InlineScreen;
  view: RunView;
  theme: () => Theme;
  onClose: () => void;
  lend: <T>(work: () => Promise<T>) => Promise<T>;
  choose: <T>(title: string, choices: readonly Choice<T>[]) => Promise<T | undefined>;
  suspend: () => void;
}

/** How many entries of the history the arrow keys and the search reach. */
const HISTORY = 500;

/** How much of an entry the search shows and compares. */
const MAX_LABEL = 500;

/** The input line on a terminal that understands escape sequences. */
export class RichInputLine implements InputLine {
  readonly editor: PromptEditor;
  readonly #options: RichInputLineOptions;
  readonly #lines = new LineQueue();
  #onEmpty: (() => void) | undefined;

  constructor(options: RichInputLineOptions) {
    this.#options = options;
    this.editor = new PromptEditor(options.screen, options.theme(), {
      onSend: (text, shown) => this.#take(text, shown, false),
      onQueue: (text, shown) => this.#take(text, shown, true),
      onInterrupt: interrupt,
      onEndOfInput: () => this.leave(),
      onEscape: (again) => this.#escape(again),
      onAction: (action) => void this.#act(action),
      nameDropped: (pasted) => nameDropped(pasted, options.directory()),
      isCommand: options.isCommand,
      onShowKeys: options.onShowKeys,
      takeBack: options.takeBack,
      onEdit: (text) => {
        if (text === "") this.#onEmpty?.();
        else options.onTyping();
      },
    });
    this.editor.isBusy = true;
    this.editor.setAutocompleteProvider(completions(options));
    for (const entry of this.#history().toReversed()) this.editor.addToHistory(entry);
  }

  next(signal: AbortSignal): Promise<SentLine | undefined> {
    return this.#lines.next(
      signal,
      () => this.#setBusy(false),
      () => this.#setBusy(true),
    );
  }

  during<T>(work: Promise<T>, handlers: BusyHandlers): Promise<T> {
    return this.#lines.during(work, handlers);
  }

  leave(): void {
    this.#lines.deliver(undefined);
  }

  restore(text: string): void {
    this.editor.restore(text);
    this.#options.screen.requestRender();
  }

  close(): void {
    this.#options.onClose();
  }

  /** Delays a question until the line is sent or cleared, so that text meant for the line does not answer it. */
  async untilEmpty(signal: AbortSignal): Promise<void> {
    if (this.editor.getText() === "") return;
    const { view } = this.#options;
    view.add(new NoteBlock("(A question is waiting: send the line with Enter, or clear it with Escape)"));
    const empty = Promise.withResolvers<void>();
    this.#onEmpty = empty.resolve;
    this.editor.isHoldingQuestion = true;
    try {
      await untilAborted(empty.promise, signal);
    } finally {
      this.editor.isHoldingQuestion = false;
      this.#onEmpty = undefined;
    }
  }

  #replace(text: string): void {
    this.editor.setText(text);
    this.#options.screen.requestRender();
  }

  #history(): string[] {
    const entries: string[] = [];
    for (let back = 1; back <= HISTORY; back++) {
      const entry = this.#options.history.at(back);
      if (entry === undefined) break;
      entries.push(entry);
    }
    return entries;
  }

  #setBusy(isBusy: boolean): void {
    this.editor.isBusy = isBusy;
    this.#options.screen.requestRender();
  }

  #take(text: string, shown: string, later: boolean): void {
    if (text.trim() !== "") {
      this.#options.history.add(text);
      this.editor.addToHistory(text);
    }
    if (this.#lines.busy) return this.#lines.busy.onLine({ text, shown }, later);
    if (shown.trim() !== "") this.#options.view.showSent(escapeControlsInLines(foldedText(shown)));
    this.#lines.deliver({ text, shown });
  }

  #escape(again: boolean): void {
    if (this.#lines.busy) this.#lines.busy.onEscape();
    else if (!this.#lines.isAwaited) this.#options.onCancel();
    else if (again) this.#options.onGoBack();
    else this.#options.view.hint("Escape again goes back to an earlier message");
  }

  async #act(action: PromptAction): Promise<void> {
    const { screen, view, suspend, choose, lend } = this.#options;
    switch (action) {
      case "clear":
        return screen.clearScreen();
      case "suspend":
        return suspend();
      case "mode":
        return this.#options.onNextMode();
      case "toggle":
        return view.toggleLast();
      case "thoughts":
        return view.toggleThoughts();
      case "edit":
        return this.#replace(
          await lend(() =>
            editExternally(this.editor.getExpandedText(), (problem) =>
              view.add(new NoteBlock(escapeControlsInLines(problem))),
            ),
          ),
        );
      case "search": {
        const entries = [...new Set(this.#history())].map((value) => ({ value, label: value.slice(0, MAX_LABEL) }));
        const found = await choose("Search the history", entries);
        if (found !== undefined) this.#replace(found);
        return;
      }
    }
  }
}
