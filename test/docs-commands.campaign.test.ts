import { describe, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkCommand } from "./docs/check-command.ts";
import { readPage } from "./docs/page.ts";
import { isRun, runSection, type SectionRun, sectionsOf } from "./docs/run-page.ts";

const root = join(import.meta.dir, "..");
const paths = ["README.md", ...[...new Bun.Glob("docs/**/*.md").scanSync(root)].sort()];
const pages = paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));

/** Running a page takes as long as its commands; the slowest take seconds. */
const PATIENCE_MS = 200_000;

// The pages use the tools of Linux, such as GNU sed.
describe.skipIf(process.platform !== "linux")("the commands of a page print what it shows", () => {
  for (const { path, text } of pages)
    for (const section of sectionsOf(readPage(path, text))) {
      let result: Promise<SectionRun> | undefined;
      test.each(section.filter(isRun).map((block) => [block.place, block] as const))(
        "%s",
        async (_place, block) => {
          result ??= runSection(section);
          for (const command of block.commands) checkCommand(command, await result);
        },
        PATIENCE_MS,
      );
    }
});
