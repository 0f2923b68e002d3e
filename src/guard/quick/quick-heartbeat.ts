import type { SystemCalls } from "../../lib/process/system-calls.ts";
import type { QuickHost } from "./quick-event.ts";

/** The note that an agent called hooksh, as src/hosts/registration/heartbeat.ts keeps it. */
export class Heartbeat {
  readonly #system: SystemCalls;
  readonly #file: number;

  private constructor(system: SystemCalls, file: number) {
    this.#system = system;
    this.#file = file;
  }

  /** Opens the note of an event. Undefined if it is the first one, or if a canary may be on its way. */
  static open(system: SystemCalls, dataDir: string, { dialect, event }: QuickHost): Heartbeat | undefined {
    const folder = `${dataDir}/heartbeats`;
    if (system.exists(`${folder}/canary-${dialect.name}-word`) !== false) return undefined;
    const file = system.open(`${folder}/${dialect.name}.${event}`, "append");
    return file < 0 || system.status(file)?.kind !== "file" ? undefined : new Heartbeat(system, file);
  }

  beat(): void {
    this.#system.write(this.#file, new Uint8Array([0x2e]));
  }

  close(): void {
    this.#system.close(this.#file);
  }
}
