import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json" with { type: "json" };
import { processEnv } from "../../src/lib/env.ts";
import { sh } from "../helpers/call-builtin.ts";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";

/** The file system of the image, and what `buildah inspect` says of it: `scripts/image.sh` makes both. */
const { HOOKSH_TEST_IMAGE: rootfs = "", HOOKSH_TEST_IMAGE_CONFIG: configFile = "" } = processEnv();

interface Config {
  User: string;
  Env: string[];
  Entrypoint: string[];
  Cmd: string[];
  WorkingDir: string;
  Volumes: Record<string, unknown>;
}

const image = rootfs === "" ? "{}" : readFileSync(configFile, "utf8");
const config = (JSON.parse(image) as { OCIv1?: { config: Config } }).OCIv1?.config;
const hasGit = rootfs !== "" && existsSync(join(rootfs, "usr/bin/git"));

interface Container {
  /** The arguments behind the image's name. */
  args: string[];
  /** Mounted where the image works. */
  work: string;
  /** Mounted as its volume. */
  data: string;
  env?: Record<string, string>;
  user?: string;
  /** Further directories to mount, by their place in the image. */
  mounts?: Record<string, string>;
}

/**
 * Starts the image as an engine does: its entry point as process 1 of a process namespace of its own, its user, its
 * variables and no others, its directory.
 */
function start(
  { args, work, data, env = {}, user = "1000:1000", mounts = {} }: Container,
  input: "pipe" | string = "",
) {
  const {
    Entrypoint: entry = [],
    Env: variables = [],
    WorkingDir: directory = "/",
  } = config ?? ({} as Partial<Config>);
  const binds = Object.entries({ "/work": work, "/data": data, "/dev": "/dev", ...mounts });
  const setup = [
    'root=$1; shift; mount -t proc proc "$root/proc"',
    ...binds.map(([to, from]) => `mkdir -p "$root${to}"; mount --rbind "${from}" "$root${to}"`),
    `exec chroot --userspec=${user} "$root" /usr/bin/env -i "$@"`,
  ].join("; ");
  const all = [...variables, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const inside = ["/bin/sh", "-c", `cd ${directory} && exec "$@"`, "sh", ...entry, ...args];
  const child = Bun.spawn(
    ["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", setup, "sh", rootfs, ...all, ...inside],
    {
      stdin: input === "pipe" ? "pipe" : Buffer.from(input),
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  return child;
}

async function run(container: Container, input = "") {
  const child = start(container, input);
  const [code, stdout, stderr] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
  return { code, stdout, stderr };
}

/** Directories that the image's user can write. */
function directories(files: Record<string, string> = {}, owner = 1000): { work: string; data: string } {
  const found = { work: tempDir(files), data: tempDir() };
  for (const path of Object.values(found)) {
    chmodSync(path, 0o755);
    sh(path, `chown -R ${owner}:${owner} .`);
  }
  return found;
}

/** The numbers, on this machine, of the processes that another has started. */
function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
}

describe.if(rootfs !== "")("the image", () => {
  test("says what it starts, as whom, and what is kept", () => {
    expect(config).toMatchObject({
      User: "hooksh",
      Entrypoint: ["/usr/bin/tini", "--", "hooksh"],
      Cmd: ["run"],
      WorkingDir: "/work",
      Volumes: { "/data": {} },
    });
    expect(readFileSync(join(rootfs, "etc/passwd"), "utf8")).toContain("\nhooksh:x:1000:1000:");
    for (const place of ["src", "node_modules", "root/.npm"]) expect(existsSync(join(rootfs, place))).toBe(false);
  });

  test.each(["1000:1000", "4321:4321"])("user %s can do everything", async (user) => {
    const [owner = ""] = user.split(":");
    const { code, stdout } = await run({ args: ["doctor", "--json"], user, ...directories({}, Number(owner)) });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      ok: true,
      version: { version },
      directories: {
        config: { path: "/etc/hooksh" },
        data: { path: "/data", writable: true, temporary: false },
        cache: { writable: true },
      },
      programs: { shell: { command: "/bin/sh", found: true }, git: { found: hasGit } },
      issues: [],
    });
    expect(code).toBe(0);
  });

  test("is a filter: events in, verdicts out, the exit code that of hooksh", async () => {
    const places = directories({
      "hooks.yaml": "pre_tool_use:\n  - hooks:\n      - {type: command, command: 'cat >&2; id -u >&2; exit 2'}\n",
    });
    const event = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: {} });
    const { code, stdout, stderr } = await run({ args: ["dispatch", "--hooks-file", "hooks.yaml"], ...places }, event);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ decision: "block" });
    expect(stderr).toContain('"tool_name":"shell"');
    expect(stderr).toContain("1000");
  });

  test("runs an agent, and keeps its session on the volume", async () => {
    const server = fakeOpenAI([
      { calls: [{ name: "shell", arguments: { cmd: "id -un > who; touch /usr/bin/x" } }] },
      { text: "All done." },
    ]);
    const places = directories({ "agent.yaml": agentFor(server) });
    const first = await run({ args: ["run", "agent.yaml", "--yolo", "Who are you?"], ...places });
    expect(first.code).toBe(0);
    expect(first.stdout).toContain("All done.");
    expect(readFileSync(join(places.work, "who"), "utf8")).toBe("hooksh\n");
    expect(existsSync(join(rootfs, "usr/bin/x"))).toBe(false);
    server.stop();
    const second = await run({ args: ["sessions", "list"], ...places });
    expect(second.stdout).toContain("Who are you?");
  });

  test("validates", async () => {
    const places = directories({ "hooks.yaml": "stop:\n  - {type: command, command: 'true'}\n" });
    expect(await run({ args: ["validate", "hooks.yaml"], ...places })).toMatchObject({
      code: 0,
      stdout: "hooks.yaml: ok\n",
    });
  });

  test("finds configuration in /etc/hooksh and keys in /run/secrets", async () => {
    const places = directories();
    const mounts = {
      "/etc/hooksh": tempDir({ "hooks.d/a.yaml": "stop:\n  - {type: command, command: 'true'}\n" }),
      "/run/secrets": tempDir({ OPENAI_API_KEY: "a key\n" }),
    };
    for (const path of Object.values(mounts)) chmodSync(path, 0o755);
    const { stdout } = await run({ args: ["doctor", "--json"], ...places, mounts });
    expect(JSON.parse(stdout)).toMatchObject({
      hooks: { user: 1 },
      variables: [{ name: "OPENAI_API_KEY", source: "mounted secret", empty: false }],
    });
  });

  test("SIGTERM ends a run, its hooks first", async () => {
    const server = fakeOpenAI([() => new Promise(() => {})]);
    const hooks = { session_end: [{ type: "command", command: "touch ended" }] };
    const places = directories({ "agent.yaml": agentFor(server, { hooks }) });
    const child = start({ args: ["run", "agent.yaml", "hello"], ...places });
    await until(() => server.requests.length > 0);
    const [first = 0] = childrenOf(child.pid);
    expect(readFileSync(`/proc/${first}/comm`, "utf8")).toBe("tini\n");
    process.kill(first, "SIGTERM");
    expect(await child.exited).toBe(130);
    expect(existsSync(join(places.work, "ended"))).toBe(true);
    server.stop();
  });

  test("a process that a hook leaves behind does not become a zombie", async () => {
    const places = directories({
      "hooks.yaml": "stop:\n  - {type: command, command: '(sleep 0.2 & sleep 0.2 & sleep 0.2 &) >/dev/null 2>&1'}\n",
    });
    const child = start({ args: ["dispatch", "--hooks-file", "hooks.yaml", "--stream"], ...places }, "pipe");
    if (typeof child.stdin === "number" || child.stdin === undefined) throw new Error("no pipe to write to");
    child.stdin.write('{"hook_event_name":"stop"}\n');
    await child.stdin.flush();
    const reader = child.stdout.getReader();
    await reader.read();
    const [first = 0] = childrenOf(child.pid);
    await until(() => childrenOf(first).length === 1);
    await child.stdin.end();
    expect(await child.exited).toBe(0);
  });

  test.if(hasGit)("git serves the builtins", async () => {
    const places = directories({ "hooks.yaml": "turn_start:\n  - {type: builtin, command: add_git_status}\n" });
    sh(places.work, "git init -q -b trunk .; chown -R 1000:1000 .");
    const { stdout } = await run(
      { args: ["dispatch", "--hooks-file", "hooks.yaml"], ...places },
      '{"hook_event_name":"turn_start"}',
    );
    expect(stdout).toContain("No commits yet on trunk");
  });

  test("none of it is left running", () => {
    expect(readdirSync(join(rootfs, "proc"))).toEqual([]);
  });
});
