import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeAgentDatabase } from "../helpers/docker-agent-database.ts";

// Writes what docker-agent leaves in a home directory: sessions, aliases, settings, a hooks file and a theme.
const home = process.argv[2] ?? "";
const project = join(home, "project");

const user = (content: string) => ({ message: { role: "user", content } });
const answer = (content: string, cost: number) => ({
  agent_name: "root",
  message: { role: "assistant", content, model: "openai/gpt-5", cost, finish_reason: "stop" },
});

writeAgentDatabase(join(home, ".cagent/session.db"), [
  {
    id: "0b7c7f3e-2f5d-4d0c-9a53-6f0d8f1c2a10",
    title: "Why the login fails",
    created_at: "2026-11-20T09:12:00+01:00",
    working_dir: project,
    cost: 0.04,
    items: [user("Why does the login fail?"), answer("The token has expired since Tuesday.", 0.04)],
  },
  {
    id: "5d1f0a52-64f4-4b6a-8a0e-0c1b8c9d7e21",
    title: "Clean up the branches",
    created_at: "2026-11-21T16:40:00+01:00",
    working_dir: project,
    tools_approved: 1,
    safety_policy: "autonomous",
    cost: 0.01,
    items: [user("Which branches are merged?"), answer("fix-login and docs.", 0.01)],
  },
  { id: "e8a4c1d7-90b2-4c53-b7a1-1d2e3f405162", title: "Interrupted", created_at: "2026-11-22T08:00:00+01:00" },
]);

const files: Readonly<Record<string, string>> = {
  ".config/cagent/config.yaml": `version: v1
default_model: openai/gpt-5
aliases:
  coder:
    path: agentcatalog/coder
    model: openai/gpt-5-mini
  cleaner:
    path: ${project}/agent.yaml
    yolo: true
settings:
  theme: dracula
  snapshot: true
  permissions:
    deny: ["shell:cmd=sudo*"]
  hooks:
    session_start:
      - type: command
        command: echo "Never work on main."
`,
  ".config/cagent/hooks.d/50-notify.yaml": `stop:
  - type: command
    command: date >> "$HOME/.agent-stops"
`,
  ".cagent/themes/mine.yaml": 'colors: { accent: "#4fc3f7" }\n',
};
for (const [name, text] of Object.entries(files)) {
  const path = join(home, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}
