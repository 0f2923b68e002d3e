/** What a project's own agent file may be called, best first. Source: config-and-cli 7.1. */
export const PROJECT_FILES = ["hooksh.yaml", "hooksh.yml", "docker-agent.yaml", "docker-agent.yml"] as const;

/** What an agent file may be called in a folder that was named. Source: config-and-cli 7.1. */
export const DIRECTORY_FILES = [...PROJECT_FILES, "agent.yaml", "agent.yml"] as const;
