import { type Component, fuzzyFilter, Input, parseKey, SelectList, truncateToWidth } from "@earendil-works/pi-tui";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { Choice, ListAction } from "../front-end/terminal.ts";
import type { Theme } from "../theme.ts";
import { NoteBlock } from "./note-block.ts";

const VISIBLE = 8;

/** How wide the labels are when descriptions follow. */
const COLUMNS = { minPrimaryColumnWidth: 32, maxPrimaryColumnWidth: 44 };

/** Rows of a detail that are shown. */
const DETAIL_ROWS = 16;

export interface PickListOptions<T> {
  title: string;
  choices: readonly Choice<T>[];
  actions: readonly ListAction<T>[];
  theme: Theme;
  /** Gets the chosen value, or undefined for Escape and Ctrl+C. */
  answer: (value: T | undefined) => void;
  /** Called after an action has changed the list. */
  onUpdate: () => void;
}

/** A list to choose from. Typing narrows it to the choices that contain the letters; further keys act on the selected one. */
export class PickList<T> implements Component {
  readonly #options: PickListOptions<T>;
  readonly #input = new Input();
  #choices: readonly Choice<T>[];
  #list: SelectList;
  /** What an action shows in the place of the list, until the next key. */
  #detail: string | undefined;

  constructor(options: PickListOptions<T>) {
    this.#options = options;
    this.#choices = options.choices;
    this.#input.focused = true;
    this.#list = this.#filtered();
  }

  handleInput(data: string): void {
    const key = parseKey(data);
    const hadDetail = this.#detail !== undefined;
    this.#detail = undefined;
    const action = this.#options.actions.find((each) => each.key === key);
    if (action) return void this.#act(action);
    if (key === "escape" && hadDetail) return;
    if (key === "escape" || key === "ctrl+c" || key === "ctrl+d") return this.#options.answer(undefined);
    if (key === "up" || key === "down" || key === "pageUp" || key === "pageDown" || key === "enter")
      return this.#list.handleInput(data);
    const before = this.#input.getValue();
    this.#input.handleInput(data);
    if (this.#input.getValue() !== before) this.#list = this.#filtered();
  }

  render(columns: number): string[] {
    const { title, theme, actions } = this.#options;
    const help = ["type to search, Enter chooses, Escape leaves"];
    if (actions.length > 0) help.push(actions.map(({ key, name }) => `${keyName(key)}: ${name}`).join(", "));
    return [
      truncateToWidth(theme.style("bold", title), columns),
      ...(this.#detail === undefined
        ? [...this.#list.render(columns), ...this.#preview().map((row) => truncateToWidth(`  ${row}`, columns))]
        : detailRows(this.#detail, columns)),
      ...this.#input.render(columns),
      ...help.map((row) => truncateToWidth(theme.style("dim", row), columns)),
    ];
  }

  invalidate(): void {
    this.#list.invalidate();
  }

  async #act({ run }: ListAction<T>): Promise<void> {
    const selected = this.#list.getSelectedItem();
    const update = await run(selected ? this.#choices[Number(selected.value)]?.value : undefined);
    if (!update) return;
    this.#detail = update.detail;
    if (update.choices) {
      const { value } = selected ?? { value: "0" };
      this.#choices = update.choices;
      this.#list = this.#filtered();
      if (this.#input.getValue() === "") this.#list.setSelectedIndex(Number(value));
    }
    this.#options.onUpdate();
  }

  #preview(): readonly string[] {
    const selected = this.#list.getSelectedItem();
    return (selected && this.#choices[Number(selected.value)]?.preview) ?? [];
  }

  #filtered(): SelectList {
    const { theme, answer } = this.#options;
    const items = this.#choices.map(({ label, description }, index) => ({
      value: String(index),
      label: escapeControls(label),
      ...(description === undefined ? {} : { description: escapeControls(description) }),
    }));
    const typed = this.#input.getValue();
    const found =
      typed === "" ? items : fuzzyFilter(items, typed, ({ label, description = "" }) => `${label} ${description}`);
    const dim = (text: string) => theme.style("dim", text);
    const selected = (text: string) => theme.style("selected", text);
    const colours = { selectedPrefix: selected, selectedText: selected, description: dim, scrollInfo: dim };
    const list = new SelectList(found, VISIBLE, { ...colours, noMatch: () => dim("  nothing found") }, COLUMNS);
    list.onSelect = ({ value }) => answer(this.#choices[Number(value)]?.value);
    return list;
  }
}

function detailRows(text: string, columns: number): string[] {
  const rows = new NoteBlock(text).render(columns);
  return rows.length <= DETAIL_ROWS ? rows : [...rows.slice(0, DETAIL_ROWS - 1), "…"];
}

/** `Ctrl+R` for `ctrl+r`. */
function keyName(key: string): string {
  return key.replace(/(^|\+)./g, (text) => text.toUpperCase());
}
