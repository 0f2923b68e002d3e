/**
 * What must surround a secret whose own shape says little. `left`: no letter or digit stands before it; `both`: nor
 * after it; `blob`: it is not a piece of a longer base64 text either.
 */
export type Edge = "left" | "both" | "blob";

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
}
