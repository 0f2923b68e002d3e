import type { DialectName } from "../../dialects/names.ts";
import type { Payload } from "../../protocol/rewrite.ts";

/** The agent that an event comes from. */
export interface Host {
  dialect: DialectName;
  /** The event of `--event`, in the host's spelling. */
  event: string | undefined;
  payload: Payload;
  /** Another agent whose payload may look the same, if only the payload names the dialect. */
  also?: DialectName;
  /** Why the payload cannot be read. */
  problem?: string;
}
