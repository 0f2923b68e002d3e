import { describe, expect, test } from "bun:test";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMap, isSeq, parseDocument } from "yaml";
import { readTestFile } from "../src/testing/read-test-file.ts";
import { hooksh } from "./helpers/binary.ts";
import { tempDir } from "./helpers/temp-dir.ts";

const guards = join(import.meta.dir, "../examples/guards");
const names = readdirSync(guards)
  .filter((name) => name !== "README.md")
  .sort();
const page = readFileSync(join(import.meta.dir, "../docs/cookbook.md"), "utf8");
const textOf = (name: string, file: string) => readFileSync(join(guards, name, file), "utf8");

test("the page has a section for each guard, and shows its files as they are", () => {
  expect(names.length).toBeGreaterThanOrEqual(20);
  const shown = [...page.matchAll(/^```\w*\n([^]*?)^```\n/gm)].map(([, block = ""]) => block);
  const missing = names.flatMap((name) =>
    readdirSync(join(guards, name))
      .filter((file) => !file.endsWith(".hooktest.yaml"))
      .filter((file) => !shown.includes(textOf(name, file).replace(/^# yaml-language-server: .*\n/, "")))
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

describe("the page says what becomes of the attacks", () => {
  const claims = [
    ...page
      .replaceAll(/\s+/g, " ")
      .matchAll(
        /\/guards\/([\w-]+)\)\. Of the (\d+) calls of `hooksh test --attacks(?:=([\w-]+))?`, it (denies|asks about) (\d+|all)\b/g,
      ),
  ].map(([, name = "", calls, category = "", verb = "", stopped]) => ({
    name,
    category,
    calls: Number(calls),
    outcome: verb === "denies" ? "denied" : "asked",
    stopped: Number(stopped === "all" ? calls : stopped),
  }));

  test("of eight categories and more", () => expect(claims.length).toBeGreaterThanOrEqual(8));

  test.each(claims)("$name: $category", async ({ name, category, calls, outcome, stopped }) => {
    const attacks = category === "" ? "--attacks" : `--attacks=${category}`;
    const file = join(guards, name, "hooks.yaml");
    const ran = await hooksh(["test", attacks, file, "--json", "--jobs", "2"], { cwd: tempDir() });
    expect(ran.lines().at(-1)).toMatchObject({ calls, [outcome]: stopped });
  });
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

describe("without one of its hooks", () => {
  /** Hooks by event, as lists of a document: `[["pre_tool_use", 0, "hooks", 0], ...]`. */
  function hooksIn(text: string): (string | number)[][] {
    const document = parseDocument(text);
    if (!isMap(document.contents)) return [];
    return document.contents.items.flatMap(({ key, value }) =>
      !isSeq(value)
        ? []
        : value.items.flatMap((entry, at) => {
            const own = isMap(entry) ? entry.get("hooks") : undefined;
            const path = [String(key), at];
            return isSeq(own) ? own.items.map((_, index) => [...path, "hooks", index]) : [path];
          }),
    );
  }

  /** The text with a hook in the place of one of its hooks, under the same name, that has nothing to say. */
  function without(text: string, path: (string | number)[]): string {
    const document = parseDocument(text);
    const name = document.getIn([...path, "name"]);
    document.setIn(path, document.createNode({ name, type: "command", command: "true" }));
    return String(document);
  }

  const mutants = names.flatMap((name) =>
    hooksIn(textOf(name, "hooks.yaml")).map((path, index) => ({ name, path, folder: `${name}-${index}` })),
  );

  test("the tests of every guard fail", async () => {
    expect(mutants.length).toBeGreaterThanOrEqual(names.length);
    const cwd = tempDir();
    for (const { name, path, folder } of mutants) {
      cpSync(join(guards, name), join(cwd, folder), { recursive: true });
      writeFileSync(join(cwd, folder, "hooks.yaml"), without(textOf(name, "hooks.yaml"), path));
    }
    const ran = await hooksh(["test", cwd, "--json", "--jobs", "2"], { cwd });
    const lines = ran.lines();
    const failed = new Set(lines.filter(({ status }) => status === "failed").map(({ file }) => String(file)));
    const seesNothing = mutants.filter(({ folder }) => ![...failed].some((file) => file.includes(`${folder}/`)));
    expect(lines.filter(({ type }) => type === "error")).toEqual([]);
    expect(seesNothing.map(({ folder }) => folder)).toEqual([]);
  });
});
