import { join } from "node:path";
import type { Host } from "../host.ts";

/** opencode: the npm registry of its start is the model server, which answers 404. */
export const opencode: Host = {
  name: "opencode",
  package: "opencode-ai",
  command: "opencode",
  shell: { name: "bash", input: (command) => ({ command, description: "make a file" }) },
  file: { name: "write", input: (filePath) => ({ filePath, content: "x\n" }) },
  readers: {
    read: { name: "read", input: (filePath) => ({ filePath }) },
    search: { name: "grep", input: () => ({ pattern: "top-" }) },
    agent: { name: "task", input: () => ({ description: "say", prompt: "say", subagent_type: "general" }) },
  },
  cannot: ["stop", "context"],
  start: ({ project, url }, prompt) => ({
    args: ["run", "-m", "fake/fake-model", prompt],
    env: { npm_config_registry: url, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
    files: {
      [join(project, "opencode.json")]: JSON.stringify({
        provider: {
          fake: {
            npm: "@ai-sdk/openai-compatible",
            name: "fake",
            options: { baseURL: `${url}/v1`, apiKey: "dummy" },
            models: { "fake-model": { name: "fake-model" } },
          },
        },
      }),
    },
  }),
};
