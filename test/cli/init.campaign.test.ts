import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Project } from "../../src/commands/init/find-project.ts";
import { starterFiles } from "../../src/commands/init/starter-files.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

test("every combination of model, git and tests gives files that validate and whose tests pass", async () => {
  const cwd = tempDir();
  const models = ["auto", "openai/gpt-5.6", "ollama/llama3.2:latest", "dmr/ai/qwen3:latest", "openrouter/a b:c#d"];
  const branches: Project["protectedBranch"][] = [undefined, "main", "release/1.x"];
  const tests: Project["tests"][] = [undefined, { command: "go test ./...", file: "go.mod" }];
  const files = models.flatMap((reference, at) =>
    branches.flatMap((protectedBranch) =>
      tests.map((found) => {
        const name = `${at}-${protectedBranch?.replace(/\W/g, "-") ?? "none"}-${found ? "tests" : "bare"}`;
        const others = at === 0 ? [] : ["mistral/x"];
        const model = { reference, reason: "found", others };
        const written = starterFiles({
          name,
          file: `${name}.yaml`,
          model,
          project: { protectedBranch, tests: found },
          guardsStay: true,
        });
        for (const { name: path, text } of Object.values(written)) writeFileSync(join(cwd, path), text);
        return written;
      }),
    ),
  );
  expect(files).toHaveLength(30);
  expect(await hooksh(["validate", "--strict", ...files.map(({ agent }) => agent.name)], { cwd })).toMatchObject({
    code: 0,
    stderr: "",
  });
  // The guard and its tests depend on the branch only.
  const different = new Map(files.map(({ guard, tests }) => [guard.text.replace(/of \S+ /, ""), tests.name]));
  expect(different.size).toBe(branches.length);
  const ran = await hooksh(["test", ...different.values(), "--jobs", "2"], { cwd });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
});
