/** What a key does. */
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

/** A key press: characters, a pasted text, or something to do. */
export type Key = { kind: "text" | "paste"; text: string } | { kind: "control"; name: KeyName };

const PASTE_BEGIN = "\x1b[200~";
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

/** Bytes that belong together, longest first: a sequence, a letter with Alt, a control character, plain characters. */
const TOKEN = /\x1b\[[0-9;?<=>]*[ -/]*[@-~]|\x1bO[A-Za-z]|\x1b[\s\S]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

/** The beginning of a sequence whose end has not come yet. */
const UNFINISHED = /\x1b(?:\[[0-9;?<=>]*[ -/]*|O)?$/;

/** Turns what a terminal sends into keys; a sequence, a character or a paste may come in several pieces. */
export class KeyReader {
  readonly #decoder = new TextDecoder();
  #pending = "";
  #pasted: string | undefined;

  /** The keys that are complete with these bytes. */
  feed(bytes: Uint8Array): Key[] {
    return this.#read(this.#pending + this.#decoder.decode(bytes, { stream: true }));
  }

  /** True when what came last may be the beginning of more. */
  get isWaiting(): boolean {
    return this.#pending !== "" && this.#pasted === undefined;
  }

  /** The key that was waiting, when nothing more has come: Escape. */
  flush(): Key[] {
    const waiting = this.#pending;
    this.#pending = "";
    return keysOf(waiting);
  }

  #read(text: string): Key[] {
    if (this.#pasted !== undefined) return this.#readPaste(text);
    const begin = text.indexOf(PASTE_BEGIN);
    if (begin >= 0) {
      this.#pending = "";
      this.#pasted = "";
      return [...keysOf(text.slice(0, begin)), ...this.#readPaste(text.slice(begin + PASTE_BEGIN.length))];
    }
    this.#pending = UNFINISHED.exec(text.slice(-32))?.[0] ?? "";
    return keysOf(text.slice(0, text.length - this.#pending.length));
  }

  /** The end of a paste may itself come in pieces: what could be its beginning waits. */
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

/** A pasted text without its control characters; line ends and tabs stay. */
function cleanPaste(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}
