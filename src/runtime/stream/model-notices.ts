import type { ChainListener } from "../../model/calls/chain.ts";
import type { Agent } from "../agent/agent.ts";
import type { Session } from "../session/session.ts";
import { type Runtime, report } from "./runtime.ts";

/** Returns a listener that reports fallbacks and waits of model calls for a session. */
export function modelNoticeListener(
  runtime: Runtime,
  session: Session,
  agent: Agent,
): Pick<ChainListener, "onFallback" | "onWait"> {
  return {
    onFallback: (notice) => report(runtime, agent, { type: "model_fallback", ...notice }),
    onWait: (notice) => report(runtime, agent, { type: "model_waiting", session_id: session.id, ...notice }),
  };
}
