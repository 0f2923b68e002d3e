import { join } from "node:path";
import { type Host, selecting } from "../host.ts";

/** Qwen Code: `--yolo` offers the shell. */
export const qwen: Host = {
  name: "qwen",
  package: "@qwen-code/qwen-code",
  command: "qwen",
  shell: {
    name: "run_shell_command",
    input: (command) => ({ command, description: "make a file", is_background: false }),
  },
  file: { name: "write_file", input: (file_path) => ({ file_path, content: "x\n" }) },
  cannot: ["result"],
  search: selecting("tool_search", /- \\"(\w+)\\": \\"/g),
  start: ({ home, url }, prompt) => ({
    args: ["--yolo", "-p", prompt],
    env: { OPENAI_API_KEY: "dummy", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "fake-model" },
    files: {
      [join(home, ".qwen/settings.json")]: JSON.stringify({
        security: { auth: { selectedType: "openai" } },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
  }),
};
