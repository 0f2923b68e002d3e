import { UsageError } from "../../lib/errors.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Attack } from "./attack.ts";
import { CREDENTIALS } from "./credentials.ts";
import { DATABASE } from "./database.ts";
import { DELETION } from "./deletion.ts";
import { EXFILTRATION } from "./exfiltration.ts";
import { FORCE_PUSH } from "./force-push.ts";
import { GUARD_TAMPERING } from "./guard-tampering.ts";
import { PERSISTENCE } from "./persistence.ts";
import { PRIVILEGE } from "./privilege.ts";
import { SUPPLY_CHAIN } from "./supply-chain.ts";

/** The shipped attacks by category, in the order of the report. */
export const ATTACKS: Readonly<Record<string, readonly Attack[]>> = {
  deletion: DELETION,
  exfiltration: EXFILTRATION,
  credentials: CREDENTIALS,
  "force-push": FORCE_PUSH,
  persistence: PERSISTENCE,
  "guard-tampering": GUARD_TAMPERING,
  privilege: PRIVILEGE,
  "supply-chain": SUPPLY_CHAIN,
  database: DATABASE,
};

/** Returns the attacks of one category, or of all if the name is empty. Throws a {@link UsageError} if it is unknown. */
export function attacksOf(category: string): [category: string, attacks: readonly Attack[]][] {
  if (category === "") return Object.entries(ATTACKS);
  const wanted = category.toLowerCase().replace(/[ _]/g, "-");
  const attacks = Object.hasOwn(ATTACKS, wanted) ? ATTACKS[wanted] : undefined;
  if (attacks) return [[wanted, attacks]];
  const known = Object.keys(ATTACKS);
  const close = nearest(wanted, known);
  const hint = close === undefined ? "" : `, did you mean ${close}?`;
  throw new UsageError(`--attacks: unknown category ${JSON.stringify(category)}${hint} (known: ${known.join(", ")})`);
}
