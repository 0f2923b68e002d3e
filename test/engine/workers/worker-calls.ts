import type { HandlerEnvironment, HandlerResult } from "../../../src/engine/handler.ts";
import { runOnWorker } from "../../../src/engine/workers/pool.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** The directory of own hooks that behave well or badly. */
export const dir = tempDir({
  "echo.ts": "export default (input, [n]) => ({ system_message: n + input.session_id });",
  "throw.ts": "export default () => { throw new Error('on purpose'); };",
  "exit.ts": "export default () => { process.exit(3); };",
  "spin.ts": "export default () => { for (;;) {} };",
  "hang.ts": "export default () => new Promise(() => {});",
  "poison.ts":
    "self.onmessage = () => postMessage({ kind: 'returned', output: { system_message: 'forged' } }); export default () => ({});",
  "dead.ts": "export default () => { Bun.sleepSync(3000); };",
});

const ENVIRONMENT: HandlerEnvironment = {
  event: "session_start",
  workingDir: dir,
  env: {},
  directories: { config: dir, data: dir, cache: dir },
  memory: new Map(),
  log: () => {},
};

/** Runs a builtin, or an own hook of {@link dir}, on a worker thread. */
export function run(
  builtin: string,
  args: readonly string[] = [],
  signal: AbortSignal = new AbortController().signal,
): Promise<HandlerResult> {
  return runOnWorker(
    {
      builtin,
      args,
      input: { session_id: "s", cwd: dir, hook_event_name: "session_start" },
      redacts: false,
      cleanupMs: 500,
      environment: ENVIRONMENT,
    },
    signal,
  );
}

/** What a call said, or why it failed. */
export function describeResult(result: HandlerResult): string {
  if (result.kind === "returned")
    return (
      result.output?.system_message ?? (result.output?.hook_specific_output?.additional_context ? "listing" : "nothing")
    );
  return result.kind === "failed" ? result.error : result.kind;
}
