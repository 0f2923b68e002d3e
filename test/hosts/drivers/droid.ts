import { join } from "node:path";
import { type Host, selecting } from "../host.ts";

/** Factory Droid with a model of the user's own; its service's address is the model server, which answers 404. */
export const droid: Host = {
  name: "droid",
  package: "@factory/cli",
  command: "droid",
  shell: {
    name: "Execute",
    input: (command) => ({ command, timeout: 30, riskLevel: "low", riskLevelReason: "makes one file" }),
  },
  file: { name: "Create", input: (file_path) => ({ file_path, content: "x\n" }) },
  cannot: ["prompt", "result"],
  search: selecting("ToolSearch", /Deferred tools:((?:\\n\w+)+)/g),
  start: ({ home, url }, prompt) => ({
    args: ["exec", "--auto", "high", "-m", "custom:fake-0", prompt],
    env: { FACTORY_API_KEY: "fk-dummy", FACTORY_API_BASE_URL: url },
    files: {
      [join(home, ".factory/settings.json")]: JSON.stringify({
        customModels: [
          {
            model: "fake",
            id: "custom:fake-0",
            index: 0,
            displayName: "fake",
            baseUrl: `${url}/v1`,
            apiKey: "dummy",
            provider: "generic-chat-completion-api",
            maxOutputTokens: 1000,
          },
        ],
      }),
    },
  }),
};
