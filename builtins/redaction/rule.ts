/**
 * What must surround a secret.
 *
 * By default no letter or digit may touch it, unless its body is certainly random: `ghp_` with 36 random characters is
 * a token even inside a longer word. `camel` does not let a lower-case letter touch it in front, because its prefix is
 * also the end of words (`task_live_`). `word` makes no exception. `strict` also asks for a random body and for a place
 * outside names joined by `_` and `-`: its prefix says too little. `blob` asks that it is no piece of a longer base64
 * text. `none` is for a shape that holds its own context.
 */
export type Edge = "camel" | "word" | "strict" | "blob" | "none";

/**
 * One shape of a kind of secret. A kind with several shapes has a rule for each, all under its id.
 *
 * A shape is literal text with slots: `<hex:32>` is exactly 32 characters of an alphabet, `<url:20-80>` 20 to 80,
 * `<url:20->` at least 20; `<live|test|>` is one of some texts, the empty one too; `<uuid>` is a UUID. A slot takes as
 * many characters as it may and never gives one back. What stands between braces is the secret; without braces all
 * of it is.
 */
export interface SecretRule {
  id: string;
  shape: string;
  edge?: Edge;
  /** Names in source code have this shape too, so what follows the prefix must not be made of words. */
  random?: true;
  /** The shape leaves no doubt though its length varies: a body of words is one too. */
  sure?: true;
  /** The literal to search for, when it is not the first one of the shape. */
  anchor?: string;
}

/** One kind of secret that only the name it is assigned to tells: `word`, then a value of this shape. */
export interface AssignedRule {
  id: string;
  /**
   * The vendor's word. Capitals in it say where else it may have them, a space where it may be parted: `dataDog` is also
   * `DataDog`, `new relic` is also `NEW_RELIC`, `newRelic` and `new-relic`.
   */
  word: string;
  value: string;
  /** The value is short or plain, so the name must also say that it is a credential. */
  weak?: true;
  /** The word or the shape leaves no doubt: any value of the shape is a secret, however it follows the name. */
  sure?: true;
}
