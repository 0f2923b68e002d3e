/** Runs every benchmark, one after the other: `npm run bench`, after `npm run build`. */
import { readdirSync } from "node:fs";
import { join } from "node:path";

const SHARED = ["run.ts", "measure.ts"];

for (const name of readdirSync(import.meta.dir)
  .filter((file) => file.endsWith(".ts") && !SHARED.includes(file))
  .sort()) {
  console.log(`\n=== ${name}`);
  const { exitCode } = Bun.spawnSync([process.execPath, join(import.meta.dir, name)], {
    stdout: "inherit",
    stderr: "inherit",
  });
  if (exitCode !== 0) process.exit(exitCode);
}
