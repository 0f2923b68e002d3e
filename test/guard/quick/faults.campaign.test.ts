/** What fails around a dispatch, and within its hooks: no failure allows a call, whichever part of hooksh meets it. */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { bothWays, type Call } from "../../helpers/both-ways.ts";

const OWN = {
  session_id: "s1",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "t1",
  tool_input: { cmd: "ls -la" },
};

const CLAUDE = {
  session_id: "s1",
  cwd: "/tmp",
  transcript_path: "/tmp/t.jsonl",
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_use_id: "t1",
  tool_input: { command: "ls -la" },
};

/** The call of hooksh's own event, and the one that `install claude` registers. */
const CALLS: Record<string, { event: object; args: string[] }> = {
  "an own event": { event: OWN, args: [] },
  "an event of Claude Code": {
    event: CLAUDE,
    args: "--dialect claude --event PreToolUse --guards-stay --proof --deadline 54s".split(" "),
  },
};

/** What a hook ends with after it has read the event: nothing, or a denial. */
const ENDS: Record<string, string> = { silence: "true", "a denial": "echo no >&2; exit 2" };

interface Fault extends Pick<Call, "line" | "before" | "env"> {
  /** It depends on how much a way takes whether hooks can run. */
  starves?: true;
  needs?: string;
}

const AUDIT = '"$HOME/.hooksh/audit"';
const LOG = `${AUDIT}/$(date -u +%Y-%m).jsonl`;
const NOTES = '"$HOME/.hooksh/heartbeats"';
const EVENT = '"$CALL_DIR/event"';

const FAULTS: Record<string, Fault> = {
  "standard output is closed": { line: `exec "$@" >&-` },
  "standard output is full": { line: `exec "$@" > /dev/full`, needs: "/dev/full" },
  "nobody reads standard output": { line: 'exec 3> >(true); wait $!; exec "$@" >&3 3>&-' },
  "standard error is closed": { line: `exec "$@" 2>&-` },
  "standard error is full": { line: `exec "$@" 2> /dev/full`, needs: "/dev/full" },
  "standard input is closed": { line: `exec "$@" <&-` },
  "all streams are closed": { line: `exec "$@" <&- >&- 2>&-` },
  "only standard input is open": { line: `exec "$@" < ${EVENT} >&- 2>&-` },
  "standard input is the null device": { line: `exec "$@" < /dev/null` },
  "standard input never ends": { line: `exec "$@" < /dev/zero` },
  "standard input is a folder": { line: `exec "$@" < /` },
  "standard input is a file": { line: `exec "$@" < ${EVENT}` },
  "standard input stays open": { line: `(cat ${EVENT}; exec sleep 0.7) | "$@"` },
  "standard input stops in the middle": { line: `head -c 60 ${EVENT} | "$@"` },
  "standard input is slow": { line: `(head -c 60 ${EVENT}; sleep 0.2; tail -c +61 ${EVENT}) | "$@"` },
  "standard input is a bit slow": { line: `(head -c 60 ${EVENT}; sleep 0.01; tail -c +61 ${EVENT}) | "$@"` },
  "files may have no bytes": { line: `ulimit -f 0; exec "$@"` },
  "files may have a kilobyte": {
    line: `ulimit -f 1; exec "$@"`,
    before: `head -c 2000 /dev/zero | tr '\\0' '\\n' >> ${LOG}`,
  },
  "no shell": { env: { SHELL: "/nonsuch" } },
  "a shell that is a folder": { env: { SHELL: "/tmp" } },
  "a shell that is no program": { env: { SHELL: "/etc/hostname" } },
  "the ends of processes are discarded": { line: `trap '' CHLD; exec "$@"` },
  "signals are ignored": { line: `trap '' TERM INT HUP PIPE; exec "$@"` },
  "a small stack": { line: `ulimit -s 300; exec "$@"` },
  "the folder is gone": { line: `mkdir -p x; cd x; rmdir ../x; exec "$@" --hooks-file "$CALL_DIR/hooks.yaml"` },
  "the lock of the log is a folder": { before: `rm -rf ${AUDIT}/lock; mkdir ${AUDIT}/lock` },
  "the lock of the log is a FIFO": { before: `rm -f ${AUDIT}/lock; mkfifo ${AUDIT}/lock` },
  "the lock of the log is a link": { before: `rm -f ${AUDIT}/lock; ln -s /dev/null ${AUDIT}/lock` },
  "the log is a folder": { before: `rm -rf ${LOG}; mkdir ${LOG}` },
  "the log is a FIFO": { before: `rm -f ${LOG}; mkfifo ${LOG}` },
  "the log is a link to a full device": { before: `rm -f ${LOG}; ln -s /dev/full ${LOG}` },
  "the log is empty": { before: `: > ${LOG}` },
  "the last line of the log is torn": { before: `printf torn >> ${LOG}` },
  "the log is no folder": { before: `rm -rf ${AUDIT}; touch ${AUDIT}` },
  "the log is gone": { before: `rm -rf ${AUDIT}` },
  "the notes are no folder": { before: `rm -rf ${NOTES}; touch ${NOTES}` },
  "notes are folders": {
    before: `rm -rf ${NOTES}; mkdir -p ${NOTES}/claude.PreToolUse; mkdir ${NOTES}/canary-claude-word`,
  },
  "another process holds the log": { line: `flock ${AUDIT}/lock sleep 0.4 & sleep 0.05; "$@"`, needs: "flock" },
  "the hooks file is gone": { before: "rm -f hooks.yaml" },
  "the hooks file is empty": { before: ": > hooks.yaml" },
  "the hooks file is a folder": { before: "rm -rf hooks.yaml; mkdir hooks.yaml" },
  "the hooks file is a FIFO": { before: "rm -f hooks.yaml; mkfifo hooks.yaml" },
  "the hooks file is a link to itself": { before: "ln -sf hooks.yaml hooks.yaml" },
  "the folder of settings is a file": { before: `mkdir -p "$HOME/.config"; touch "$HOME/.config/hooksh"` },
  ...Object.fromEntries(
    [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16].map((most): [string, Fault] => [
      `${most} open files`,
      { line: `ulimit -n ${most}; exec "$@"`, starves: true },
    ]),
  ),
  ...Object.fromEntries(
    [200, 300, 400, 450, 500, 550, 600, 800].map((most): [string, Fault] => [
      `${most} MB of memory`,
      { line: `ulimit -c 0; ulimit -v ${most}000; exec "$@"`, starves: true },
    ]),
  ),
};

function isThere(need: string): boolean {
  return need.startsWith("/") ? existsSync(need) : Bun.which(need) !== null;
}

/** What an agent takes as leave to run the call. */
function allows({ code, stdout }: { code: number | null; stdout: string }, isProved: boolean): boolean {
  return code === 0 && (isProved ? stdout.endsWith("\nhooksh:0\n") && !stdout.includes("deny") : true);
}

describe.each(Object.keys(CALLS))("%s", (name) => {
  const { event = {}, args = [] } = CALLS[name] ?? {};
  const cases = Object.keys(FAULTS).flatMap((fault) => Object.keys(ENDS).map((end) => [fault, end] as const));
  test.concurrent.each(cases.filter(([fault]) => isThere(FAULTS[fault]?.needs ?? "/")))(
    "%s: %s",
    async (fault, end) => {
      const { starves, needs: _, ...broken } = FAULTS[fault] ?? {};
      const command = `cat >> "$CALL_DIR/ran" || exit; ${ENDS[end]}`;
      const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command }] }] };
      const call: Call = { hooks, event, args, files: { event: JSON.stringify(event) }, ...broken };
      const { quick, engine } = await bothWays(call);
      if (!starves) expect(quick).toEqual(engine);
      // A call is allowed only if its guard has run and was silent.
      for (const did of [quick, engine])
        if (allows(did, args.length > 0))
          expect({ end, hasRun: did.ran !== "" }).toEqual({ end: "silence", hasRun: true });
    },
  );
});
