/** Thrown for a condition that is no language over the texts of a proof. Its rule is then free to hit or not. */
export class Undecidable extends Error {}
