import { join } from "node:path";
import type { Host } from "../host.ts";

/** Gemini CLI: `--yolo` offers the shell, and the variable makes the project trusted. */
export const gemini: Host = {
  name: "gemini",
  package: "@google/gemini-cli",
  command: "gemini",
  shell: { name: "run_shell_command", input: (command) => ({ command, description: "make a file" }) },
  file: { name: "write_file", input: (file_path) => ({ file_path, content: "x\n" }) },
  readers: {
    read: { name: "read_file", input: (file_path) => ({ file_path }) },
    search: { name: "grep_search", input: () => ({ pattern: "top-" }) },
  },
  start: ({ home, url }, prompt) => ({
    args: ["--yolo", "-m", "gemini-2.5-flash", "-p", prompt],
    env: { GEMINI_API_KEY: "dummy", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" },
    files: {
      [join(home, ".gemini/settings.json")]: JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
  }),
};
