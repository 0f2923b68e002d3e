import type { DialectName } from "../dialects/names.ts";
import type { Payload } from "../protocol/rewrite.ts";

/** The agent that an event comes from. */
export interface Host {
  dialect: DialectName;
  /** The event of `--event`, in the host's spelling. */
  event: string | undefined;
  payload: Payload;
  /** Another agent that could have sent the payload, if no flag or variable names the dialect. */
  also?: DialectName;
  /**
   * The agent that the payload looks like, if it is another one than `dialect`: agents read each other's configuration, and
   * their variables reach each other's hooks. Guards know its tools too.
   */
  like?: DialectName | undefined;
  /** Why the payload cannot be read. */
  problem?: string;
}
