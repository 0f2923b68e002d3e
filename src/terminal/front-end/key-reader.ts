/** The keys that do something; most are named after their effect. */
export type KeyName =
  | "enter"
  | "alt_enter"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "word_left"
  | "word_right"
  | "kill_line"
  | "kill_end"
  | "kill_word"
  | "clear"
  | "interrupt"
  | "end_of_input"
  | "suspend"
  | "escape";

/** A key press: characters, pasted text, or a control key. */
export type Key = { kind: "text" | "paste"; text: string } | { kind: "control"; name: KeyName };

const PASTE_START = "\x1b[200~";
const PASTE_END = "\x1b[201~";

const SEQUENCES: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "enter",
  "\x1b\r": "alt_enter",
  "\x1b\n": "alt_enter",
  "\x7f": "backspace",
  "\b": "backspace",
  "\x01": "home",
  "\x02": "left",
  "\x03": "interrupt",
  "\x04": "end_of_input",
  "\x05": "end",
  "\x06": "right",
  "\x0b": "kill_end",
  "\x0c": "clear",
  "\x0e": "down",
  "\x10": "up",
  "\x15": "kill_line",
  "\x17": "kill_word",
  "\x1a": "suspend",
  "\x1b": "escape",
  "\x1bb": "word_left",
  "\x1bf": "word_right",
  "\x1b\x7f": "kill_word",
  "\x1b[A": "up",
  "\x1b[B": "down",
  "\x1b[C": "right",
  "\x1b[D": "left",
  "\x1b[H": "home",
  "\x1b[F": "end",
  "\x1bOA": "up",
  "\x1bOB": "down",
  "\x1bOC": "right",
  "\x1bOD": "left",
  "\x1bOH": "home",
  "\x1bOF": "end",
  "\x1b[1~": "home",
  "\x1b[7~": "home",
  "\x1b[4~": "end",
  "\x1b[8~": "end",
  "\x1b[3~": "delete",
  "\x1b[1;5C": "word_right",
  "\x1b[1;5D": "word_left",
  "\x1b[1;3C": "word_right",
  "\x1b[1;3D": "word_left",
};

/**
 * One token of input, longest alternative first: an escape sequence, a letter with Alt, a control character, plain
 * characters.
 */
const TOKEN = /\x1b\[[0-9;?<=>]*[ -/]*[@-~]|\x1bO[A-Za-z]|\x1b[\s\S]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

/** The start of an escape sequence whose end has not arrived. */
const UNFINISHED = /\x1b(?:\[[0-9;?<=>]*[ -/]*|O)?$/;

/** Parses the bytes from a terminal into keys. A sequence, a character or a paste may arrive in several pieces. */
export class KeyReader {
  readonly #decoder = new TextDecoder();
  #pending = "";
  #pasted: string | undefined;

  /** Returns the keys that these bytes complete. */
  feed(bytes: Uint8Array): Key[] {
    return this.#read(this.#pending + this.#decoder.decode(bytes, { stream: true }));
  }

  /** True if the last bytes may be the start of a longer sequence. */
  get isWaiting(): boolean {
    return this.#pending !== "" && this.#pasted === undefined;
  }

  /** Returns the pending key after nothing more has arrived: Escape. */
  flush(): Key[] {
    const waiting = this.#pending;
    this.#pending = "";
    return keysOf(waiting);
  }

  #read(text: string): Key[] {
    if (this.#pasted !== undefined) return this.#readPaste(text);
    const start = text.indexOf(PASTE_START);
    if (start >= 0) {
      this.#pending = "";
      this.#pasted = "";
      return [...keysOf(text.slice(0, start)), ...this.#readPaste(text.slice(start + PASTE_START.length))];
    }
    this.#pending = UNFINISHED.exec(text.slice(-32))?.[0] ?? "";
    return keysOf(text.slice(0, text.length - this.#pending.length));
  }

  /**
   * The marker at the end of a paste may itself arrive in pieces, so a possible start of it is kept for the next call.
   */
  #readPaste(text: string): Key[] {
    const end = text.indexOf(PASTE_END);
    if (end < 0) {
      const tail = Math.max(0, text.length - PASTE_END.length + 1);
      this.#pasted += text.slice(0, tail);
      this.#pending = text.slice(tail);
      return [];
    }
    const pasted = cleanPaste(this.#pasted + text.slice(0, end));
    this.#pasted = undefined;
    this.#pending = "";
    const paste: Key[] = pasted ? [{ kind: "paste", text: pasted }] : [];
    return [...paste, ...this.#read(text.slice(end + PASTE_END.length))];
  }
}

function keysOf(text: string): Key[] {
  return [...text.matchAll(TOKEN)].flatMap(([token]): Key[] => {
    if (/^[^\x00-\x1f\x7f]/.test(token)) return [{ kind: "text", text: token }];
    const name = Object.hasOwn(SEQUENCES, token) ? SEQUENCES[token] : undefined;
    return name ? [{ kind: "control", name }] : [];
  });
}

/** Removes control characters from pasted text, except line ends and tabs. */
function cleanPaste(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}
