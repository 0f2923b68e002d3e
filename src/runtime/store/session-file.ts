import { existsSync, statSync } from "node:fs";
import type { UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import { asUserError, type DatabaseOptions, openDatabase } from "./database.ts";

/** A session file that is opened on first use, and reopened if it was moved or removed meanwhile. */
export class SessionFile {
  readonly path: string;
  readonly #options: DatabaseOptions;
  #open: { db: Database; inode: number } | undefined;

  constructor(path: string, options: DatabaseOptions) {
    this.path = path;
    this.#options = options;
  }

  /** Returns the database; creates the file if it does not exist. Throws a {@link UserError}. */
  connect(): Database {
    // Writes to a removed file are lost without an error.
    if (this.#open && this.#open.inode !== inodeOf(this.path)) this.close();
    if (!this.#open) {
      const db = openDatabase(this.path, this.#options);
      this.#open = { db, inode: inodeOf(this.path) };
    }
    return this.#open.db;
  }

  /** Runs `work` on the database, or on undefined if the file does not exist. Throws only {@link UserError}s. */
  use<T>(work: (db: Database | undefined) => T): T {
    try {
      return work(existsSync(this.path) ? this.connect() : undefined);
    } catch (error) {
      throw asUserError(this.path, error);
    }
  }

  close(): void {
    this.#open?.db.close();
    this.#open = undefined;
  }
}

/** Returns the inode of a file; 0 if it does not exist. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
