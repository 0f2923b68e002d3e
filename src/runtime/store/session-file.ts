import { existsSync, statSync } from "node:fs";
import type { UserError } from "../../lib/errors.ts";
import type { Database } from "../../lib/platform.ts";
import { asUserError, type DatabaseOptions, openDatabase } from "./database.ts";

/** A session file that is opened when it is needed, and again when somebody has put it away meanwhile. */
export class SessionFile {
  readonly path: string;
  readonly #options: DatabaseOptions;
  #open: { db: Database; inode: number } | undefined;

  constructor(path: string, options: DatabaseOptions) {
    this.path = path;
    this.#options = options;
  }

  /** The database, created when there is none. Throws a {@link UserError}. */
  connect(): Database {
    // What is written to a file that was removed is lost without an error.
    if (this.#open && this.#open.inode !== inodeOf(this.path)) this.close();
    if (!this.#open) {
      const db = openDatabase(this.path, this.#options);
      this.#open = { db, inode: inodeOf(this.path) };
    }
    return this.#open.db;
  }

  /** Works on the file as it is; `work` gets no database when there is no file. Throws a {@link UserError} alone. */
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

/** 0 when there is no file. */
function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
