import type { Host } from "../host.ts";

/** GitHub Copilot CLI with a model service of the user's own: no login, no network. */
export const copilot: Host = {
  name: "copilot",
  package: "@github/copilot",
  command: "copilot",
  shell: { name: "bash", input: (command) => ({ command, description: "make a file" }) },
  file: { name: "create", input: (path) => ({ path, file_text: "x\n" }) },
  readers: {
    read: { name: "view", input: (path) => ({ path }) },
    search: { name: "grep", input: (path) => ({ pattern: "top-", path, output_mode: "content" }) },
  },
  start: ({ url }, prompt) => ({
    args: ["-p", prompt, "--allow-all-tools", "--trust-folder"],
    env: {
      COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
      COPILOT_PROVIDER_API_KEY: "dummy",
      COPILOT_MODEL: "gpt-4.1",
      COPILOT_OFFLINE: "true",
    },
  }),
};
