/** Builds the executable: `bun scripts/build.ts [OUTFILE]`, by default `dist/hooksh`. */
import { join, resolve } from "node:path";
import { compile, root } from "./compile.ts";

const outfile = resolve(process.argv[2] ?? join(root, "dist", "hooksh"));
try {
  await compile({ outfile });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
console.log(`${outfile}: ${(Bun.file(outfile).size / 1e6).toFixed(1)} MB`);
