import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../builtins/snapshot.ts";
import { undoLast } from "../../src/snapshot/controller.ts";
import { withLock } from "../../src/snapshot/lock.ts";
import { testEnv } from "./snapshot-repository.ts";

// A second process for the tests: `undo DATA ROOT SESSION`, `turns DATA ROOT SESSION COUNT`,
// `turn_start DATA ROOT SESSION` or `hold LOCK`.
const [verb = "", data = "", root = "", session = "", count = "0"] = process.argv.slice(2);
const context = {
  signal: new AbortController().signal,
  memory: <T>(make: () => T) => make(),
  env: testEnv,
  directories: { config: data, data, cache: data },
  log: (_level: string, message: string) => {
    throw new Error(message);
  },
};
const event = { session_id: session, cwd: root };

if (verb === "undo") {
  const result = await undoLast({ dataDir: data, cwd: root, sessionId: session, env: testEnv });
  if (!result.ok) throw new Error(result.problems.join("\n"));
}

if (verb === "turns") {
  for (let turn = 0; turn < Number(count); turn++) {
    await run({ ...event, hook_event_name: "turn_start" }, [], context);
    writeFileSync(join(root, `${session}.txt`), `${turn}\n`);
    await run({ ...event, hook_event_name: "turn_end" }, [], context);
  }
}

if (verb === "turn_start") await run({ ...event, hook_event_name: "turn_start" }, [], context);

if (verb === "hold") {
  await withLock(data, { waitMs: 5000 }, async () => {
    writeFileSync(`${data}.held`, "");
    await new Promise((resolve) => setTimeout(resolve, 600_000));
  });
}
