import { MARK_START } from "../../../src/lib/redaction-mark.ts";
import type { Name } from "./names.ts";

/** The place of a name in a text. */
type Span = Pick<Name, "start" | "end">;

/** A place where the value of a name can begin. */
export interface Place {
  start: number;
  /** A quote, a bracket or a tag opens the value, so what follows the value is no part of an expression. */
  isOpened: boolean;
  /** Where the words end that belong to the name: `api key` in `Datadog api key: x`. */
  nameEnd: number;
  /** Only a name that says so is the name of a credential here: nothing else tells that the value belongs to it. */
  needs?: "credential" | "secret";
}

/** A way to give a value to a name, as patterns; what `after` matches ends where the value begins. */
interface Context {
  /** What precedes the name, on the {@link BEFORE} characters before it; anything by default. */
  before?: RegExp;
  /** What follows the name, on the {@link AFTER} characters after it. */
  after: RegExp;
  /** A text without which `after` cannot match, to spare the search for it. */
  hint?: string;
  /** Words may stand between the name and what follows: `Datadog api key: x`. */
  words?: true;
  /** The value is that of a field of the item that `after` opens: `variable "name" { default = "x" }`. */
  labelled?: true;
  needs?: Place["needs"];
}

/** How far to look back from a name and ahead of it, in characters: so each name takes the same time in any text. */
const BEFORE = 64;
const AFTER = 240;

// The pieces of the patterns. Each takes a limited number of characters, and none can match the same text in many ways.
const COLOUR = String.raw`(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[\d;]{0,12}m`;
/** Ends the name: quotes and brackets that were opened before it, as in `["name"]`, `**name**` or `(name)`. */
const CLOSE = String.raw`(?:["'\x60\])*\\]|\[\d{0,5}\]|${COLOUR}){0,8}`;
const GAP = String.raw`(?:[ \t]|\\\r?\n){0,24}`;
const SPACE = String.raw`(?:\s|\\\r?\n){0,40}`;
const OPERATOR = String.raw`(?:[:?.+|&!]{0,3}=[=~]?>?|=>|:[-?+]|:{1,2}|\|{1,2}|\?{1,2}:?|<-|>|\bor\b)`;
/** What stands between an operator and a value that is quoted: `[]byte(`, `new Secret(`, `{`, `@` of C#, `b` of Python. */
const WRAPPER = String.raw`(?:(?:new |\[\])?[A-Za-z_][\w.:]{0,32}[({[]|[({[&]){0,3}[ \t]{0,4}[A-Za-z@$#*&]{0,2}`;
const QUOTE = String.raw`(?:\\{0,8}["'\x60]{1,3}|\[\[|<!\[CDATA\[)`;
const SCHEME = String.raw`(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|SSWS|[Aa]pi-?[Kk]ey)[ :]{1,2})?`;
/** YAML's sign for a value that begins on the next line. */
const BLOCK = String.raw`(?:[|>][-+]?\d?[ \t]{0,4}\r?\n[ \t]{1,24})?`;
const QUOTED = String.raw`(?:${COLOUR})?(?:${WRAPPER})?${QUOTE}\s{0,24}`;
const OPEN = String.raw`${SPACE}${BLOCK}(?:${COLOUR})?(?:(?:${WRAPPER})?${QUOTE}\s{0,24})?${SCHEME}`;
/** The type of a variable: `: Optional[str]`, ` []byte`, `: &'static str`. */
const TYPE = String.raw`[ \t]{0,2}[: ][ \t]{0,2}[A-Za-z&*'[][\w.<>[\]&*'?, ;|]{0,40}?`;
const LABEL = String.raw`(?:[\w-]{0,16}?(?:[Vv]alue|VALUE|[Dd]efault|DEFAULT|[Cc]ontent|SecretString))`;
const LABELLED = String.raw`["'\\]{0,4}[ \t]{0,8}(?:=>|[:=]{1,2})${OPEN}`;
const NAME_LABEL = /(?:name|key|field|variable|param\w{0,6}|setting|property|option|label|title)["'\\]{0,4}[ \t]{0,8}(?:=>|[:=(]{1,2}|[ \t])\s{0,8}["'\\`]{0,4}$/i;

const after = (...pieces: string[]): RegExp => new RegExp(pieces.join(""), "y");

const CONTEXTS: readonly Context[] = [
  // name = x, "name": "x", :name => 'x', name := x, ${NAME:-x}, <name>x</name>, | name | x |, Datadog api key: x
  { after: after(CLOSE, GAP, OPERATOR, OPEN), words: true },
  // name: string = "x", var name []byte = []byte("x"), let name: &str = "x"
  { after: after("[?!]?", TYPE, GAP, ":?=", OPEN), hint: "=" },
  // setProperty("NAME", "x"), setdefault('NAME', 'x'), getenv("NAME", default="x"), VALUES ('name', 'x')
  { after: after(String.raw`\\{0,8}["'\x60]\)?\s{0,8},\s{0,24}(?:\w{1,16} ?[:=] ?)?`, QUOTED), needs: "credential" },
  // fetch("NAME") { "x" }, var("NAME").unwrap_or("x"), setName("x"), {:name "x"}, define NAME "x", Env:NAME -Value "x"
  {
    after: after(String.raw`["'\x60]?\)?(?:\s?\{\s?|(?:\??\.\w{1,24})?\(\s?|[ \t]{1,16}(?:-[Vv]alue[ \t])?)`, QUOTED),
    needs: "credential",
  },
  // --name x, ENV NAME x, set -gx NAME x, name,x, the name is x
  {
    after: after(CLOSE, String.raw`(?:(?:[ \t]|\\\r?\n){1,16}(?:(?:is|was|to|as|equals)[ \t]{1,4})?|[,;][ \t]?)`, QUOTE, "?", SCHEME),
    words: true,
    needs: "secret",
  },
  // <entry key="name">x</entry>, <name type="a">x</name>
  { before: /<[^<>]{0,60}$/, hint: ">", after: after(String.raw`["']?(?:\s[^<>]{0,60})?>\s{0,24}(?:<!\[CDATA\[)?`) },
  // <key>name</key><string>x</string>, <td>name</td><td>x</td>
  {
    after: after(CLOSE, String.raw`(?:<\/[\w:-]{1,16}>\s{0,24}){1,3}(?:<[\w:-]{1,16}(?:\s[^<>]{0,40})?>\s{0,24}){1,3}`),
    hint: "</",
    needs: "credential",
  },
  // - name: X, value: x; {"Name": "X", "Value": "x"}; <add key="X" value="x"/>; ParameterKey=X,ParameterValue=x
  { before: NAME_LABEL, after: after(CLOSE), labelled: true },
  // variable "name" { default = "x" }, name: {type: string, default: x}
  { after: after(CLOSE, GAP, String.raw`(?:[:=]>?${GAP}(?:\{|\r?\n)|\{)`), labelled: true, needs: "credential" },
];

/** Every place where the value of the name from `start` up to `end` can begin. */
export function placesOf(text: string, name: Span): Place[] {
  const ahead = beforeMark(text.slice(name.end, name.end + AFTER));
  const behind = afterMark(text.slice(Math.max(0, name.start - BEFORE), name.start));
  const words = wordsAhead(ahead);
  const places: Place[] = [];
  for (const context of CONTEXTS) {
    if (context.before?.test(behind) === false || (context.hint !== undefined && !ahead.includes(context.hint))) continue;
    for (const from of context.words ? words : NO_WORDS) addPlace(places, context, ahead, from, name);
  }
  if (NAME_LABEL.test(behind)) addPlacesBefore(places, text, name);
  return places;
}

const WORD = /[ \t]{1,2}[A-Za-z][\w-]{0,20}(?![\w-])/y;
const MOST_WORDS = 4;
const NO_WORDS = [0];

/** Where the first words end that follow a name, from 0 on, which is the end of the name itself. */
function wordsAhead(ahead: string): number[] {
  const ends = [0];
  WORD.lastIndex = 0;
  while (ends.length <= MOST_WORDS && WORD.test(ahead)) ends.push(WORD.lastIndex);
  return ends;
}

/** Adds the place where a context gives a value to the name, of which the words up to `from` are part. */
function addPlace(places: Place[], { after: pattern, labelled, needs }: Context, ahead: string, from: number, name: Span): void {
  pattern.lastIndex = from;
  if (!pattern.test(ahead)) return;
  let end: number | undefined = pattern.lastIndex;
  if (labelled) end = fieldsOf(ahead, end).next().value;
  if (end === undefined) return;
  const place = { start: name.end + end, isOpened: isOpener(ahead, end), nameEnd: name.end + from };
  places.push(needs ? { ...place, needs } : place);
}

/** True if a quote, a bracket or a tag ends at `end`. */
function isOpener(text: string, end: number): boolean {
  return end > 0 && "\"'`[>".includes(text.charAt(end - 1));
}

const ITEM_END = /[{}<>]|\n[ \t]*(?:-[ \t]|\r?\n)/g;
const FIELD = new RegExp(`(?<![\\w-])${LABEL}${LABELLED}`, "g");
const FIELD_HINT = /value|default|content|secretstring/i;

/** Where the values begin of the fields of an item that goes on from `start`, up to its end. */
function* fieldsOf(text: string, start: number): Generator<number, undefined> {
  const rest = text.slice(start);
  const end = rest.search(ITEM_END);
  const item = end < 0 ? rest : rest.slice(0, end);
  if (!FIELD_HINT.test(item)) return undefined;
  for (const { 0: label, index } of item.matchAll(FIELD)) yield start + index + label.length;
  return undefined;
}

/** Adds the places of an item that has its value before its name: `{"value": "x", "name": "X"}`. */
function addPlacesBefore(places: Place[], text: string, name: Span): void {
  const behind = afterMark(text.slice(Math.max(0, name.start - AFTER), name.start));
  const ends = [...behind.matchAll(ITEM_END)].map(({ 0: end, index }) => index + end.length);
  for (const end of fieldsOf(behind, ends.at(-1) ?? 0)) {
    places.push({ start: name.start - behind.length + end, isOpened: isOpener(behind, end), nameEnd: name.end });
  }
}

/**
 * What is read of a name ends at a mark: a secret that was there has another length, and so a second pass would see
 * farther than the first.
 */
function beforeMark(text: string): string {
  const mark = text.indexOf(MARK_START);
  return mark < 0 ? text : text.slice(0, mark);
}

function afterMark(text: string): string {
  const mark = text.lastIndexOf(MARK_START);
  return mark < 0 ? text : text.slice(mark + MARK_START.length);
}
