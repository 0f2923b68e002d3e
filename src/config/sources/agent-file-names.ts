/** The names of a project's agent file. The first one that exists is used. */
export const PROJECT_FILE_NAMES = ["hooksh.yaml", "hooksh.yml", "docker-agent.yaml", "docker-agent.yml"] as const;

/** The names of the agent file in a folder that the user names. The first one that exists is used. */
export const AGENT_FILE_NAMES = [...PROJECT_FILE_NAMES, "agent.yaml", "agent.yml"] as const;
