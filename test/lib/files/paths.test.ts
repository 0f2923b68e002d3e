import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { existsOrCanBeCreated } from "../../../src/lib/files/paths.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const isRoot = process.getuid?.() === 0;

describe("a place for configuration is usable", () => {
  test("if it exists or can be created, and not below a file", () => {
    const home = tempDir({ ".config/hooksh/config.yaml": "" });
    expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeTrue();
    expect(existsOrCanBeCreated(join(home, "not/there/yet"))).toBeTrue();
    expect(existsOrCanBeCreated("/dev/null/.config/hooksh")).toBeFalse();
  });

  test("if its state is unknown, because the code that reads it reports the problem", () => {
    const home = tempDir();
    symlinkSync(join(home, ".config"), join(home, ".config"));
    expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeTrue();
  });

  test.if(!isRoot)("if a folder of the user hides it: the guards in it must not be skipped", () => {
    const home = tempDir({ ".config/hooksh/config.yaml": "" });
    for (const hidden of [join(home, ".config"), home]) {
      chmodSync(hidden, 0);
      expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeTrue();
      chmodSync(hidden, 0o700);
    }
  });

  test.if(!isRoot)("not if it belongs to another user, or nothing can be created in it", () => {
    const home = tempDir();
    chmodSync(home, 0o500);
    expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeFalse();
    chmodSync(home, 0o700);
    expect(existsOrCanBeCreated("/nonexistent/.config/hooksh")).toBeFalse();
  });
});
