import type { Host } from "../host.ts";

/**
 * Cline CLI: its hooks are executables, and one that is emptied is an empty script, so nothing of hooksh is left in it.
 * `auth` stores the address of the model; auto-approval is its default.
 */
export const cline: Host = {
  name: "cline-sdk",
  package: "cline",
  command: "cline",
  shell: { name: "run_commands", input: (command) => ({ commands: [command] }) },
  file: { name: "editor", input: (path) => ({ path, new_text: "x\n" }) },
  cannot: ["prompt", "stop", "result", "context", "vanished"],
  start: ({ url }, prompt) => ({
    before: ["auth", "-p", "openai-compatible", "-k", "dummy", "-m", "fake-model", "-b", `${url}/v1`],
    args: ["-P", "openai-compatible", "-m", "fake-model", prompt],
    env: {},
  }),
};
