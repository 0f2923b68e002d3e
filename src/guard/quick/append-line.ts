import { AUDIT_VERSION, digestOf } from "../../audit/entry.ts";
import type { SystemCalls } from "../../lib/process/system-calls.ts";

/** A line that is longer is not one of hooksh's; the engine reads it. */
const TAIL_BYTES = 16 * 1024;
const LINE_END = 0x0a;

/**
 * The audit log of a data directory, for a process that writes it as src/audit/append.ts does where nothing is out of the
 * ordinary: its files exist, this month has a line, and no other process holds the lock.
 */
export class QuickLog {
  readonly #system: SystemCalls;
  readonly #lock: number;
  readonly #folder: string;

  private constructor(system: SystemCalls, folder: string, lock: number) {
    this.#system = system;
    this.#folder = folder;
    this.#lock = lock;
  }

  /** Opens the log; undefined if it does not exist yet, or is not made of regular files. */
  static open(system: SystemCalls, dataDir: string): QuickLog | undefined {
    const folder = `${dataDir}/audit`;
    const lock = system.open(`${folder}/lock`, "write");
    if (lock < 0 || system.status(lock)?.kind !== "file") return undefined;
    return new QuickLog(system, folder, lock);
  }

  /**
   * Appends entries, given as JSON without their first fields, and closes the log. False if none was written: another
   * process writes, or something is out of the ordinary.
   */
  append(entries: readonly string[]): boolean {
    const system = this.#system;
    let log = -1;
    try {
      if (!system.tryLock(this.#lock)) return false;
      const now = new Date().toISOString();
      const month = this.#month();
      log = now.startsWith(month) ? system.open(`${this.#folder}/${month}.jsonl`, "append") : -1;
      if (log < 0) return false;
      const found = system.status(log);
      const last = found?.kind === "file" ? this.#lastLine(log, found.size) : undefined;
      if (found === undefined || last === undefined) return false;
      const encoder = new TextEncoder();
      let before: Uint8Array = last;
      let lines = "";
      for (const fields of entries) {
        const line = `{"v":${AUDIT_VERSION},"time":"${now}","prev":"${digestOf(before)}",${fields.slice(1)}`;
        before = encoder.encode(line);
        lines += `${line}\n`;
      }
      const bytes = encoder.encode(lines);
      const isWritten = system.write(log, bytes) === bytes.length;
      if (!isWritten) system.truncate(log, found.size); // whole lines or nothing
      return isWritten;
    } finally {
      if (log >= 0) system.close(log);
      this.close();
    }
  }

  /** Closes the only descriptor of the lock's file, which releases the lock. */
  close(): void {
    this.#system.close(this.#lock);
  }

  /** Returns the last month that was written, which the file of the lock holds. */
  #month(): string {
    const month = new Uint8Array(7);
    this.#system.readAt(this.#lock, month, 0);
    return new TextDecoder().decode(month);
  }

  /** Returns the last line of a file without its end; undefined if that is missing, or if the line is long. */
  #lastLine(log: number, size: number): Uint8Array | undefined {
    const start = Math.max(0, size - TAIL_BYTES);
    const bytes = new Uint8Array(size - start);
    if (size === 0 || this.#system.readAt(log, bytes, start) !== bytes.length) return undefined;
    if (bytes[bytes.length - 1] !== LINE_END) return undefined;
    const cut = bytes.lastIndexOf(LINE_END, -2);
    return cut < 0 && start > 0 ? undefined : bytes.subarray(cut + 1, -1);
  }
}
