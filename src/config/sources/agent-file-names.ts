/** The names of the agent file of a project, and of a folder that the user names. The first one that exists is used. */
export const AGENT_FILE_NAMES = [
  "hooksh.yaml",
  "hooksh.yml",
  "docker-agent.yaml",
  "docker-agent.yml",
  "agent.yaml",
  "agent.yml",
] as const;
