import { describe, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { run as diff } from "../../builtins/add_git_diff.ts";
import { run as status } from "../../builtins/add_git_status.ts";
import { run as commits } from "../../builtins/add_recent_commits.ts";
import { callBuiltin, sh, temporaryDirectory } from "../helpers/call-builtin.ts";

const BUILTINS = { add_git_status: status, add_git_diff: diff, add_recent_commits: commits };
const START =
  "git init -q; git symbolic-ref HEAD refs/heads/main; echo one > a.txt; git add .; git commit -q -m first\n";
const env = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

async function repository(script = "") {
  const directory = await temporaryDirectory();
  sh(directory.path, START + script);
  return directory;
}

describe.each(Object.entries(BUILTINS))("%s", (_name, run) => {
  const call = (cwd: string, more = {}) =>
    callBuiltin(run, { hook_event_name: "turn_start", cwd }, [], { env: { ...env, ...more } });

  test("adds nothing outside a repository, without a directory, and in one that does not exist", async () => {
    await using directory = await temporaryDirectory();
    for (const cwd of [directory.path, "", "/no/such/directory"]) expect((await call(cwd)).output).toBeUndefined();
    expect((await call(directory.path)).logged).toEqual([
      expect.stringMatching(/^debug .*git exited with status 12\d$/),
    ]);
  });

  test("is silent without git", async () => {
    await using directory = await repository();
    expect((await call(directory.path, { PATH: directory.path })).output).toBeUndefined();
  });

  test("runs no git that the repository brings along, whatever the PATH", async () => {
    await using directory = await repository("printf '#!/bin/sh\\ntouch ran\\n' > git; chmod +x git");
    await call(directory.path, { PATH: `.:${process.env["PATH"]}` });
    expect(existsSync(join(directory.path, "ran"))).toBeFalse();
  });

  test("runs no program that the repository names", async () => {
    await using directory = await repository(`
      cat > evil.sh <<'END'
      #!/bin/sh
      touch "$(dirname "$0")/ran-$1"
      cat
END
      cat > gpg.sh <<'END'
      #!/bin/sh
      touch "$(dirname "$0")/ran-gpg"
      cat >/dev/null # git fails if nobody reads what is to be signed
      printf '\\n[GNUPG:] SIG_CREATED ' >&2
      printf -- '-----%s PGP SIGNATURE-----\\n' BEGIN END
END
      chmod +x evil.sh gpg.sh; here=$PWD
      git -c gpg.program="$here/gpg.sh" commit -q -S --amend -m signed
      git config core.fsmonitor "$here/evil.sh fsmonitor"
      git config core.pager "$here/evil.sh pager"
      git config filter.a=b.clean "$here/evil.sh clean"
      git config filter.p.process "$here/evil.sh process"
      git config filter.p.required true
      git config diff.external "$here/evil.sh external"
      git config diff.t.textconv "$here/evil.sh textconv"
      git config log.showSignature true
      printf '#!/bin/sh\\ntouch "%s/ran-hook"\\n' "$here" > .git/hooks/post-index-change
      chmod +x .git/hooks/post-index-change
      git config gpg.program "$here/gpg.sh"
      printf 'a.txt filter=a=b\\nb.txt filter=p\\nc.txt diff=t\\n' > .gitattributes
      calm='-c core.fsmonitor=false -c core.hooksPath=/dev/null -c filter.p.process= -c filter.p.required=false'
      for name in a b c; do echo two > $name.txt; git $calm add -N $name.txt; done
      git $calm add evil.sh; touch -t 200101010000 evil.sh; rm -f ran-*
      for name in a b c; do echo three > $name.txt; done`);
    for (const args of [[], ["full"]]) {
      const { context } = await callBuiltin(run, { hook_event_name: "turn_start", cwd: directory.path }, args, { env });
      expect(context).toContain("\n\n");
    }
    expect(sh(directory.path, "ls | grep ran- || true")).toBe("");
  });
});

describe("add_git_status", () => {
  test("shows branch and changes under the event it is configured on", async () => {
    await using directory = await repository("echo x > new.txt; echo more >> a.txt");
    const { output } = await callBuiltin(status, { hook_event_name: "session_start", cwd: directory.path }, [], {
      env,
    });
    expect(output).toEqual({
      hook_specific_output: {
        hook_event_name: "session_start",
        additional_context: "Current git status:\n\n## main\n M a.txt\n?? new.txt",
      },
    });
  });

  test("has no colours in it, whatever the configuration says", async () => {
    await using directory = await repository(
      "git config color.ui always; git config color.status always; echo x > new.txt",
    );
    const { context } = await callBuiltin(status, { hook_event_name: "turn_start", cwd: directory.path }, [], { env });
    expect(context).toBe("Current git status:\n\n## main\n?? new.txt");
  });

  test("leaves the index as it is", async () => {
    await using directory = await repository("touch -t 200101010000 a.txt");
    const before = statSync(join(directory.path, ".git/index")).mtimeMs;
    await callBuiltin(status, { hook_event_name: "turn_start", cwd: directory.path }, [], { env });
    expect(statSync(join(directory.path, ".git/index")).mtimeMs).toBe(before);
  });

  test("ends with the deadline", async () => {
    await using directory = await repository();
    const options = { env, signal: AbortSignal.abort() };
    expect(
      (await callBuiltin(status, { hook_event_name: "turn_start", cwd: directory.path }, [], options)).output,
    ).toBeUndefined();
  });
});

describe("add_git_diff", () => {
  const call = (cwd: string, ...args: string[]) =>
    callBuiltin(diff, { hook_event_name: "turn_start", cwd }, args, { env });

  test("shows the statistics, and with anything but full still the statistics", async () => {
    await using directory = await repository("echo two >> a.txt");
    const expected = "Current working-tree diff (stat):\n\na.txt | 1 +\n 1 file changed, 1 insertion(+)";
    expect((await call(directory.path)).context).toBe(expected);
    expect((await call(directory.path, "Full")).context).toBe(expected);
  });

  test("shows the diff itself with full", async () => {
    await using directory = await repository("echo two >> a.txt");
    expect((await call(directory.path, "full")).context).toMatch(
      /^Current working-tree diff:\n\ndiff --git a\/a\.txt b\/a\.txt\n[^]*\n\+two$/,
    );
  });

  test("is silent without a diff", async () => {
    await using directory = await repository();
    expect((await call(directory.path)).output).toBeUndefined();
  });

  test("cuts at 4096 bytes between characters", async () => {
    await using directory = await repository("i=0; while [ $i -lt 3000 ]; do i=$((i+1)); echo éèü; done >> a.txt");
    const { context = "" } = await call(directory.path, "full");
    const shown = context.slice("Current working-tree diff:\n\n".length, -"\n... (truncated)".length);
    expect(context.endsWith("\n... (truncated)")).toBe(true);
    expect(Buffer.byteLength(shown)).toBeGreaterThan(4093);
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4096);
    expect(shown).not.toContain("\uFFFD");
  });

  test("survives a diff of many megabytes", async () => {
    await using directory = await repository("head -c 20000000 /dev/zero | tr '\\0' '\\n' >> a.txt");
    expect((await call(directory.path, "full")).context).toStartWith("Current working-tree diff:\n\ndiff --git");
  });
});

describe("add_recent_commits", () => {
  const many = 'for n in 1 2 3 4 5 6 7 8 9 10 11 12; do git commit -q --allow-empty -m "change $n"; done';
  const call = (cwd: string, ...args: string[]) =>
    callBuiltin(commits, { hook_event_name: "session_start", cwd }, args, { env });

  test("shows as many as its argument says", async () => {
    await using directory = await repository(many);
    expect((await call(directory.path, "2")).context).toMatch(
      /^Recent commits:\n\n[0-9a-f]+ change 12\n[0-9a-f]+ change 11$/,
    );
  });

  test.each([[], ["abc"], ["-1"], ["0"], ["2x"], ["9".repeat(400)]])("shows ten with %p", async (...args) => {
    await using directory = await repository(many);
    expect((await call(directory.path, ...args)).context?.split("\n").slice(2)).toHaveLength(10);
  });

  test("is silent without commits", async () => {
    await using directory = await temporaryDirectory();
    sh(directory.path, "git init -q");
    expect((await call(directory.path)).output).toBeUndefined();
    expect(existsSync(join(directory.path, ".git"))).toBe(true);
  });
});
