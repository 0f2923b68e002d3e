import { existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { basename, join } from "node:path";

const root = join(import.meta.dir, "../..");

/**
 * Returns a program for tests as one file, with the packages it uses: it starts in half the processor time. Bundles it
 * when the file is missing or older than the test's programs and helpers.
 */
export function bundled(program: string): string {
  const path = join(root, "dist", "test-programs", `${basename(program, ".ts")}.js`);
  const sources = [...new Bun.Glob("test/{fixtures/mcp,helpers}/*.ts").scanSync(root)];
  const newest = Math.max(...sources.map((file) => statSync(join(root, file)).mtimeMs));
  if (existsSync(path) && statSync(path).mtimeMs >= newest) return path;
  mkdirSync(join(root, "dist", "test-programs"), { recursive: true });
  // Other processes that run tests may bundle it too: each writes a file of its own and puts it into place.
  const own = `${path}.${process.pid}`;
  const build = Bun.spawnSync([process.execPath, "build", "--target=bun", `--outfile=${own}`, program], {
    stdout: "ignore",
    stderr: "inherit",
  });
  if (!build.success) throw new Error(`${program} cannot be bundled`);
  renameSync(own, path);
  return path;
}
