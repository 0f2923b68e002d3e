import { expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { OpenHooks } from "../../../src/guard/dispatch/open-hooks.ts";
import { freshHooks } from "../../../src/guard/serve/fresh-hooks.ts";
import { settled } from "../../helpers/settled.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const OLD_MS = 300;

/** Hooks that are counted when they are loaded. */
function counted() {
  const cwd = tempDir({ "hooks.yaml": "{}", "config/config.yaml": "{}" });
  let loads = 0;
  const load = async () => {
    loads++;
    return {} as OpenHooks;
  };
  const hooks = freshHooks({ config: join(cwd, "config"), named: ["hooks.yaml"], cwd }, load);
  return {
    cwd,
    /** How often they are loaded by this many calls. */
    loadsOf: async (calls: number) => {
      const before = loads;
      for (let call = 0; call < calls; call++) await hooks();
      return loads - before;
    },
  };
}

test("files that stay the same are read once", async () => {
  const { loadsOf } = counted();
  await Bun.sleep(OLD_MS);
  expect(await loadsOf(5)).toBe(1);
  expect(await loadsOf(5)).toBe(0);
});

test("a file that has just changed is read again, because a further change may leave its times the same", async () => {
  const { cwd, loadsOf } = counted();
  // A busy machine may take too long between the change and the calls.
  for (let attempt = 0; attempt < 50; attempt++) {
    writeFileSync(join(cwd, "hooks.yaml"), "{}");
    if ((await loadsOf(3)) === 3) return;
  }
  throw new Error("never read again");
});

test.each([
  ["a drop-in", (cwd: string) => writeFileSync(join(cwd, "config/hooks.d/a.yaml"), "{}")],
  ["an env file of the configuration", (cwd: string) => writeFileSync(join(cwd, "config/.env"), "A=1")],
  ["a hooks file that vanishes", (cwd: string) => rmSync(join(cwd, "hooks.yaml"))],
])("%s is noticed", async (_name, change) => {
  const { cwd, loadsOf } = counted();
  mkdirSync(join(cwd, "config/hooks.d"));
  await Bun.sleep(OLD_MS);
  expect(await loadsOf(3)).toBe(1);
  change(cwd);
  expect(await loadsOf(1)).toBe(1);
});

test("hooks that cannot be loaded are tried again", async () => {
  const cwd = tempDir();
  await Bun.sleep(OLD_MS);
  let loads = 0;
  const hooks = freshHooks({ config: cwd, named: [], cwd }, () => Promise.reject(new Error(`failed ${++loads}`)));
  for (const count of [1, 2]) expect(await settled(hooks())).toThrow(`failed ${count}`);
});
