import { join } from "node:path";
import type { Host } from "../host.ts";

/** Codex: its own sandbox and approvals are off, the project is trusted, and the hook by a flag. */
export const codex: Host = {
  name: "codex",
  package: "@openai/codex",
  command: "codex",
  shell: { name: "exec_command", input: (cmd) => ({ cmd }) },
  file: {
    name: "apply_patch",
    input: (path) => `*** Begin Patch\n*** Add File: ${path}\n+x\n*** End Patch\n`,
  },
  search: () => [{ call: "tool_search", input: { query: "agent", limit: 50 } }],
  start: ({ home, project, url }, prompt) => ({
    args: [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      "--dangerously-bypass-hook-trust",
      prompt,
    ],
    env: { FAKE_KEY: "dummy" },
    files: {
      [join(home, ".codex/config.toml")]: `model = "gpt-5.5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"

[projects.${JSON.stringify(project)}]
trust_level = "trusted"
`,
    },
  }),
};
