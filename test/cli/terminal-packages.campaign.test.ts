import { expect, test } from "bun:test";
import { join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";

const root = join(import.meta.dir, "../..");
const example = join(root, "examples/guarded-cleanup");
const call = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } };

/** Runs the sources, without a terminal, in a Bun that refuses the packages that draw a terminal. */
async function runSources(args: readonly string[], input = "") {
  const cwd = tempDir();
  const preload = join(root, "test/fixtures/refuse-terminal-packages.ts");
  const child = Bun.spawn([process.execPath, "--preload", preload, ...args], {
    cwd,
    env: { PATH: process.env["PATH"], HOME: cwd, SHELL: "/bin/sh" },
    stdin: Buffer.from(input),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
}

const run = ["run", join(example, "agent.yaml"), "--yolo", "--fake", join(example, "recording.yaml")];
const message = "Free some disk space: get rid of the build folder.";

test.each([
  { words: ["dispatch", join(example, "agent.yaml")], input: JSON.stringify(call) },
  { words: ["hooks", "list", join(example, "agent.yaml")] },
  { words: ["test", example] },
  { words: [...run, message] },
  { words: [...run, "--json", message] },
  { words: [...run, "--plain", "-"], input: message },
])("no package that draws a terminal is loaded by hooksh $words.0", async ({ words, input }) => {
  const { code, stderr } = await runSources([join(root, "src/main.ts"), ...words], input);
  expect(stderr).not.toContain("loaded ");
  expect(code).toBe(0);
});

test.each(["@earendil-works/pi-tui", "marked", "highlight.js/lib/core"])(
  "the tests above would notice %s",
  async (name) => {
    const { code, stderr } = await runSources(["-e", `await import(${JSON.stringify(import.meta.resolve(name))})`]);
    expect(stderr).toMatch(/loaded .*node_modules/);
    expect(code).not.toBe(0);
  },
);
