import { afterAll } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const made: string[] = [];

afterAll(() => {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
});

/** A fresh directory with the given files; `name!x` sets the run bit. Removed when the test file is done. */
export function tempDir(files: Readonly<Record<string, string>> = {}): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "hooksh-test-")));
  made.push(dir);
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name.replace(/!x$/, ""));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (name.endsWith("!x")) chmodSync(path, 0o755);
  }
  return dir;
}

/** The directory that replaces an unusable home of this user, in a temporary directory. */
export function temporaryHome(temporary: string): string {
  return join(temporary, `hooksh-${process.getuid?.()}`);
}
