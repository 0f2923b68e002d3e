/** Text that marks a value as a placeholder, anywhere in it. */
const PLACEHOLDER =
  /example|sample|dummy|placeholder|change[-_ ]?(?:me|it|this)|your[-_ ]|^your|redacted|xxxx|\.\.\.|\*\*\*|insert|replace|goes[-_ ]?here|deadbeef|lorem|KBHBeksoGMGw/i;

/** True if a value says somewhere that it is a placeholder. */
export function hasPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** Words that documents and tests use for credentials. Several in a row are a placeholder too. */
const PLACEHOLDER_WORDS = new Set(
  (
    "access account admin api app auth bad bar basic baz client code correct cred credential credentials creds db default demo empty fake " +
    "false foo for from get goes good guest hello here hidden http invalid key login me missing mock my name new no none not null of old " +
    "pass passwd password passwords plain proxy pw pwd qux random real repo required root secret secrets server set some string super temp " +
    "test tester testing text the this to todo token tokens true undefined use user username value valid very wrong your"
  ).split(" "),
);
const LONGEST_WORD = 12;

/** The beginning of a reference to a value that is kept elsewhere. */
const REFERENCE =
  /^(?:[$<[{(*#]|%[A-Za-z_{(]|@\{|\\?[$<]|(?:process\.env|os\.environ|os\.getenv|env|vars?|secrets?|config|settings|self|this|local|data|vault|ssm|op|ref|file|arn|keyring|https?)(?:[.:[(]))/i;

/** True for a placeholder and for a reference to a value kept elsewhere: `<password>`, `changeme`, `$KEY`. */
export function isPlaceholder(value: string): boolean {
  if (REFERENCE.test(value) || hasPlaceholder(value) || new Set(value).size < 3) return true;
  return isPlaceholderWords(value);
}

/** True if a value is nothing but words for credentials and single letters: `my-secret-password1`. */
export function isPlaceholderWords(value: string): boolean {
  if (value.length > LONGEST_PLACEHOLDER) return false;
  const words = value.toLowerCase().split(/[^a-z0-9]+/);
  return words.every((word) => word.length < 2 || isMadeOfWords(word.replace(/\d$/, "")));
}

const LONGEST_PLACEHOLDER = 64;

/** True if a text can be cut into placeholder words: `mysecretpassword`. */
function isMadeOfWords(text: string): boolean {
  const reachable = new Set([0]);
  for (let from = 0; from < text.length; from++) {
    if (!reachable.has(from)) continue;
    for (let to = from + 2; to <= Math.min(text.length, from + LONGEST_WORD); to++) {
      if (PLACEHOLDER_WORDS.has(text.slice(from, to))) reachable.add(to);
    }
  }
  return reachable.has(text.length);
}

const GENERAL_USER =
  /^(?:(?:my|your|some|the|db)[-_]?)?(?:user(?:[-_]?(?:name|id))?|login|name|foo|me|test|redacted|scott)\d?$/i;
/** Passwords of manuals besides the words for credentials: `scott:tiger` is Oracle's. */
const GENERAL_PASSWORD = /^(?:tiger|redacted|ps?w)$/i;

/** True if a user name is a word for users, such as `username`, or one that manuals use. */
export function isGeneralUser(user: string): boolean {
  return GENERAL_USER.test(user);
}

/** True if a password is a word for passwords, such as `secret`, or one that manuals use. */
export function isGeneralPassword(password: string): boolean {
  return GENERAL_PASSWORD.test(password) || (/^[a-z][a-z _.-]+\d?$/i.test(password) && isPlaceholderWords(password));
}

/**
 * Words that say what a text is. Of 100,000 random tokens of 256 characters, not one has such a word. The last is the end
 * of the key that every installation of Azure's storage emulator has.
 */
const EXAMPLE = /example|sample|dummy|placeholder|changeme|redacted|goes[-_]?here|^your|[-_]your[-_]|^KBHBeksoGMGw/i;
const MOST_OF_TOKEN = 256;
const FEWEST_OF_MASK = 4;

/**
 * True if the body of a vendor's token, which is from `start` up to `end`, is one that documentation prints: it says so
 * (`AKIAIOSFODNN7EXAMPLE`), or at least half of it is the letter X (`ghp_xxxxxxxx`). A body of other words counts as a
 * token.
 */
export function isExampleBody(text: string, start: number, end: number): boolean {
  const body = text.slice(start, Math.min(end, start + MOST_OF_TOKEN));
  const masked = body.replace(/[^xX]+/g, "").length;
  return EXAMPLE.test(body) || (masked >= FEWEST_OF_MASK && 2 * masked >= body.length);
}
