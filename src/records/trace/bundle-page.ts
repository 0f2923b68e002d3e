/**
 * Bundles the script and the style sheet of a page while the program itself is bundled, or when its sources run: the
 * import of this module has `type: "macro"`, so its result is inlined as text.
 */
import { join } from "node:path";

/** The parts of a page, minified. */
export interface BundledPage {
  script: string;
  style: string;
}

/** Bundles `main.ts` and `page.css` of a folder, given from the root of the project. Throws with the bundler's messages. */
export function bundlePage(folder: string): BundledPage {
  return { script: bundle(join(folder, "main.ts"), "--format=iife"), style: bundle(join(folder, "page.css")) };
}

function bundle(file: string, ...flags: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    [process.execPath, "build", "--minify", "--target=browser", ...flags, file],
    { cwd: join(import.meta.dir, "../../.."), stdout: "pipe", stderr: "pipe" },
  );
  if (exitCode !== 0) throw new Error(`${file}: ${stderr}`);
  return stdout.toString().trim();
}
