import { MARK_START } from "../../../src/lib/redaction-mark.ts";
import { extended, type Name } from "./names.ts";

/** A place where the value of a name can begin. */
export interface Place {
  start: number;
  /** A quote, a bracket or a tag opens the value, so what follows the value is no part of an expression. */
  isOpened: boolean;
  /** The name, with the words that stand between it and the sign that assigns: `Datadog api key: x`. */
  name: Name;
  /** Only a name that says so is the name of a credential here: nothing else tells that the value belongs to it. */
  needs?: "credential" | "secret";
}

/** A way to give a value to a name, as two patterns; what `after` matches ends where the value begins. */
interface Context {
  /** What precedes the name, on the {@link BEFORE} characters before it; anything by default. */
  before?: RegExp;
  /** What follows the name, on the {@link AFTER} characters after it. Its group `words` belongs to the name. */
  after: RegExp;
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
const QUOTED = String.raw`(?:${COLOUR})?(?:${WRAPPER})?(?<quote>${QUOTE})\s{0,24}`;
const OPEN = String.raw`${SPACE}${BLOCK}(?:${COLOUR})?(?:(?:${WRAPPER})?(?<quote>${QUOTE})\s{0,24})?${SCHEME}`;
const WORDS = String.raw`(?<words>(?:[ \t]{1,2}[A-Za-z][\w.-]{0,20}){0,4}?)`;
/** The type of a variable: `: Optional[str]`, ` []byte`, `: &'static str`. */
const TYPE = String.raw`[ \t]{0,2}[: ][ \t]{0,2}[A-Za-z&*'[][\w.<>[\]&*'?, ;|]{0,40}?`;
const LABEL = String.raw`(?:[\w-]{0,16}?(?:[Vv]alue|VALUE|[Dd]efault|DEFAULT|[Cc]ontent|SecretString))`;
const LABELLED = String.raw`["'\\]{0,4}[ \t]{0,8}(?:=>|[:=]{1,2})${OPEN}`;
/** Other fields of the same item: no brace, tag, empty line or beginning of another item. */
const FIELDS = String.raw`(?:(?!\n[ \t]*(?:-[ \t]|\r?\n))[^{}<>]){0,160}?[\s,;"'&{]`;
const NAME_LABEL = /(?:name|key|field|variable|param\w{0,6}|setting|property|option|label|title)["'\\]{0,4}[ \t]{0,8}(?:=>|[:=(]{1,2}|[ \t])\s{0,8}["'\\`]{0,4}$/i;

const after = (...pieces: string[]): RegExp => new RegExp(`^${pieces.join("")}`);

const CONTEXTS: readonly Context[] = [
  // name = x, "name": "x", :name => 'x', name := x, ${NAME:-x}, <name>x</name>, | name | x |, Datadog api key: x
  { after: after(WORDS, CLOSE, GAP, OPERATOR, OPEN) },
  // name: string = "x", var name []byte = []byte("x"), let name: &str = "x"
  { after: after("[?!]?", TYPE, GAP, ":?=", OPEN) },
  // setProperty("NAME", "x"), setdefault('NAME', 'x'), getenv("NAME", default="x"), VALUES ('name', 'x')
  { after: after(String.raw`\\{0,8}["'\x60]\)?\s{0,8},\s{0,24}(?:\w{1,16} ?[:=] ?)?`, QUOTED), needs: "credential" },
  // fetch("NAME") { "x" }, var("NAME").unwrap_or("x"), {:name "x"}, define NAME "x"
  { after: after(String.raw`["'\x60]?\)?(?:\s?\{\s?|\??\.\w{1,24}\(\s?|[ \t]{1,16})`, QUOTED), needs: "credential" },
  // --name x, ENV NAME x, set -gx NAME x, name,x, the name is x
  {
    after: after(WORDS, CLOSE, String.raw`(?:(?:[ \t]|\\\r?\n){1,16}(?:(?:is|was|to|as|equals)[ \t]{1,4})?|[,;][ \t]?)`, QUOTE, "?", SCHEME),
    needs: "secret",
  },
  // <entry key="name">x</entry>, <name type="a">x</name>
  { before: /<[^<>]{0,60}$/, after: after(String.raw`["']?(?:\s[^<>]{0,60})?(?<quote>>)\s{0,24}(?:<!\[CDATA\[)?`) },
  // <key>name</key><string>x</string>, <td>name</td><td>x</td>
  {
    after: after(CLOSE, String.raw`(?:<\/[\w:-]{1,16}>\s{0,24}){1,3}(?<quote>(?:<[\w:-]{1,16}(?:\s[^<>]{0,40})?>\s{0,24}){1,3})`),
    needs: "credential",
  },
  // - name: X, value: x; {"Name": "X", "Value": "x"}; <add key="X" value="x"/>; ParameterKey=X,ParameterValue=x
  { before: NAME_LABEL, after: after(CLOSE, FIELDS, LABEL, LABELLED) },
  // variable "name" { default = "x" }, name: {type: string, default: x}
  { after: after(CLOSE, GAP, String.raw`[:=]?>?${GAP}(?:\{|\r?\n)`, FIELDS, LABEL, LABELLED), needs: "credential" },
];

/** Every place where the value of a name can begin. */
export function placesOf(text: string, name: Name): Place[] {
  const { start, end } = name;
  const ahead = beforeMark(text.slice(end, end + AFTER));
  const behind = afterMark(text.slice(Math.max(0, start - BEFORE), start));
  const places: Place[] = [];
  for (const { before, after: pattern, needs } of CONTEXTS) {
    if (before && !before.test(behind)) continue;
    const match = pattern.exec(ahead);
    if (!match) continue;
    const { quote, words = "" } = match.groups ?? {};
    const at = end + match[0].length;
    if (places.some((known) => known.start === at && known.needs === undefined)) continue;
    const place = { start: at, isOpened: quote !== undefined, name: extended(name, words) };
    places.push(needs ? { ...place, needs } : place);
  }
  if (NAME_LABEL.test(behind)) places.push(...placesBefore(text, name));
  return places;
}

const LABELS = new RegExp(`(?<![\\w-])${LABEL}${LABELLED}`, "g");
const ITEM_START = /[{}<>]|\n[ \t]*-[ \t]|\n[ \t]*\r?\n/g;

/** The same for an item that has its value before its name: `{"value": "x", "name": "X"}`. */
function placesBefore(text: string, name: Name): Place[] {
  const from = Math.max(0, name.start - AFTER);
  const behind = afterMark(text.slice(from, name.start));
  const item = behind.slice([...behind.matchAll(ITEM_START)].reduce((_last, { 0: start, index }) => index + start.length, 0));
  return [...item.matchAll(LABELS)].map((match) => ({
    start: name.start - item.length + match.index + match[0].length,
    isOpened: match.groups?.["quote"] !== undefined,
    name,
  }));
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
