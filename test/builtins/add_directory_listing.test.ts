import { expect, test } from "bun:test";
import { run } from "../../builtins/add_directory_listing.ts";
import { callBuiltin, sh, temporaryDirectory } from "../helpers/call-builtin.ts";

const call = (cwd: string) => callBuiltin(run, { hook_event_name: "session_start", cwd });

test("leaves out hidden names, marks directories and sorts by bytes", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "mkdir a .git; touch .hidden a.txt B.txt 'ｚ' '🙂'; ln -s a link");
  expect((await call(directory.path)).context).toBe(
    `Top-level entries in ${directory.path}:\n\n- B.txt\n- a.txt\n- a/\n- link\n- ｚ\n- 🙂`,
  );
});

test("keeps each name on its line", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, String.raw`touch "$(printf 'a\n- b\033[2J')"`);
  expect((await call(directory.path)).context).toEndWith(String.raw`:${"\n\n"}- a\n- b\x1b[2J`);
});

test("stops at 100 names and counts the rest", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "i=100; while [ $i -lt 200 ]; do touch f$i; i=$((i+1)); done");
  expect((await call(directory.path)).context).toEndWith("\n- f199");
  sh(directory.path, "touch f200");
  expect((await call(directory.path)).context).toEndWith("\n- f199\n... and 1 more");
});

test("adds nothing in an empty directory, without one, and in one that does not exist", async () => {
  await using directory = await temporaryDirectory();
  sh(directory.path, "touch .hidden");
  for (const cwd of [directory.path, "", `${directory.path}/none`]) expect((await call(cwd)).output).toBeUndefined();
});
