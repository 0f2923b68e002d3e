import { expect, test } from "bun:test";
import { patchEffects, patchFiles } from "../../src/shell/patch-files.ts";

test("every file of a patch, with what happens to it", () => {
  const patch = [
    "*** Begin Patch",
    "*** Update File: src/a.ts",
    "*** Move to: src/b.ts",
    "@@",
    "-*** Delete File: text",
    "*** Add File: new file.ts",
    "+x",
    "*** Delete File: old.ts\r",
    "*** End Patch",
  ].join("\n");
  expect(patchFiles(patch)).toEqual([
    { path: "src/a.ts", change: "update" },
    { path: "src/b.ts", change: "move" },
    { path: "new file.ts", change: "add" },
    { path: "old.ts", change: "delete" },
  ]);
});

test("a patch in quotes, with its line breaks written out", () => {
  expect(patchFiles(String.raw`apply_patch '*** Add File: a\n+x\n*** Delete File: b\n'`)).toEqual([
    { path: "a", change: "add" },
    { path: "b", change: "delete" },
  ]);
});

test("the effects of a patch, each once, in the order of the list", () => {
  const files = (["update", "add", "move", "delete", "update"] as const).map((change) => ({ path: "a", change }));
  expect(patchEffects(files)).toEqual(["fs-delete", "fs-overwrite", "fs-modify"]);
  expect(patchEffects([{ path: "a", change: "move" }])).toEqual(["fs-overwrite"]);
  expect(patchEffects([])).toEqual([]);
});
