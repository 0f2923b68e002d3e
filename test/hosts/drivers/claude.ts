import { type Host, selecting } from "../host.ts";

/** Claude Code: print mode counts as trusted; `--allowedTools` grants the shell. */
export const claude: Host = {
  name: "claude",
  package: "@anthropic-ai/claude-code",
  command: "claude",
  shell: { name: "Bash", input: (command) => ({ command, description: "make a file" }) },
  file: { name: "Write", input: (file_path) => ({ file_path, content: "x\n" }) },
  search: selecting("ToolSearch", /before calling them:((?:\\n\w+)+)/g),
  readers: {
    read: { name: "Read", input: (file_path) => ({ file_path }) },
    search: { name: "Grep", input: (path) => ({ pattern: "top-", path, output_mode: "content" }) },
    agent: {
      name: "Agent",
      input: () => ({ description: "say", prompt: "say", subagent_type: "general-purpose", run_in_background: false }),
    },
  },
  start: ({ url }, prompt) => ({
    args: ["-p", prompt, "--allowedTools", "Bash,Write,Read,Grep,Agent,mcp__mem"],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "dummy",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  }),
};
