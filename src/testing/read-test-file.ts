import { dirname, resolve } from "node:path";
import { checkSchema } from "../config/yaml/check-schema.ts";
import { type Document, type Problem, parseDocument, problemsError, readText } from "../config/yaml/document.ts";
import type { Directories } from "../lib/env.ts";
import type { ConfigError } from "../lib/errors.ts";
import { buildCases } from "./build-cases.ts";
import type { TestFile } from "./test-case.ts";
import { displayPath, loadTestHooks } from "./test-hooks.ts";
import { TEST_FILE, type TestFileValue } from "./test-schema.ts";
import { maskExpressions } from "./unquoted-expressions.ts";

/**
 * Reads a `*.hooktest.yaml` and the hooks it is about. Throws a {@link ConfigError} that lists every problem with its
 * place: an unknown key, event, tool or hook, a value that can never hold, a pattern that cannot match.
 */
export async function readTestFile(path: string, directories: Directories): Promise<TestFile> {
  const absolute = resolve(path);
  const name = displayPath(absolute);
  const directory = dirname(absolute);
  const document = await readMasked(absolute, name);
  const { value, problems } = checkSchema(TEST_FILE, document.value, [], Infinity);
  if (!value || problems.length > 0) throw await problemError(document, problems.map(withOwnName));
  const file = value as TestFileValue;
  const { hooks: written, agent, user_hooks: userHooks = false } = file;
  const hooks = await loadTestHooks({ document, directory, hooks: written, agent, userHooks, directories });
  const { cases, recordings, report } = buildCases(file, { name, document, directory, hooks });
  if (report.problems.length > 0) throw await problemError(document, report.problems);
  return { path: absolute, name, document, hooks, cases, recordings };
}

async function readMasked(path: string, name: string): Promise<Document> {
  const { text, restore } = maskExpressions(await readText(path, name));
  const document = await parseDocument(text, name, dirname(path));
  return { ...document, value: restore(document.value) };
}

/** Keys by the names that events and results give them. */
const KEYS_OF_TEST: Readonly<Record<string, string>> = {
  tool_name: "tool",
  tool_input: "input",
  hook_event_name: "event",
};
const KEYS_OF_EXPECT: Readonly<Record<string, string>> = {
  tool_input: "input",
  stop_response: "response",
  additional_context: "context",
  decision_reason: "reason",
};

/** Names the key to use in place of an unknown one that is the name of a field of an event or a result. */
function withOwnName(problem: Problem): Problem {
  const key = String(problem.path.at(-1));
  const names = problem.path.at(-2) === "expect" ? KEYS_OF_EXPECT : KEYS_OF_TEST;
  if (key === "expect" && problem.message.startsWith("expected a mapping"))
    return { ...problem, message: `${problem.message}; write {decision: deny}` };
  const isUnknown = problem.at === "key" && problem.message.startsWith("unknown key");
  if (!isUnknown || !Object.hasOwn(names, key)) return problem;
  return { ...problem, message: `unknown key; it is called ${JSON.stringify(names[key])} here` };
}

async function problemError(document: Document, problems: readonly Problem[]): Promise<ConfigError> {
  return await problemsError(document, problems);
}
