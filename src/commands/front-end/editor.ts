import type { Key, KeyName } from "./key-reader.ts";
import { layOut } from "./layout.ts";
import { EMPTY_LINE, edit, insert, type Line, lineOf, moveRow } from "./line.ts";
import type { History } from "./prompt-history.ts";
import type { Layer, Screen } from "./screen.ts";

/** What a key came to beyond editing: a finished line, for now or for later, or a key that is not the editor's. */
export type EditorEvent = { kind: "line"; text: string; later: boolean } | { kind: "key"; name: KeyName };

/** A line at the bottom of the screen, with its prompt, that is edited key by key. */
export class Editor {
  prompt: string;
  /** Whether an empty line is shown at all. */
  isShownEmpty = true;
  readonly #screen: Screen;
  readonly #layer: Layer;
  readonly #history: History | undefined;
  #line: Line = EMPTY_LINE;
  /** How far back in the history, and what was being written before. */
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

  /** Begins again with a text. */
  reset(text = ""): void {
    this.#line = lineOf(text);
    this.#back = 0;
    this.draw();
  }

  /** Edits, or tells what the key means. */
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

  /** Shows the line as it is now. */
  draw(): void {
    const isShown = this.isShownEmpty || this.text !== "";
    this.#screen.show(this.#layer, isShown ? layOut(this.prompt, this.#line, this.#screen.size) : undefined);
  }

  /** Takes the line off the screen. */
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

  /** To the line of text above or below, else through the history. */
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
