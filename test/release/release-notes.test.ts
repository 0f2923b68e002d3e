import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { releaseNotes } from "../../scripts/release-notes.ts";

describe("releaseNotes()", () => {
  test("puts what users see into sections, sorted by part", () => {
    const notes = releaseNotes([
      "fix(engine): a hook that hangs is ended",
      "feat(cli): hooksh test runs the tests of a guard",
      "feat: no part",
      "refactor(engine): one file less",
      "Merge branch 'main'",
      "feat(builtins): a new one",
      "perf(yaml): half the time",
    ]);
    expect(notes).toBe(
      [
        "## New\n\n- no part\n- **builtins**: a new one\n- **cli**: hooksh test runs the tests of a guard\n",
        "## Fixed\n\n- **engine**: a hook that hangs is ended\n",
        "## Faster\n\n- **yaml**: half the time\n",
      ].join("\n"),
    );
  });

  test("names breaking changes first, and again in their section", () => {
    expect(releaseNotes(["feat(cli)!: ask exits 3"])).toBe(
      "## Breaking changes\n\n- **cli**: ask exits 3\n\n## New\n\n- **cli**: ask exits 3\n",
    );
  });

  test("names a breaking change of a type that users do not see otherwise", () => {
    expect(releaseNotes(["refactor(library)!: parseHooks is async", "refactor(engine): one file less"])).toBe(
      "## Breaking changes\n\n- **library**: parseHooks is async\n",
    );
  });

  test("are empty without commits that users see", () => {
    expect(releaseNotes(["test(engine): more", ""])).toBe("");
  });
});

describe("scripts/release-notes.ts", () => {
  test("says which commits git does not know", () => {
    const script = join(import.meta.dir, "../../scripts/release-notes.ts");
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, "no-such-tag"], { stderr: "pipe" });
    expect(exitCode).toBe(1);
    expect(stderr.toString()).toContain('git cannot list the commits from "no-such-tag" to "HEAD"');
  });

  test("gives git no option", () => {
    const script = join(import.meta.dir, "../../scripts/release-notes.ts");
    const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, "--max-count=1", "HEAD"], { stderr: "pipe" });
    expect(exitCode).toBe(1);
    expect(stderr.toString()).toContain('git cannot list the commits from "--max-count=1"');
  });
});
