import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { omitEmpty } from "../lib/json.ts";
import { joinLoaded, type LoadedText } from "../protocol/builtin.ts";
import { contractOf, EVENTS, type EventInput, type EventName, type EventPayload } from "../protocol/events.ts";
import { contextOutput } from "../protocol/output.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { DispatchOptions, JudgeFile } from "./dispatch-options.ts";
import type { LaneRun, RanHook } from "./dispatch-record.ts";
import type { Outcome } from "./handler.ts";

/** The builtin that loads prompt files. */
const LOADER = "add_prompt_files";

const REJECTED = EVENTS.prompt_file_guard.rejection;

/** The hooks of a dispatch after they ran. */
interface Loading {
  event: EventName;
  payload: Payload;
  lanes: readonly LaneRun[];
  options: DispatchOptions;
}

/** The executor of the guards. */
interface Guards {
  dispatch(
    event: "prompt_file_guard",
    payload: EventPayload<"prompt_file_guard">,
    options: DispatchOptions,
  ): Promise<Pick<AnyResult, "allowed" | "message" | "system_message">>;
}

/**
 * Has `prompt_file_guard` judge the texts that the hooks of a dispatch loaded, in their order, and takes the first that
 * is rejected, and all texts behind it, out of the outcomes. Returns the message of the rejection, if there is one, and
 * what the result must warn of, unless the caller of the dispatch has its own way of asking. A file that cannot be read counts as rejected, and so does all that a failed loader should have added.
 */
export async function guardPromptFiles(
  { event, payload, lanes, options }: Loading,
  executor: Guards,
): Promise<{ rejection: string | undefined; warning: string }> {
  const { session_id, cwd, agent_name } = payload as EventInput;
  const scope = { session_id, cwd, ...omitEmpty({ agent_name }) };
  const { signal, warn, judgeFile } = options;
  const warnings: (string | undefined)[] = [];
  const askHere: JudgeFile = async (file) => {
    const verdict = await executor.dispatch(
      "prompt_file_guard",
      { ...scope, ...file },
      { signal, ...(warn && { warn }) },
    );
    warnings.push(verdict.system_message);
    return verdict;
  };
  const judge = judgeFile ?? askHere;
  let rejection: string | undefined;
  for (const ran of lanes.flatMap((lane) => lane.ran.filter(isLoader))) {
    const { outcome } = ran;
    if (outcome.kind === "failed") {
      rejection ??= `${REJECTED} (${LOADER}: ${outcome.error})`;
      continue;
    }
    const approved: LoadedText[] = [];
    for (const text of textsOf(ran)) {
      rejection ??= await rejectionOf(text, judge);
      if (rejection !== undefined) break;
      approved.push(text);
    }
    ran.outcome = withTexts(event, outcome, approved);
  }
  if (!judgeFile) warnings.push(rejection);
  return { rejection, warning: warnings.filter(Boolean).join("\n") };
}

/** True for a hook whose texts `prompt_file_guard` judges. */
export function loadsPromptFiles({ event, hook: { type, command } }: Pick<HookEntry, "event" | "hook">): boolean {
  return type === "builtin" && command === LOADER && contractOf(event).context !== undefined;
}

function isLoader(ran: RanHook): boolean {
  return loadsPromptFiles(ran) && !ran.observed;
}

function textsOf({ call }: RanHook): readonly LoadedText[] {
  return call?.output?.kind === "returned" ? (call.output.loaded ?? []) : [];
}

async function rejectionOf({ path, content, isUnreadable }: LoadedText, judge: JudgeFile): Promise<string | undefined> {
  if (isUnreadable) return `${REJECTED} (${path}: cannot be read)`;
  const file = path === undefined ? { content } : { path, content };
  const verdict = await judge({ source: "loaded", prompt_file: file });
  return verdict?.allowed ? undefined : (verdict?.message ?? REJECTED);
}

function withTexts(event: EventName, outcome: Outcome, texts: readonly LoadedText[]): Outcome {
  if (outcome.kind !== "answered") return outcome;
  const { hook_specific_output: _all, ...output } = outcome.output;
  return { ...outcome, output: { ...output, ...contextOutput(event, joinLoaded(texts)) } };
}
