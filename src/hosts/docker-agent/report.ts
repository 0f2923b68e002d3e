/**
 * What became of one thing: written; written without a part of it; already there; kept as it is in hooksh, which has
 * another; or not written.
 */
export type ImportStatus = "imported" | "lossy" | "present" | "conflict" | "left";

/** The outcome of one session, setting or file. */
export interface ImportedRow {
  status: ImportStatus;
  /** The file it comes from, as shown to the user. */
  place: string;
  /** `session 3f9c... "Fix the login"`, `aliases.pirate`. */
  subject: string;
  /** What is lost or why, and what to do about it. */
  remarks: readonly string[];
}

export interface ImportReport {
  sessions: readonly ImportedRow[];
  /** Aliases, settings, hooks files, and what is not imported. */
  configuration: readonly ImportedRow[];
}
