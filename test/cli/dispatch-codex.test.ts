import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const refuse = (text: string) => ({
  type: "command",
  command: `if grep -q ${text}; then echo "no ${text}" >&2; exit 2; fi`,
});
const SHELL_GUARD = { pre_tool_use: [{ matcher: "shell", hooks: [refuse("FORBID")] }] };
const FILE_GUARD = { pre_tool_use: [{ matcher: "write_file|edit_file", hooks: [refuse('\'"path":"secret/\'')] }] };

/** The answer of the compiled program to a command line in Codex's shell. */
async function answer(hooks: object, command: string): Promise<string> {
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks) });
  const payload = {
    session_id: "s1",
    turn_id: "u1",
    transcript_path: null,
    cwd,
    hook_event_name: "PreToolUse",
    model: "gpt-5.5",
    permission_mode: "default",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: "call_1",
  };
  const { stdout, code } = await hooksh(["dispatch", "--dialect", "codex", "--hooks-file", "hooks.yaml"], {
    cwd,
    input: JSON.stringify(payload),
  });
  expect(code).toBe(0);
  return stdout;
}

const PATCH = "*** Begin Patch\n*** Add File: secret/key\n+x\n*** End Patch";

describe("guards of files see a patch that the shell applies", () => {
  test.each([
    ["a here-document", `apply_patch <<'EOF'\n${PATCH}\nEOF\n`],
    ["in another shell", `bash -lc "apply_patch <<'EOF'\n${PATCH}\nEOF\n"`],
    ["as an argument", `apply_patch '${PATCH}'`],
    ["from another folder", `cd secret && apply_patch <<'EOF'\n${PATCH.replace("secret/key", "key")}\nEOF`],
    [
      "a moved file",
      `apply_patch <<EOF\n*** Begin Patch\n*** Update File: a\n*** Move to: secret/a\n*** End Patch\nEOF`,
    ],
    ["from printf", `printf '${PATCH.replaceAll("\n", "\\n")}' | apply_patch`],
    ["under the older name", `applypatch <<'EOF'\n${PATCH}\nEOF`],
    ["by its path", `/usr/local/bin/apply_patch <<'EOF'\n${PATCH}\nEOF`],
  ])("%s", async (_name, command) => {
    const guard = { pre_tool_use: [{ matcher: "write_file", hooks: [refuse("secret/")] }] };
    expect(await answer(guard, command)).toContain("no secret/");
    expect(await answer(FILE_GUARD, command)).toContain(command.includes("Update File") ? "" : "deny");
  });

  test("a patch from a file has no path, and the guards are asked", async () => {
    const guard = { pre_tool_use: [{ matcher: "edit_file", hooks: [refuse("apply_patch")] }] };
    expect(await answer(guard, "apply_patch < changes.patch")).toContain("no apply_patch");
    expect(await answer(guard, 'apply_patch "$(cat changes.patch)"')).toContain("no apply_patch");
    expect(await answer(guard, "grep -rn apply_patch src")).toBe("");
  });
});

describe("a program that reads commands from a terminal is refused while a guard of commands is in force", () => {
  test.each(["bash", "bash -lc bash", "python3", "ssh host", "cd /tmp && exec sh"])("%s", async (command) => {
    expect(await answer(SHELL_GUARD, command)).toMatch(/"deny".*asks no hook about what is typed there/);
  });

  test.each(["ls", "bash build.sh", "ssh host uptime", "python3 - <<'EOF'\nprint(1)\nEOF"])(
    "not %s",
    async (command) => {
      expect(await answer(SHELL_GUARD, command)).toBe("");
    },
  );

  test("only if the guard judges commands, and enforces", async () => {
    expect(await answer(FILE_GUARD, "bash")).toBe("");
    const observed = { pre_tool_use: [{ matcher: "shell", mode: "observe", hooks: [refuse("FORBID")] }] };
    expect(await answer(observed, "bash")).toBe("");
    const redaction = { pre_tool_use: [{ hooks: [{ type: "builtin", command: "redact_secrets" }] }] };
    expect(await answer(redaction, "bash")).toBe("");
  });
});
