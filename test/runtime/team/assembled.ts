import { join } from "node:path";
import { type AgentFile, checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { loadUserHooks } from "../../../src/config/hooks/hook-sources.ts";
import { parseDocument } from "../../../src/config/yaml/document.ts";
import { processEnv } from "../../../src/lib/env.ts";
import { type AssembledTeam, assembleTeam } from "../../../src/runtime/team/assemble.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Assembles the team of an agent file, and returns its warnings and log too. */
export async function assembled(
  root: Record<string, unknown>,
  more: {
    file?: Record<string, unknown>;
    files?: Record<string, string>;
    home?: string;
    idleTimeoutMs?: number;
    /** Changes the loaded file. */
    as?: (file: AgentFile) => AgentFile;
  } = {},
) {
  const file = {
    agents: { root: { model: "fake/model", instruction: "Help.", redact_secrets: false, ...root } },
    providers: { fake: { base_url: "http://127.0.0.1:1/v1" } },
    ...more.file,
  };
  const directory = tempDir(more.files);
  const warnings: string[] = [];
  const logged: string[] = [];
  const directories = { config: join(directory, "c"), data: join(directory, "d"), cache: join(directory, "e") };
  const document = await parseDocument(JSON.stringify(file), "agent.json");
  const { file: loaded, problems } = await checkAgentFile(document, directory);
  if (!loaded) throw new Error(JSON.stringify(problems));
  const team: AssembledTeam = await assembleTeam(more.as?.(loaded) ?? loaded, {
    workingDir: directory,
    env: { ...processEnv(), HOME: more.home ?? join(directory, "home") },
    directories,
    lookup: () => undefined,
    userHooks: await loadUserHooks({ directories, warn: () => {} }),
    configName: "agent",
    models: more.idleTimeoutMs === undefined ? {} : { idleTimeoutMs: more.idleTimeoutMs },
    log: (_level, message) => logged.push(message),
    warn: (message) => warnings.push(message),
  });
  const agent = team.team.agents.get("root");
  if (!agent) throw new Error("no agent");
  return { directory, team, agent, warnings, logged };
}
