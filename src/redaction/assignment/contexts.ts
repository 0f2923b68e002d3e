import { REDACTION_MARK_START } from "../../lib/secrets/redaction-mark.ts";
import type { Name } from "./names.ts";

/** The place of a name in a text. */
type Span = Pick<Name, "start" | "end">;

/** A place where the value of a name can begin. */
export interface Place {
  start: number;
  /** A quote, a bracket or a tag opens the value, so the value is not part of a longer expression. */
  isOpened: boolean;
  /** The end of the name, including the words that belong to it: `api key` in `Datadog api key: x`. */
  nameEnd: number;
  /** The minimum strength of the name, because this place alone does not show that the value belongs to it. */
  needs?: "credential" | "secret";
}

/** A way to assign a value to a name, as patterns. The match of `after` ends where the value begins. */
interface Context {
  /** Must match the {@link BEFORE} characters before the name; anything may by default. */
  before?: RegExp;
  /** Must match at the start of the {@link AFTER} characters after the name. */
  after: RegExp;
  /** A text without which `after` cannot match; `after` is not tried without it. */
  hint?: string;
  /** Words may come between the name and the match of `after`: `Datadog api key: x`. */
  words?: true;
  /** The value is in a field of the item that `after` opens: `variable "name" { default = "x" }`. */
  labelled?: true;
  needs?: Place["needs"];
}

/** The number of characters that are searched before and after a name. The limits keep the time per name constant. */
const BEFORE = 64;
const AFTER = 240;
/** The maximum distance between a name and the start of its value, on either side. */
export const AHEAD = AFTER;

// The pieces of the patterns. Each matches a limited number of characters, in few ways, so that none backtracks far.
const COLOUR = String.raw`(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[\d;]{0,12}m`;
/** The quotes and brackets after a name that were opened before it, as in `["name"]`, `**name**` or `(name)`. */
const CLOSE = String.raw`(?:["'\x60\])*\\]|\[\d{0,5}\]|${COLOUR}){0,8}`;
const GAP = String.raw`(?:[ \t]|\\\r?\n){0,24}`;
const SPACE = String.raw`(?:\s|\\\r?\n){0,40}`;
const OPERATOR = String.raw`(?:[:?.+|&!]{0,3}=[=~]?>?|=>|:[-?+]|:{1,2}|\|{1,2}|\?{1,2}:?|<-|>|\bor\b)`;
/** Text between an operator and a quoted value: `[]byte(`, `new Secret(`, `{`, C#'s `@`, Python's `b`. */
const WRAPPER = String.raw`(?:(?:new |\[\])?[A-Za-z_][\w.:]{0,32}[({[]|[({[&]){0,3}[ \t]{0,4}[A-Za-z@$#*&]{0,2}`;
const QUOTE = String.raw`(?:\\{0,8}["'\x60]{1,3}|\[\[|<!\[CDATA\[)`;
const SCHEME = String.raw`(?:(?:[Bb]earer|[Bb]asic|[Tt]oken|SSWS|[Aa]pi-?[Kk]ey)[ :]{1,2})?`;
/** YAML's indicator for a value that begins on the next line. */
const BLOCK = String.raw`(?:[|>][-+]?\d?[ \t]{0,4}\r?\n[ \t]{1,24})?`;
const QUOTED = String.raw`(?:${COLOUR})?(?:${WRAPPER})?${QUOTE}\s{0,24}`;
const OPEN = String.raw`${SPACE}${BLOCK}(?:${COLOUR})?(?:(?:${WRAPPER})?${QUOTE}\s{0,24})?${SCHEME}`;
/** The type of a variable: `: Optional[str]`, ` []byte`, `: &'static str`. */
const TYPE = String.raw`[ \t]{0,2}[: ][ \t]{0,2}[A-Za-z&*'[][\w.<>[\]&*'?, ;|]{0,40}?`;
const LABEL = String.raw`(?:[\w-]{0,16}?(?:[Vv]alue|VALUE|[Dd]efault|DEFAULT|[Cc]ontent|SecretString))`;
const LABELLED = String.raw`["'\\]{0,4}[ \t]{0,8}(?:=>|[:=]{1,2})${OPEN}`;
const NAME_LABEL =
  /(?:name|key|field|variable|param\w{0,6}|setting|property|option|label|title)["'\\]{0,4}[ \t]{0,8}(?:=>|[:=(]{1,2}|[ \t])\s{0,8}["'\\`]{0,4}$/i;

/** True if the name at `start` is the value of a field such as `name` or `key`: `- name: X`, `{"key": "X"`. */
export function isNameOfItem(text: string, start: number): boolean {
  return NAME_LABEL.test(text.slice(Math.max(0, start - BEFORE), start));
}

const after = (...pieces: string[]): RegExp => new RegExp(pieces.join(""), "y");

const CONTEXTS: readonly Context[] = [
  // name = x, "name": "x", :name => 'x', name := x, ${NAME:-x}, <name>x</name>, | name | x |, Datadog api key: x
  { after: after(CLOSE, GAP, OPERATOR, OPEN), words: true },
  // name: string = "x", var name []byte = []byte("x"), let name: &str = "x"
  { after: after("[?!]?", TYPE, GAP, ":?=", OPEN), hint: "=" },
  // setProperty("NAME", "x"), setdefault('NAME', 'x'), getenv("NAME", default="x"), VALUES ('name', 'x')
  { after: after(String.raw`\\{0,8}["'\x60]\)?\s{0,8},\s{0,24}(?:\w{1,16} ?[:=] ?)?`, QUOTED), needs: "credential" },
  // buildConfigField("String", "NAME", "\"x\"")
  { after: after(String.raw`\\{0,8}["']\s{0,8},\s{0,24}["']\\{1,8}["']`), hint: "\\", needs: "credential" },
  // put-parameter --name NAME --type SecureString --value x, gh secret set NAME --body x
  {
    after: after(
      CLOSE,
      String.raw`(?:[ \t]{1,4}(?!--(?:value|body)\b)[\w./:=@-]{1,60}){0,5}[ \t]{1,4}--(?:value|body)[= ]`,
      QUOTE,
      "?",
    ),
    hint: "--",
    needs: "credential",
  },
  // fetch("NAME") { "x" }, var("NAME").unwrap_or("x"), setName("x"), {:name "x"}, define NAME "x", Env:NAME -Value "x"
  {
    after: after(String.raw`["'\x60]?\)?(?:\s?\{\s?|(?:\??\.\w{1,24})?\(\s?|[ \t]{1,16}(?:-[Vv]alue[ \t])?)`, QUOTED),
    needs: "credential",
  },
  // --name x, ENV NAME x, set -gx NAME x, name,x, the name is x
  {
    after: after(
      CLOSE,
      String.raw`(?:(?:[ \t]|\\\r?\n){1,16}(?:(?:is|was|to|as|equals)[ \t]{1,4})?|[,;][ \t]?)`,
      QUOTE,
      "?",
      SCHEME,
    ),
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
  if (CALL.test(ahead)) return [];
  const behind = afterMark(text.slice(Math.max(0, name.start - BEFORE), name.start));
  const words = wordsAhead(ahead);
  const places: Place[] = [];
  for (const context of CONTEXTS) {
    if (context.before?.test(behind) === false || (context.hint !== undefined && !ahead.includes(context.hint)))
      continue;
    for (const from of context.words ? words : NO_WORDS) addPlace(places, context, ahead, from, name);
  }
  if (NAME_LABEL.test(behind)) addPlacesBefore(places, text, name);
  return places;
}

/**
 * The text between the last argument of a call and its result, which is not a value of the argument: `sign('',
 * 'secret') => 'f7f9'`.
 */
const CALL = /^["'\x60\\]{0,8}[ \t]{0,8}\)[ \t]{0,8}=>/;

const WORD = /[ \t]{1,2}[A-Za-z][\w-]{0,20}(?![\w-])/y;
const MOST_WORDS = 4;
const NO_WORDS = [0];

/** The ends of the first words after a name, as offsets into `ahead`; the first is 0, the end of the name itself. */
function wordsAhead(ahead: string): number[] {
  const ends = [0];
  WORD.lastIndex = 0;
  while (ends.length <= MOST_WORDS && WORD.test(ahead)) ends.push(WORD.lastIndex);
  return ends;
}

/** Adds the place where a context assigns a value to the name; the words up to `from` belong to the name. */
function addPlace(
  places: Place[],
  { after: pattern, labelled, needs }: Context,
  ahead: string,
  from: number,
  name: Span,
): void {
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

/** Yields where the values begin in the fields of an item, from `start` up to the end of the item. */
function* fieldsOf(text: string, start: number): Generator<number, undefined> {
  const rest = text.slice(start);
  const end = rest.search(ITEM_END);
  const item = end < 0 ? rest : rest.slice(0, end);
  if (!FIELD_HINT.test(item)) return undefined;
  for (const { 0: label, index } of item.matchAll(FIELD)) yield start + index + label.length;
  return undefined;
}

/** Adds the places in an item whose value precedes its name: `{"value": "x", "name": "X"}`. */
function addPlacesBefore(places: Place[], text: string, name: Span): void {
  const behind = afterMark(text.slice(Math.max(0, name.start - AFTER), name.start));
  const ends = [...behind.matchAll(ITEM_END)].map(({ 0: end, index }) => index + end.length);
  for (const end of fieldsOf(behind, ends.at(-1) ?? 0)) {
    places.push({ start: name.start - behind.length + end, isOpened: isOpener(behind, end), nameEnd: name.end });
  }
}

/** Returns where the first value begins that a name after the end of the text may make a secret; undefined if none does. */
export function openField(text: string): number | undefined {
  const behind = text.slice(-AFTER);
  const ends = [...behind.matchAll(ITEM_END)].map(({ 0: end, index }) => index + end.length);
  const at = fieldsOf(behind, ends.at(-1) ?? 0).next().value;
  return at === undefined ? undefined : text.length - behind.length + at;
}

/**
 * The text up to the first mark. Reading stops there because a mark is not as long as the secret it replaced, so that a
 * second pass would see farther than the first.
 */
function beforeMark(text: string): string {
  const mark = text.indexOf(REDACTION_MARK_START);
  return mark < 0 ? text : text.slice(0, mark);
}

function afterMark(text: string): string {
  const mark = text.lastIndexOf(REDACTION_MARK_START);
  return mark < 0 ? text : text.slice(mark + REDACTION_MARK_START.length);
}
