/**
 * What the package costs: the size of the tarball and of its installation, and the time an import takes.
 * Run: `bun test/bench/package.ts [ROUNDS]`; it needs npm and its registry.
 */
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const rounds = Number(process.argv[2] ?? 15);
const root = join(import.meta.dir, "../..");
const project = mkdtempSync(join(tmpdir(), "hooksh-bench-"));

function run(command: readonly string[], cwd: string): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd });
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  return stdout.toString();
}

/** The sum of the sizes of the files below a folder, in megabytes. */
function megabytes(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return (bytes / 1e6).toFixed(1);
}

try {
  run(["npm", "pack", "--pack-destination", project], root);
  const [tarball = ""] = readdirSync(project);
  console.log(`tarball: ${(statSync(join(project, tarball)).size / 1e6).toFixed(1)} MB`);
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=peer", `./${tarball}`], project);
  console.log(`hooksh, installed: ${megabytes(join(project, "node_modules/hooksh"))} MB`);
  console.log(`with its dependencies, without Bun: ${megabytes(join(project, "node_modules"))} MB`);
  writeFileSync(
    join(project, "time.mjs"),
    "const start = performance.now(); await import(process.argv[2]); console.log(performance.now() - start);",
  );
  for (const name of ["node:crypto", "hooksh", "hooksh/hook", "hooksh/snapshot"]) {
    const times = Array.from({ length: rounds }, () => Number(run([process.execPath, "time.mjs", name], project)));
    const median = times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    console.log(`import ${name}: ${median.toFixed(1)} ms`);
  }
} finally {
  rmSync(project, { recursive: true, force: true });
}
