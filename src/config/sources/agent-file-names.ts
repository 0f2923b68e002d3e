/** What a project's own agent file may be called, best first. Source: config-and-cli 7.1. */
export const PROJECT_FILE_NAMES = ["hooksh.yaml", "hooksh.yml", "docker-agent.yaml", "docker-agent.yml"] as const;

/** What an agent file may be called in a folder that was named. Source: config-and-cli 7.1. */
export const AGENT_FILE_NAMES = [...PROJECT_FILE_NAMES, "agent.yaml", "agent.yml"] as const;
