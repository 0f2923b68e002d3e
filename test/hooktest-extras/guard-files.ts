/** A guard that refuses one spelling of a force push, in a hooks file with a test file. */
export const NAIVE_GUARD: Readonly<Record<string, string>> = {
  "guard.sh!x": `#!/bin/sh
case "$(cat)" in *'"cmd":"git push --force'*) echo "use a new branch" >&2; exit 2;; esac
`,
  "hooks.yaml": `pre_tool_use:
  - matcher: shell|run_background_job
    hooks:
      - {type: command, name: guard, command: ./guard.sh, timeout: 60}
`,
  "guard.hooktest.yaml": `hooks: ./hooks.yaml
defaults: {event: pre_tool_use, tool: shell}
tests:
  - name: a force push is refused
    each: ["git push --force origin main"]
    input: {cmd: "$each"}
    expect: {decision: deny}
  - name: reading needs no guard
    input: {cmd: git status}
    expect: {decision: none}
`,
};

/** A guard that refuses everything, so that no spelling passes it. */
export const STRICT_GUARD: Readonly<Record<string, string>> = {
  ...NAIVE_GUARD,
  "guard.sh!x": "#!/bin/sh\necho no >&2; exit 2\n",
  "guard.hooktest.yaml": `hooks: ./hooks.yaml
defaults: {event: pre_tool_use, tool: shell}
tests:
  - name: nothing runs
    each: ["git push --force origin main"]
    input: {cmd: "$each"}
    expect: {decision: deny}
`,
};

/** The objects of a JSON output, one per line. */
export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
