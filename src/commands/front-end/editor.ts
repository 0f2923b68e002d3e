import type { Key, KeyName } from "./key-reader.ts";
import { layOut } from "./layout.ts";
import { EMPTY_LINE, edit, insert, type Line, lineOf, moveRow } from "./line.ts";
import type { History } from "./prompt-history.ts";
import type { Layer, Screen } from "./screen.ts";

/**
 * What a key did other than editing: it finished a line, to be sent now or later, or it is a key the editor does not
 * handle.
 */
export type EditorEvent = { kind: "line"; text: string; later: boolean } | { kind: "key"; name: KeyName };

/** A line at the bottom of the screen, with its prompt, that is edited key by key. */
export class Editor {
  prompt: string;
  /** Whether to show the line while it is empty. */
  isShownEmpty = true;
  readonly #screen: Screen;
  readonly #layer: Layer;
  readonly #history: History | undefined;
  #line: Line = EMPTY_LINE;
  /** How many entries back in the history the user is, and the draft to return to. */
  #back = 0;
  #draft = "";

  constructor(screen: Screen, layer: Layer, prompt: string, history?: History) {
    this.prompt = prompt;
    this.#screen = screen;
    this.#layer = layer;
    this.#history = history;
  }

  get text(): string {
    return this.#line.text;
  }

  /** Replaces the line with a text. */
  reset(text = ""): void {
    this.#line = lineOf(text);
    this.#back = 0;
    this.draw();
  }

  /** Edits the line. Returns an event if the key did something other than editing. */
  press(key: Key): EditorEvent | undefined {
    const name = key.kind === "control" ? key.name : undefined;
    if (name === "enter" || name === "alt_enter") return this.#enter(name === "alt_enter");
    if (name === "up" || name === "down") this.#move(name === "up" ? -1 : 1);
    else {
      const isDelete = name === "end_of_input" && this.text !== "";
      const edited = edit(this.#line, isDelete ? { kind: "control", name: "delete" } : key);
      if (edited === this.#line && name && !isDelete) return { kind: "key", name };
      this.#line = edited;
    }
    this.draw();
    return undefined;
  }

  /** Redraws the line. */
  draw(): void {
    const isShown = this.isShownEmpty || this.text !== "";
    this.#screen.show(this.#layer, isShown ? layOut(this.prompt, this.#line, this.#screen.size) : undefined);
  }

  /** Removes the line from the screen. */
  hide(): void {
    this.#screen.show(this.#layer, undefined);
  }

  #enter(later: boolean): EditorEvent | undefined {
    if (this.text.endsWith("\\") && this.#line.cursor === this.text.length) {
      this.#line = insert(lineOf(this.text.slice(0, -1)), "\n");
      this.draw();
      return undefined;
    }
    const { text } = this;
    this.#line = EMPTY_LINE;
    this.#back = 0;
    return { kind: "line", text, later };
  }

  /** Moves to the row above or below, or through the history if there is no such row. */
  #move(by: -1 | 1): void {
    const moved = moveRow(this.#line, by);
    if (moved) {
      this.#line = moved;
      return;
    }
    if (this.#back === 0) this.#draft = this.text;
    const back = this.#back - by;
    const found = back === 0 ? this.#draft : this.#history?.at(back);
    if (found === undefined) return;
    this.#back = back;
    this.#line = lineOf(found);
  }
}
