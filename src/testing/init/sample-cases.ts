import { hookNames } from "../../config/hooks/hook-names.ts";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import { BUILT_IN_TOOLS } from "../../config/toolsets/built-in-tools.ts";
import { failurePolicy } from "../../engine/hook-policy.ts";
import { compileMatcher, literalNames } from "../../pattern/pattern.ts";
import { contractOf, laneContract } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { ruleArgumentOf } from "../../tools/tool-names.ts";
import { alternativesOf } from "../coverage/alternatives.ts";

/** A test to write: an event, and what to expect besides the decision that the current configuration gives. */
export interface SampleCase {
  name: string;
  /** What the user should change, on one line. */
  advice: string;
  payload: Payload;
  ran?: string;
  notRan?: string;
  /** The hook that is to fail. */
  fault?: string;
}

/** Inputs of built-in tools; of others the input is empty. */
const INPUTS: Readonly<Record<string, Payload>> = {
  shell: { cmd: "ls" },
  run_background_job: { cmd: "ls" },
  read_file: { path: "README.md" },
  write_file: { path: "notes.txt", content: "hello" },
  edit_file: { path: "notes.txt", edits: [{ oldText: "hello", newText: "goodbye" }] },
  fetch: { urls: ["https://example.com/"] },
};

/** Values of the fields of events without a tool call. */
const FIELDS: Payload = {
  prompt: "Say hello.",
  tool_response: "hello",
  stop_response: "Hello!",
  messages: [{ role: "user", content: "Say hello." }],
  steering_messages: ["Say hello."],
};

/** Returns the tests of one hook: every tool its matcher names, one it does not match, and its failure. */
export function sampleCases(entry: HookEntry, entries: readonly HookEntry[]): SampleCase[] {
  const { event, hook, matcher } = entry;
  const name = referenceTo(entry);
  const shown = name ?? `the ${hook.type} hook`;
  if (!contractOf(event).matcher)
    return [
      {
        name: `${shown} on ${event}`,
        advice: EXAMPLE_ADVICE,
        payload: payloadFor(entry),
        ...(name ? { ran: name } : {}),
      },
      ...faultCases(entry, payloadFor(entry), name),
    ];
  const tools = matchedTools(matcher);
  const other = ["think", ...BUILT_IN_TOOLS].find((tool) => !compileMatcher(matcher)([tool]));
  const isOnly = name !== undefined && entries.filter((one) => hookNames(one.hook).includes(name)).length === 1;
  return [
    ...tools.map(
      (tool): SampleCase => ({
        name: `${shown} on ${event} of ${tool}`,
        advice: EXAMPLE_ADVICE,
        payload: payloadFor(entry, tool),
        ...(name ? { ran: name } : {}),
      }),
    ),
    ...(other && isOnly
      ? [
          {
            name: `${shown} does not run on ${event} of ${other}`,
            advice: "keep: it shows that the matcher leaves other tools alone",
            payload: payloadFor(entry, other),
            notRan: name,
          },
        ]
      : []),
    ...faultCases(entry, payloadFor(entry, tools[0]), name),
  ];
}

const EXAMPLE_ADVICE = "change the input to one that the hook is about, and the decision to the one you want";

/** A name by which a test file can refer to a hook: the shortest on one line. */
export function referenceTo({ hook }: HookEntry): string | undefined {
  return (
    hook.name ||
    hookNames(hook)
      .toSorted((a, b) => a.length - b.length)
      .find((name) => /^[^\n\r]{1,60}$/.test(name))
  );
}

function faultCases({ event, lane, hook }: HookEntry, payload: Payload, name: string | undefined): SampleCase[] {
  const blocks = failurePolicy(laneContract(event, lane), hook) === "block";
  if (name === undefined || !blocks || hook.type === "model") return [];
  return [
    {
      name: `${name} fails`,
      advice: "keep: it shows that nothing goes on while the guard is broken",
      payload,
      fault: name,
    },
  ];
}

/** One tool for each alternative of a matcher. */
function matchedTools(matcher: string): string[] {
  const tools = alternativesOf(matcher).flatMap((alternative) => {
    const [named] = literalNames(alternative) ?? [];
    if (named !== undefined) return [named];
    const matches = compileMatcher(alternative);
    return ["shell", ...BUILT_IN_TOOLS].find((tool) => matches([tool])) ?? [];
  });
  return [...new Set(tools)];
}

function payloadFor({ event }: HookEntry, tool?: string): Payload {
  const { fields } = contractOf(event);
  const given = Object.entries(FIELDS).filter(([field]) => (fields as readonly string[]).includes(field));
  const argument = tool === undefined ? undefined : ruleArgumentOf(tool);
  const input = (tool && INPUTS[tool]) || (argument === undefined ? {} : { [argument]: "README.md" });
  return { ...(tool === undefined ? {} : { tool_name: tool, tool_input: input }), ...Object.fromEntries(given) };
}
