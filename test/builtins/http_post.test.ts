import { afterEach, describe, expect, test } from "bun:test";
import { run } from "../../builtins/http_post.ts";
import type { Env } from "../../src/lib/env.ts";
import { hooksh } from "../helpers/binary.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";
import { settled } from "../helpers/settled.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A public address cannot be reached from a test; a proxy that answers in its place can. */
function behindProxy(answer: (request: Request) => Response | Promise<Response>): Env {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  cleanups.push(() => server.stop(true));
  return { HTTP_PROXY: `http://127.0.0.1:${server.port}`, http_proxy: "", NO_PROXY: "", no_proxy: "" };
}

const call = (env: Env, ...args: string[]) => callBuiltin(run, { hook_event_name: "turn_end" }, args, { env });

test("posts the body as it is, as JSON", async () => {
  const seen: unknown[] = [];
  const env = behindProxy(async (got) => {
    seen.push([got.method, got.url, got.headers.get("content-type"), await got.text()]);
    return new Response("{}");
  });
  expect((await call(env, "http://hook.invalid/x?y=1", "{ .not a template }")).output).toBeUndefined();
  await call(env, "http://hook.invalid/");
  expect(seen).toEqual([
    ["POST", "http://hook.invalid/x?y=1", "application/json", "{ .not a template }"],
    ["POST", "http://hook.invalid/", "application/json", ""],
  ]);
});

test("reports a status of 400 or more without path, query and credentials", async () => {
  const env = behindProxy(() => new Response("no", { status: 403 }));
  const { output } = await call(env, "http://me:pass@hook.invalid/services/T1/B2?token=t3", "{}");
  expect(output).toEqual({ system_message: "http_post: hook.invalid: status 403" });
});

test("reads at most 64 KiB of the answer", async () => {
  let sent = 0;
  const env = behindProxy(() => {
    const pull = (controller: ReadableStreamDefaultController) => {
      sent += 1024;
      controller.enqueue(new Uint8Array(1024));
    };
    return new Response(new ReadableStream({ pull }));
  });
  expect((await call(env, "http://hook.invalid/")).output).toBeUndefined();
  expect(sent).toBeGreaterThan(64 * 1024);
});

describe("an internal address", () => {
  test.each(["http://127.0.0.1:9/x", "http://localhost/x", "http://[::1]/x", "http://169.254.169.254/x", "http://0/x"])(
    "such as %s is reported, and is not a failure",
    async (url) => {
      const { output } = await call({}, url, "{}");
      expect(output).toEqual({
        system_message: expect.stringMatching(/^http_post: .* is an internal address \(.*\)$/),
      });
    },
  );

  test("is refused where a redirect leads to it", async () => {
    let asked = 0;
    const inner = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(String(asked++)) });
    cleanups.push(() => inner.stop(true));
    const env = behindProxy(() => Response.redirect(`http://127.0.0.1:${inner.port}/`, 303));
    expect((await call(env, "http://hook.invalid/", "{}")).output?.system_message).toContain("is an internal address");
    expect(asked).toBe(0);
  });
});

test.each(["ftp://example.com/x", "file:///etc/passwd", "example.com", "/x"])("fails on %s", async (url) => {
  expect(await settled(call({}, url))).toThrow("http_post: only http(s) URLs are supported");
});

describe("as a guard, on an event that fails closed, it fails", () => {
  const guard = (env: Env, ...args: string[]) =>
    callBuiltin(run, { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: {} }, args, { env });

  test.each([304, 403, 500])("on status %d", async (status) => {
    const env = behindProxy(() => new Response(null, { status }));
    expect(await settled(guard(env, "http://hook.invalid/x?token=t3"))).toThrow(
      `http_post: hook.invalid: status ${status}`,
    );
  });

  test("on an address that it does not post to, without a URL, and at the deadline", async () => {
    expect(await settled(guard({}, "http://127.0.0.1:9/x"))).toThrow("is an internal address");
    expect(await settled(guard({}))).toThrow("http_post: no URL in args");
    const env = behindProxy(() => new Promise(() => {}));
    const input = { hook_event_name: "tool_guard", tool_name: "shell", tool_input: {} } as const;
    const options = { env, signal: AbortSignal.timeout(50) };
    expect(await settled(callBuiltin(run, input, ["http://hook.invalid/"], options))).toThrow("timed out");
  });

  test("and not on status 204, and a call that it cannot post about is blocked", async () => {
    const env = behindProxy(() => new Response(null, { status: 204 }));
    expect((await guard(env, "http://hook.invalid/")).output).toBeUndefined();
    const hooks = "pre_tool_use: [{hooks: [{type: builtin, command: http_post, args: [http://127.0.0.1:9/]}]}]\n";
    const cwd = tempDir({ "hooks.yaml": hooks });
    const input = JSON.stringify({ hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } });
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml"], { cwd, input });
    expect(ran.code).toBe(2);
    expect(ran.stdout).toContain("is an internal address");
  });
});

test("does nothing without a URL", async () => {
  expect((await call({})).output).toBeUndefined();
  expect((await call({}, "", "{}")).output).toBeUndefined();
});

test("ends with the deadline", async () => {
  const env = behindProxy(() => new Promise(() => {}));
  const options = { env, signal: AbortSignal.timeout(50) };
  const { output } = await callBuiltin(run, { hook_event_name: "turn_end" }, ["http://hook.invalid/"], options);
  expect(output).toEqual({ system_message: "http_post: hook.invalid: timed out" });
});
