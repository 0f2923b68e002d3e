import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTestFile } from "../src/testing/read-test-file.ts";
import { hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const guards = join(import.meta.dir, "../examples/guards");
const names = readdirSync(guards)
  .filter((name) => name !== "README.md")
  .sort();
const page = readFileSync(join(import.meta.dir, "../docs/cookbook.md"), "utf8");
const textOf = (name: string, file: string) => readFileSync(join(guards, name, file), "utf8");

test("the page has a section for each guard, shows its configuration as it is, and shows or links its scripts", () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
  const shown = [...page.matchAll(/^```\w*\n([^]*?)^```\n/gm)].map(([, block = ""]) => block);
  const missing = names.flatMap((name) =>
    readdirSync(join(guards, name))
      .filter((file) => !file.endsWith(".hooktest.yaml"))
      .filter((file) => !shown.includes(textOf(name, file).replace(/^# yaml-language-server: .*\n/, "")))
      .filter((file) => file === "hooks.yaml" || !page.includes(`](../examples/guards/${name}/${file})`))
      .map((file) => `${name}/${file}`),
  );
  expect(missing).toEqual([]);
  expect(names.filter((name) => !page.includes(`](../examples/guards/${name})`))).toEqual([]);
});

interface Expectation {
  [key: string]: unknown;
  decision?: string;
}

/** What the tests of a guard expect of each event. */
async function expectationsOf(name: string): Promise<Expectation[]> {
  const none = join(tempDir(), "none");
  const file = await readTestFile(join(guards, name, "hooks.hooktest.yaml"), { config: none, data: none, cache: none });
  return file.cases.flatMap(({ steps }) => steps.map(({ expect }) => expect as Expectation));
}

const STOPS: readonly ((expect: Expectation) => boolean)[] = [
  ({ decision }) => ["deny", "block", "ask"].includes(decision ?? ""),
  // Of an event that cannot be stopped: the effect of the hook.
  ({ rewritten, redacted }) => rewritten === true || redacted === true,
  ({ context, system_message: said }) => context !== undefined || said !== undefined,
  ({ outcome }) => outcome === "failed",
];

test.each(names)("the tests of %s have a case that it stops, and one that it lets through", async (name) => {
  const isStop = (expect: Expectation) => STOPS.some((stops) => stops(expect));
  const expected = await expectationsOf(name);
  expect(expected.some(isStop)).toBe(true);
  expect(expected.some((one) => Object.keys(one).length > 0 && !isStop(one))).toBe(true);
});

test("tell-slack posts the tool, the guard and the reason of a denied call, and not its arguments", async () => {
  const bodies: unknown[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      bodies.push(await request.json());
      return new Response("ok");
    },
  });
  const decided = (approval_decision: string) => ({
    hook_event_name: "on_tool_approval_decision",
    agent_name: "root",
    tool_name: "shell",
    tool_input: { cmd: "git push -f" },
    approval_decision,
    approval_source: "hook",
    approval_reason: "tell <!channel> & all",
    approval_hooks: [
      { event: "pre_tool_use", name: "plain-push", type: "builtin", source: "a:1", outcome: "blocked", duration_ms: 1 },
    ],
  });
  const ran = await hooksh(["dispatch", "--hooks-file", join(guards, "tell-slack/hooks.yaml"), "--output", "text"], {
    cwd: tempDir(),
    input: JSON.stringify([decided("deny"), decided("allow")]),
    env: { SLACK_WEBHOOK_URL: server.url.href },
  });
  server.stop(true);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  const text = "root was denied shell by plain-push: tell &lt;!channel&gt; &amp; all";
  expect(bodies).toEqual([{ text }]);
});
