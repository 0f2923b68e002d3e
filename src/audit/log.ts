/**
 * The log of decisions: writes, reads and verifies it. It prints nothing.
 *
 * @packageDocumentation
 */
import { activeTracer } from "../trace/active.ts";
import { appendEntry, appendProblem, type NewEntry } from "./append.ts";
import type { AuditSource } from "./entry.ts";
import { auditFolder } from "./files.ts";

export interface AuditLogOptions {
  dataDir: string;
  source: AuditSource;
  /** A line that cannot be written is a reason to block; by default it is only reported. */
  required?: boolean;
  /** Entries contain the payload of the event, redacted. */
  payload?: boolean;
  /** Receives each failure. */
  warn: (message: string) => void;
}

export class AuditLog {
  readonly source: AuditSource;
  readonly holdsPayload: boolean;
  readonly #options: AuditLogOptions;

  constructor(options: AuditLogOptions) {
    this.source = options.source;
    this.holdsPayload = options.payload ?? false;
    this.#options = options;
  }

  /** Appends an entry. Never rejects. Returns a reason to block if the line could not be written and is required. */
  async append(entry: Omit<NewEntry, "source">): Promise<string | undefined> {
    const folder = auditFolder(this.#options.dataDir);
    try {
      const traceId = activeTracer()?.context?.traceId;
      await appendEntry(folder, { source: this.source, ...entry, ...(traceId && { trace_id: traceId }) });
      return undefined;
    } catch (error) {
      return this.failed(appendProblem(folder, error));
    }
  }

  /** Reports that an entry could not be written. Returns the reason to block if it is required. */
  failed(problem: string): string | undefined {
    this.#options.warn(problem);
    return this.#options.required ? `${problem}, and settings.audit requires it` : undefined;
  }
}
