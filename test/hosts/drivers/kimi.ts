import { join } from "node:path";
import type { Host } from "../host.ts";

/** Kimi Code CLI; it needs Node 22.19 or newer. */
export const kimi: Host = {
  name: "kimi",
  package: "@moonshot-ai/kimi-code",
  command: "kimi",
  shell: { name: "Bash", input: (command) => ({ command }) },
  file: { name: "Write", input: (path) => ({ path, content: "x\n" }) },
  cannot: ["project", "result", "feedback", "context"],
  start: ({ home, url }, prompt) => ({
    args: ["-p", prompt],
    env: {
      KIMI_CODE_HOME: join(home, ".kimi-code"),
      KIMI_MODEL_NAME: "fake-model",
      KIMI_MODEL_API_KEY: "dummy",
      KIMI_MODEL_PROVIDER_TYPE: "openai",
      KIMI_MODEL_BASE_URL: `${url}/v1`,
    },
  }),
};
