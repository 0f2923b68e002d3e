import { chmodSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";

/** A guard that refuses force pushes, and pushes after a tool call that failed in the same session. */
export const GUARD = `#!/bin/sh
event=$(cat)
state=\${TMPDIR:-/tmp}/hooksh-guard-$(printf '%s' "$event" | sed -n 's/.*"session_id":"\\([^"]*\\)".*/\\1/p')
case $event in
  *'"hook_event_name":"post_tool_use"'*)
    case $event in *'"tool_error":true'*) : > "$state" ;; esac ;;
  *'"cmd":"git'*push*--force*|*'"cmd":"git'*push*' -f'*|*'"cmd":"git'*push*' +'*)
    echo "no force push: make a new branch" >&2; exit 2 ;;
  *'"cmd":"git push'*)
    if [ -e "$state" ]; then rm "$state"; echo "the tests are red" >&2; exit 2; fi ;;
esac
`;

export const AGENT = `models: { small: { provider: openai, model: gpt-4o } }
agents:
  root:
    model: small
    description: Pushes.
    instruction: Push.
    toolsets: [{ type: shell }]
    hooks:
      pre_tool_use:
        - matcher: shell
          hooks: { type: command, command: ./guard.sh, timeout: 20 }
        - matcher: fetch
          hooks: { type: model, name: judge, model: small, prompt: "Fine?", schema: pre_tool_use_decision }
      post_tool_use:
        - matcher: shell
          hooks: { type: command, command: ./guard.sh, timeout: 20 }
`;

/** The name of an access key of AWS, in two parts so that no scanner finds it here. */
const KEY = ["AKIA", "QYLPMN5HHHFPZAM2"].join("");

/** The first lines of a test file. */
export const HEAD = `hooks: ./agent.yaml              # an agent file or hooks file, relative to this file; agent: root
defaults: { event: pre_tool_use, tool: shell }
stubs: { judge: { decision: allow } }       # by hook name: this hook is not run, this is its answer
tests:
`;

/** A test file with every kind of test. */
export const EXAMPLE = `# guard.hooktest.yaml
${HEAD}  - name: a force push is refused, however it is spelled
    each: ["git push --force", "git push -f origin main", "git  push origin +main"]
    input: { cmd: "$each" }
    expect: { decision: deny, by: guard.sh, message: /new branch/, within: 20s }
  - name: reading needs no guard
    input: { cmd: git status }
    expect: { decision: none, ran: [guard.sh], not_ran: [judge] }
  - name: no push after red tests
    session:
      - { event: post_tool_use, input: { cmd: npm test }, tool_response: "1 failing", tool_error: true }
      - { input: { cmd: git push }, expect: { decision: deny } }
  - name: a dead guard blocks
    fault: { hook: guard.sh, kinds: [missing, crash, hang, garbage, killed] }
    input: { cmd: ls }
    expect: { decision: deny }
  - name: secrets are taken out
    event: tool_response_transform
    tool_response: "key ${KEY}"
    expect: { tool_response: /\\[REDACTED\\]/ }
  - from: recordings/*.jsonl      # every recorded event; verdicts are held in a file, --update rewrites it
    verdicts: verdicts.snap.yaml
`;

const recorded = (cmd: string) => ({
  session_id: "s1",
  cwd: "/home/user/project",
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_input: { cmd },
});

/** A folder with the guard, an agent that has it, a recording, and more files. */
export function exampleFolder(files: Record<string, string> = {}): string {
  const lines = ["git status", "git push --force"].map((cmd) => JSON.stringify({ event: recorded(cmd) }));
  const folder = tempDir({
    "agent.yaml": AGENT,
    "guard.sh": GUARD,
    "recordings/s1.jsonl": `${lines.join("\n")}\n`,
    ...files,
  });
  chmodSync(join(folder, "guard.sh"), 0o755);
  return folder;
}
