// Refuses an answer that lists several customers, and replaces the number of a single one.
import { BLOCK, type Builtin } from "hooksh/hook";

const CUSTOMER = /\bC-\d{6}\b/g;

const guard: Builtin = ({ hook_event_name, stop_response = "" }) => {
  const found = new Set(stop_response.match(CUSTOMER));
  if (found.size > 1) return { decision: BLOCK, reason: "Give totals: an answer must not list customers" };
  if (found.size === 0) return undefined;
  const updated_response = stop_response.replace(CUSTOMER, "[customer]");
  return { hook_specific_output: { hook_event_name, updated_response } };
};

export default guard;
