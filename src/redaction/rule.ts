/**
 * What must surround a secret.
 *
 * By default no letter or digit may touch it, unless its body is certainly random: `ghp_` with 36 random characters is
 * a token even inside a longer word. `camel` also allows no lower-case letter before it, because words end like its
 * prefix (`task_live_`). `word` makes no exception. `strict`, for prefixes that say little, also requires a random body
 * and no `_` or `-` beside it. `blob` also requires that it is not a piece of longer base64. `none` is for a pattern
 * that includes its context.
 */
export type Edge = "camel" | "word" | "strict" | "blob" | "none";

/**
 * One pattern of a kind of secret. A kind with several patterns has a rule for each, all under its id.
 *
 * A pattern is literal text with slots: `<hex:32>` is exactly 32 characters of an alphabet, `<url:20-80>` 20 to 80,
 * `<url:20->` at least 20; `<live|test|>` is one of some texts, the empty one too; `<uuid>` is a UUID. A slot takes as
 * many characters as it may and never gives one back. The part in braces is the secret; without braces the whole match
 * is.
 */
export interface SecretRule {
  id: string;
  pattern: string;
  edge?: Edge;
  /** Names in source code may have this pattern too, so the text after the prefix must not be made of words. */
  random?: true;
  /** The pattern is certain although its length varies: even a body of words is a secret. */
  sure?: true;
  /** The literal to search for, if it is not the first one of the pattern. */
  anchor?: string;
}

/** One kind of secret that is known only by the name it is assigned to: `word`, then a value of this pattern. */
export interface AssignedRule {
  id: string;
  /**
   * The vendor's word. A capital marks where a part may begin with one, a space where parts may be separated: `dataDog`
   * is also `DataDog`, `new relic` is also `NEW_RELIC`, `newRelic` and `new-relic`.
   */
  word: string;
  value: string;
  /** The value is short or plain: the name must also say that it is a credential. */
  weak?: true;
  /** The word or the pattern is certain: any value of this pattern is a secret, however it is assigned. */
  sure?: true;
}
