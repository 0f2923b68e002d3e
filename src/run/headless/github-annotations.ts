import { type AnnotatedPlace, annotation } from "../../cli/workflow-commands.ts";
import type { Env } from "../../lib/env.ts";
import type { DecidingHook } from "../../protocol/fields.ts";
import { adviceFor, groupDenied, reasonBeside } from "./denied-report.ts";
import type { RunAccount } from "./run-account.ts";

/** GitHub shows at most this many errors and this many warnings of one step. */
const MAX_SHOWN = 10;
const MAX_MESSAGE = 2000;

/**
 * Returns the annotations of a run: an error for what ended it, and a warning for each call that was denied, which is an
 * error with `--fail-on-denied`. Each is at the hook that decided, if that is in a file of the repository.
 */
export function annotationsOf({ ledger, limit, failsOnDenied }: RunAccount, env: Env): string[] {
  const error = (message: string, place?: AnnotatedPlace) =>
    annotation("error", { title: "hooksh run", message: message.slice(0, MAX_MESSAGE), place, env });
  const ends = [
    ...(limit ? [error(`stopped by ${limit.flag}: ${limit.message}`)] : []),
    ...ledger.errors.map(({ message, hooks }) => error(message, placeOf(hooks))),
  ];
  const denied = groupDenied(ledger.denied).map((call) => {
    const advice = adviceFor(call);
    const times = call.times > 1 ? ` (${call.times} times)` : "";
    const message = `${call.text}${times}: ${reasonBeside(call) || "denied"}${advice ? `\nTo allow it: ${advice}` : ""}`;
    const title = `hooksh: ${call.tool} denied`;
    return annotation(failsOnDenied ? "error" : "warning", {
      title,
      message: message.slice(0, MAX_MESSAGE),
      place: placeOf(call.hooks),
      env,
    });
  });
  return [...ends.slice(0, MAX_SHOWN), ...denied.slice(0, MAX_SHOWN)];
}

/** Returns the place of an error of the configuration, which starts with `hooks.yaml:6:18: `. */
export function placeOfProblem(problem: string): AnnotatedPlace | undefined {
  return parsePlace(/^\S+?:\d+(:\d+)?(?=: )/.exec(problem)?.[0]);
}

function placeOf([first]: readonly DecidingHook[]): AnnotatedPlace | undefined {
  return parsePlace(first?.source);
}

function parsePlace(text: string | undefined): AnnotatedPlace | undefined {
  const [, file, line, column] = /^(.+?):(\d+)(?::(\d+))?$/.exec(text ?? "") ?? [];
  if (file === undefined) return undefined;
  return { file, line: Number(line), ...(column === undefined ? {} : { column: Number(column) }) };
}
