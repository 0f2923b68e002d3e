import { expect, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../builtins/snapshot.ts";
import { TestRepository, testEnv } from "../snapshot/snapshot-repository.ts";

test("recording that takes too long is ended, said once, and not tried again in the run", async () => {
  const repo = await TestRepository.create({ "a.txt": "one\n" });
  const calls = join(repo.base, "calls");
  const slow = join(repo.base, "git");
  writeFileSync(
    slow,
    `#!/bin/sh\necho "$*" >> ${calls}\ncase "$*" in *write-tree*) exec sleep 600;; esac\nexec ${Bun.which("git")} "$@"\n`,
  );
  chmodSync(slow, 0o755);
  let memory: unknown;
  const call = () =>
    run({ session_id: "s", cwd: repo.root, hook_event_name: "pre_tool_use", tool_name: "shell" }, ["writes"], {
      signal: new AbortController().signal,
      memory: <T>(make: () => T) => (memory ??= make()) as T,
      env: { ...testEnv, PATH: `${repo.base}:${testEnv["PATH"]}` },
      directories: { config: repo.base, data: repo.data, cache: repo.base },
      log: () => {},
    });
  // A second call of the same turn waits for the first, and does not repeat what it says.
  const [first, second] = await Promise.all([call(), call()]);
  expect(first?.system_message).toContain("cannot be undone from here on: recording its files took longer than 5 s");
  expect(second).toBeUndefined();
  const called = readFileSync(calls, "utf8");
  expect(await call()).toBeUndefined();
  expect(readFileSync(calls, "utf8")).toBe(called);
  repo.remove();
});
