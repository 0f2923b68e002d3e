import { isPlaceholder } from "../placeholders.ts";
import type { Scan } from "../scan.ts";
import { isRandomToken } from "./values.ts";

/** A place that shows that it contains a secret, although no name precedes it. */
interface Place {
  id: string;
  /** The text to search for, in any case. */
  anchor: string;
  /** Must match the text before the anchor on its line. */
  before?: RegExp;
  /** Matches from the anchor, with which it begins, up to the secret. */
  lead: RegExp;
  /**
   * The secret ends with its line or at a sign that no token has, instead of at the quotation mark at the end of
   * `lead`.
   */
  line?: true;
  /** The secret must look random, because the place alone is not certain enough. */
  random?: true;
}

const PLACES: readonly Place[] = [
  // CREATE USER 'app' IDENTIFIED BY 'x'; ALTER ROLE app WITH PASSWORD 'x'. In prose, things are identified by names in quotes.
  {
    id: "sql-password",
    anchor: "identified",
    before: /\b(?:create|alter)\s{1,4}(?:user|role)\b[^;]*$|\bgrant\b[^;]*\bto\b[^;]*$/i,
    lead: /^identified\s{1,4}(?:with\s{1,4}['"\w]{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?\\?['"]/i,
  },
  {
    id: "sql-password",
    anchor: "password '",
    before: /\b(?:create|alter)\s{1,4}(?:user|role|login)\s[^;]*$/i,
    lead: /^password\s{1,4}'/i,
  },
  // ConvertTo-SecureString 'x' -AsPlainText
  {
    id: "powershell-password",
    anchor: "convertto-securestring",
    lead: /^convertto-securestring\s{1,4}(?:-string\s{1,4})?(?:-asplaintext\s{1,4})?\\?['"]/i,
  },
  // define('AUTH_KEY', 'x'): the keys and salts of WordPress, which may contain blanks and signs
  {
    id: "wordpress-key",
    anchor: "define(",
    lead: /^define\(\s{0,4}(['"])(?:SECURE_AUTH|LOGGED_IN|AUTH|NONCE)_(?:KEY|SALT)\1\s{0,4},\s{0,24}['"]/i,
  },
  // host:5432:database:user:x, a line of .pgpass
  {
    id: "pgpass-password",
    anchor: ":5432:",
    before: /(?:^|[\s"'`=>(|])[\w.*-]{1,80}$/,
    lead: /^:5432:[\w*-]{1,64}:[\w*.-]{1,64}:/,
    line: true,
    random: true,
  },
  {
    id: "pgpass-password",
    anchor: "*:*:",
    before: /(?:^|[\s"'`=>(|])$/,
    lead: /^\*:\*:[\w*-]{1,64}:[\w*.-]{1,64}:/,
    line: true,
    random: true,
  },
];

/** The kinds of secret that are recognised by their place. */
export const PLACE_KINDS: readonly string[] = [...new Set(PLACES.map(({ id }) => id))];

/** The texts to search for, each with its finder. */
export const PLACE_FINDERS = PLACES.map((place) => ({
  text: place.anchor,
  find: (scan: Scan, start: number): void => findAt(scan, place, start),
}));

const BEFORE = 160;
const LEAD = 200;
const LONGEST = 256;
const SHORTEST = 4;

function findAt(scan: Scan, { id, before, lead, line, random }: Place, start: number): void {
  const { text } = scan;
  const head = lead.exec(text.slice(start, start + LEAD))?.[0];
  if (head === undefined) return;
  if (
    before &&
    !before.test(
      text
        .slice(Math.max(0, start - BEFORE), start)
        .split(/[\r\n]/)
        .at(-1) ?? "",
    )
  )
    return;
  const from = start + head.length;
  const rest = text.slice(from, from + LONGEST + 2);
  // A quotation mark or a backslash ends the string, and with it what may be replaced in JSON and in source code.
  const end = rest.search(line ? /[^\w+/=.~!@#$%^*?-]|$/ : /["'\\\r\n]|$/);
  const secret = rest.slice(0, end);
  if (secret.length < SHORTEST || secret.length > LONGEST) return;
  if (!line && !rest.startsWith(/\\?['"]$/.exec(head)?.[0] ?? "", end)) return;
  if (isPlaceholder(secret) || !/[\d\W]/.test(secret) || (random && !isRandomToken(secret))) return;
  // What a mark follows was longer before.
  if (scan.nextMark(from) > from + secret.length) scan.add(id, from, from + secret.length);
}
