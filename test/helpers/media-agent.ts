import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "./binary.ts";
import { tempDir } from "./temp-dir.ts";

/** A working directory with files and an agent with the `filesystem` toolset, and runs of the executable in it. */
export function mediaAgent(
  model: Record<string, unknown>,
  files: Record<string, Buffer | string>,
  provider: Record<string, unknown> = {},
) {
  const agent = {
    agents: {
      root: { model: "main", description: "Test agent", instruction: "Help.", toolsets: [{ type: "filesystem" }] },
    },
    models: { main: model },
    providers: { own: { base_url: "http://127.0.0.1:9/v1", ...provider } },
  };
  const cwd = tempDir({ "agent.yaml": JSON.stringify(agent) });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const env = { ANTHROPIC_API_KEY: "k", GOOGLE_API_KEY: "k", OPENAI_API_KEY: "k" };
  const args = (message: string) => ["run", "agent.yaml", "--yolo", "--session", "s", message];
  const run = (message: string) => hooksh(args(message), { cwd, env });
  const start = (message: string) =>
    Bun.spawn([binary(), ...args(message)], {
      cwd,
      env: cleanEnv(cwd, env),
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
  const shown = (): Promise<string> => hooksh(["sessions", "export", "s"], { cwd }).then(({ stdout }) => stdout);
  return { cwd, run, start, shown };
}

/** The base64 data of every file in a request to any provider. */
export function filesIn(body: unknown): string[] {
  const found: string[] = [];
  JSON.stringify(body, (key, value: unknown) => {
    if (typeof value === "string" && (key === "data" || value.startsWith("data:"))) found.push(value);
    return value;
  });
  return found;
}
