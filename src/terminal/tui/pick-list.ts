import { type Component, fuzzyFilter, Input, parseKey, SelectList, truncateToWidth } from "@earendil-works/pi-tui";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { Choice } from "../front-end/terminal.ts";
import type { Theme } from "../theme.ts";

const VISIBLE = 8;

export interface PickListOptions<T> {
  title: string;
  choices: readonly Choice<T>[];
  theme: Theme;
  /** Gets the chosen value, or undefined for Escape and Ctrl+C. */
  answer: (value: T | undefined) => void;
}

/** A list to choose from. Typing narrows it to the choices that contain the letters. */
export class PickList<T> implements Component {
  readonly #options: PickListOptions<T>;
  readonly #input = new Input();
  #list: SelectList;

  constructor(options: PickListOptions<T>) {
    this.#options = options;
    this.#input.focused = true;
    this.#list = this.#filtered();
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    if (key === "escape" || key === "ctrl+c" || key === "ctrl+d") return this.#options.answer(undefined);
    if (key === "up" || key === "down" || key === "pageUp" || key === "pageDown" || key === "enter")
      return this.#list.handleInput(data);
    const before = this.#input.getValue();
    this.#input.handleInput(data);
    if (this.#input.getValue() !== before) this.#list = this.#filtered();
  }

  render(columns: number): string[] {
    const { title, theme } = this.#options;
    const help = theme.style("dim", "type to search, Enter chooses, Escape leaves");
    return [
      truncateToWidth(theme.style("bold", title), columns),
      ...this.#list.render(columns),
      ...this.#input.render(columns),
      truncateToWidth(help, columns),
    ];
  }

  invalidate(): void {
    this.#list.invalidate();
  }

  #filtered(): SelectList {
    const { choices, theme, answer } = this.#options;
    const items = choices.map(({ label, description }, index) => ({
      value: String(index),
      label: escapeControls(label),
      ...(description === undefined ? {} : { description: escapeControls(description) }),
    }));
    const typed = this.#input.getValue();
    const found =
      typed === "" ? items : fuzzyFilter(items, typed, ({ label, description = "" }) => `${label} ${description}`);
    const dim = (text: string) => theme.style("dim", text);
    const selected = (text: string) => theme.style("selected", text);
    const list = new SelectList(found, VISIBLE, {
      selectedPrefix: selected,
      selectedText: selected,
      description: dim,
      scrollInfo: dim,
      noMatch: () => dim("  nothing found"),
    });
    list.onSelect = ({ value }) => answer(choices[Number(value)]?.value);
    return list;
  }
}
