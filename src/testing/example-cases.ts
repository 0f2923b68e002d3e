import { dirname, resolve } from "node:path";
import type { HookExample } from "../config/hooks/hook-examples.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { BUILT_IN_TOOLS } from "../config/toolsets/built-in-tools.ts";
import { type Document, problemsError, readDocument } from "../config/yaml/document.ts";
import type { Directories } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { compileMatcher, literalNames } from "../pattern/pattern.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { FieldName } from "../protocol/fields.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { ruleArgumentOf } from "../tools/tool-names.ts";
import { itemText } from "./each.ts";
import type { TestCase, TestFile } from "./test-case.ts";
import { displayPath, loadTestHooks } from "./test-hooks.ts";

/** Reads an agent file or hooks file whose examples are to be tested. Throws a {@link ConfigError}. */
export async function readExamples(path: string, directories: Directories): Promise<TestFile> {
  const name = displayPath(path);
  const document = await readDocument(path, name);
  const directory = dirname(path);
  const hooks = await loadTestHooks({
    document,
    directory,
    hooks: path,
    agent: undefined,
    userHooks: false,
    directories,
  });
  return { path, name, document, hooks, cases: [], recordings: [] };
}

/**
 * Returns a case for each example beside the hooks of a file, which runs this hook alone. `seen` holds the hooks whose
 * examples have a case already. Throws a {@link ConfigError} for examples that do not say what the event is.
 */
export async function exampleCases({ hooks }: Pick<TestFile, "hooks">, seen: Set<string>): Promise<TestCase[]> {
  const cases: TestCase[] = [];
  for (const entry of hooks.entries) {
    const { document } = entry;
    const key = `${document?.file ?? ""} ${JSON.stringify(entry.path)}`;
    if (document === undefined || seen.has(key)) continue;
    seen.add(key);
    const examples = examplesOf(entry);
    const problems = examples.flatMap(({ problem }) => problem ?? []);
    if (problems.length > 0) throw await problemsError(document, problems);
    cases.push(...examples.map((example) => caseOf(entry, document, example)));
  }
  return cases;
}

export interface ReadExample {
  decision: string;
  example: HookExample;
  path: TestCase["path"];
  payload: Payload;
  /** Set if the example does not say what the event is. */
  problem?: { path: TestCase["path"]; message: string };
}

/** Returns the examples beside a hook, as payloads of its event. */
export function examplesOf({ hook, event, matcher, path }: HookEntry): ReadExample[] {
  return Object.entries(hook.examples ?? {}).flatMap(([decision, examples]) =>
    examples.map((example, index) => {
      const at = [...path, "examples", decision, index];
      const payload = payloadOf(event, matcher, example);
      const read = { decision, example, path: at };
      return typeof payload === "string"
        ? { ...read, payload: {}, problem: { path: at, message: payload } }
        : { ...read, payload };
    }),
  );
}

/** The fields that a text sets on events without a tool call: the first of them that the event has. */
const TEXT_FIELDS = ["prompt", "stop_response", "notification_message", "summary", "source", "reason"] as const;

function payloadOf(event: EventName, matcher: string, example: HookExample): Payload | string {
  const { matcher: isToolCall, fields } = contractOf(event);
  const has = (field: FieldName) => (fields as readonly string[]).includes(field);
  if (isToolCall) {
    const tool = toolFor(matcher);
    if (isObject(example)) return { tool_name: tool, tool_input: example };
    const argument = ruleArgumentOf(tool);
    if (argument === undefined) return `${tool} has no main argument: write the whole input, such as {name: value}`;
    return { tool_name: tool, tool_input: { [argument]: example } };
  }
  if (isObject(example)) return example;
  const field = TEXT_FIELDS.find(has);
  if (field !== undefined) return { [field]: example };
  if (has("messages")) return { messages: [{ role: "user", content: example }] };
  if (has("steering_messages")) return { steering_messages: [example] };
  return `${event} has no text: write its fields, such as {name: value}`;
}

/** The tool of an example: the first one that the matcher names, else `shell` or the first built-in tool it matches. */
function toolFor(matcher: string): string {
  const [named] = literalNames(matcher) ?? [];
  if (named !== undefined) return named;
  const matches = compileMatcher(matcher);
  return ["shell", ...BUILT_IN_TOOLS].find((tool) => matches([tool])) ?? matcher;
}

function caseOf(entry: HookEntry, document: Document, { decision, example, path, payload }: ReadExample): TestCase {
  const { mode: _observes, ...hook } = entry.hook;
  return {
    name: `example: ${decision} ${itemText(example)}`,
    file: document.file,
    document,
    path,
    // A hook that only observes must be right, too.
    entries: [{ ...entry, hook: { ...hook, mode: "" } }],
    rules: [],
    item: { value: example },
    doubles: new Map(),
    steps: [{ event: entry.event, payload, expect: { decision }, path }],
    env: {},
    workingDir: entry.directory === undefined ? undefined : resolve(entry.directory),
    only: false,
  };
}
