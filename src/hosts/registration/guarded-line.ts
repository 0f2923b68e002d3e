import type { Dialect } from "../../dialects/dialect.ts";
import { encodeFailure, isGuarded } from "../../dialects/encode.ts";

/** How a registered command line refuses without hooksh. */
export interface Refusal {
  /** A denial in the bytes of the host; empty for a host that reads only the exit code. */
  stdout: string;
  exitCode: 0 | 2;
  /** How long the line waits for hooksh. */
  seconds: number;
}

/** The reason of a denial if hooksh cannot run, dies or hangs. */
const NO_ANSWER = "no answer, so this is refused";

/** Returns how the line for an event refuses. Undefined for an event that a hook cannot refuse. */
export function refusalFor(dialect: Dialect, event: string, seconds: number): Refusal | undefined {
  const row = dialect.events[event];
  if (!row || !isGuarded(row, {})) return undefined;
  const { stdout, exitCode } = encodeFailure(dialect, event, {}, NO_ANSWER);
  return { stdout, exitCode, seconds };
}

/**
 * Returns the words that run the command after them, pass its answer on if it ends with proof, and refuse otherwise.
 * `sh`, because the user's shell may be another one; only what POSIX has, so neither `timeout` nor job control. The
 * first half runs hooksh, and kills it after a while: SIGKILL ends a stopped process too. The second half reads the
 * three lines of `dispatch --proof` and a fourth, which comes when hooksh has ended. It gets empty lines if hooksh has
 * not answered, or cannot even be killed because its disk is gone; it does not wait for the end of the file, because a
 * child of hooksh may hold the pipe open. The same holds for standard error, which hooksh therefore does not get. `exec`
 * redirects it, because dash keeps a copy of what it redirects for a group of commands.
 */
export function guardWords({ stdout, exitCode, seconds }: Refusal): string[] {
  return ["sh", "-c", scriptOf(seconds, exitCode), stdout];
}

function scriptOf(seconds: number, exitCode: 0 | 2): string {
  const end = String.raw`printf "\n\n\n\n"`;
  const timer = String.raw`{ trap "kill -9 \$! ; exit" TERM; sleep ${seconds} & wait $! ; kill -9 $pid; ${end}; } & timer=$!`;
  const run = `{ exec 3<&0 2>/dev/null; { "$@" <&3 3<&- & pid=$! ; ${timer} ; wait $pid; kill $timer; ${end}; } & }`;
  const pass = 'printf %b "$err" >&2; printf %b "$out" && exit ${proof#*:}';
  const refuse = `echo "hooksh: ${NO_ANSWER}" >&2; printf %s "$0"${exitCode === 0 ? " ||" : ";"} exit 2`;
  const read = "IFS=; read -r out; read -r err; read -r proof; read -r ended";
  return `${run} | { ${read}; case $proof in hooksh:[02]) ${pass};; esac; ${refuse}; }`;
}

/** Reads the words that {@link guardWords} returned, and those after them. */
export function readGuardWords(words: readonly string[]): { refusal?: Refusal; rest: readonly string[] } {
  const [shell, flag, script = "", stdout = ""] = words;
  if (shell !== "sh" || flag !== "-c") return { rest: words };
  if (script === EARLIER_SCRIPT) return { rest: words.slice(3) };
  const seconds = Number(/ sleep (\d+) /.exec(script)?.[1]);
  const exitCode = ([0, 2] as const).find((code) => scriptOf(seconds, code) === script);
  return exitCode === undefined ? { rest: words } : { refusal: { stdout, exitCode, seconds }, rest: words.slice(4) };
}

/** What an earlier version registered for some hosts: it wants no proof. */
const EARLIER_SCRIPT = '"$0" "$@" || { echo "hooksh did not answer, so this is refused" >&2; exit 2; }';
