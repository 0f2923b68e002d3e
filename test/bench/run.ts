/** Names the machine and runs every benchmark, one after the other: `npm run bench`, after `npm run build`. */
import { readdirSync } from "node:fs";
import { cpus, loadavg, release, type } from "node:os";
import { join } from "node:path";

const SHARED = ["run.ts", "measure.ts"];
/** The others take little time, or rounds of their own. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = { "turns.ts": ["100", "--rounds", "3"] };

const [processor] = cpus();
const versionOf = (program: string) => {
  const path = Bun.which(program);
  const { stdout } = path ? Bun.spawnSync([path, "--version"]) : { stdout: "not installed" };
  return `${program}: ${stdout.toString().split("\n")[0]}`;
};
console.log(`${cpus().length} x ${processor?.model}, ${type()} ${release()}, load ${loadavg()[0]?.toFixed(1)}`);
console.log(`Bun ${Bun.version}; ${["node", "bash", "jq"].map(versionOf).join("; ")}`);
console.log(`docker-agent: ${process.env["DOCKER_AGENT"] ?? "not installed (DOCKER_AGENT has no path)"}`);

for (const name of readdirSync(import.meta.dir)
  .filter((file) => file.endsWith(".ts") && !SHARED.includes(file))
  .sort()) {
  console.log(`\n=== ${name}`);
  const { exitCode } = Bun.spawnSync([process.execPath, join(import.meta.dir, name), ...(ARGUMENTS[name] ?? [])], {
    stdout: "inherit",
    stderr: "inherit",
  });
  if (exitCode !== 0) process.exit(exitCode);
}
