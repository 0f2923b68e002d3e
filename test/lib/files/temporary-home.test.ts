import { describe, expect, test } from "bun:test";
import { chmodSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { existsOrCanBeCreated } from "../../../src/lib/files/temporary-home.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const isRoot = process.getuid?.() === 0;

describe("a place for configuration is usable", () => {
  test("if it exists or can be created, and not below a file", () => {
    const home = tempDir({ ".config/hooksh/config.yaml": "" });
    expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeTrue();
    expect(existsOrCanBeCreated(join(home, "not/there/yet"))).toBeTrue();
    expect(existsOrCanBeCreated("/dev/null/.config/hooksh")).toBeFalse();
  });

  test("when nothing can be said of it: whoever reads there says what is wrong", () => {
    const home = tempDir();
    symlinkSync(join(home, ".config"), join(home, ".config"));
    expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeTrue();
  });

  test.if(!isRoot)("when a folder of the user's own hides it: the guards in it must not be passed over", () => {
    const home = tempDir({ ".config/hooksh/config.yaml": "" });
    for (const hidden of [join(home, ".config"), home]) {
      chmodSync(hidden, 0);
      expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeTrue();
      chmodSync(hidden, 0o700);
    }
  });

  test.if(!isRoot)("not when it is another user's, or nothing can be made there", () => {
    const home = tempDir();
    chmodSync(home, 0o500);
    expect(existsOrCanBeCreated(join(home, ".config/hooksh"))).toBeFalse();
    chmodSync(home, 0o700);
    expect(existsOrCanBeCreated("/nonexistent/.config/hooksh")).toBeFalse();
  });
});
