/**
 * Builds the executable: `bun scripts/build.ts [OUTFILE]`, by default `dist/hooksh`.
 *
 * `--splitting` keeps what a command does not use out of its start-up, bytecode spares parsing, and the two
 * `no-compile-autoload` flags keep the `bunfig.toml` and `.env` of whatever directory it is started in out of it. A
 * `package.json` is read where the user's own hook imports a package, and runs nothing.
 */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

const root = join(import.meta.dir, "..");
const outfile = process.argv[2] ?? join(root, "dist", "hooksh");
mkdirSync(dirname(outfile), { recursive: true });

const build = Bun.spawnSync(
  [
    process.execPath, "build", "--compile", "--splitting", "--bytecode", "--minify", "--sourcemap", "--format=esm",
    "--no-compile-autoload-bunfig", "--no-compile-autoload-dotenv", "--compile-autoload-package-json",
    "src/main.ts", "src/worker.ts", "--outfile", outfile,
  ],
  { cwd: root, stdout: "pipe", stderr: "pipe" },
);
if (build.exitCode !== 0) {
  process.stderr.write(build.stdout.toString() + build.stderr.toString());
  process.exit(1);
}
console.log(`${outfile}: ${(Bun.file(outfile).size / 1e6).toFixed(1)} MB`);
