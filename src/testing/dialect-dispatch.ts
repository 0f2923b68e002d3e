import { type DialectName, dialectRow } from "../dialects/names.ts";
import { judgeHost } from "../guard/dispatch/judge-host.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { askedOf, composeStep, readAnswer } from "./dialect-bytes.ts";
import type { StepDispatch } from "./step-dispatch.ts";

/**
 * Dispatches a step as another agent does: writes the event as its bytes, has `dispatch --dialect` judge it, and reads
 * the answer by the agent's rules. Throws if the agent would not understand the answer.
 */
export function dialectDispatch(name: DialectName): StepDispatch {
  return async ({ open, step, payload, settings }) => {
    const { dialect } = await dialectRow(name).load();
    const composed = composeStep(dialect, step.event, payload);
    // A host sends text, so only JSON values arrive.
    const sent = JSON.parse(JSON.stringify(composed.payload)) as Payload;
    const host = { dialect: name, event: composed.event, payload: sent };
    const { directories, log, signal } = settings;
    const encoded = await judgeHost(
      dialect,
      host,
      {
        load: async () => ({ executor: open, log, dataDir: directories.data }),
        directories: () => directories,
        ask: "deny",
        startedAt: performance.now(),
        deadlineMs: undefined,
        workingDir: undefined,
        defaults: { session_id: String(payload["session_id"]), cwd: String(payload["cwd"]) },
        signal,
      },
      () => {},
    );
    const answer = readAnswer(askedOf(name, step.event, composed), encoded, payload);
    if (typeof answer !== "string") return answer;
    throw new Error(`${name} would not understand the answer: ${answer}: ${encoded.stdout || encoded.stderr}`);
  };
}
