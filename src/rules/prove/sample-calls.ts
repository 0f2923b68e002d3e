import type { Condition, PastEvent, Rule } from "../rule.ts";
import { newBudget, within } from "./budget.ts";
import type { Witness } from "./call.ts";
import type { SampleCalls } from "./candidates.ts";
import { glob } from "./language.ts";
import { plainLines, sampleLines } from "./sample-lines.ts";
import { wordFinder } from "./shortest-word.ts";

/** The calls that questions begin with. */
export function sampleCalls(): SampleCalls {
  return { lines: sampleLines(), plain: plainLines(), calls: toolCalls, pastOf };
}

function toolCalls({ paths, hosts }: { paths: readonly string[]; hosts: readonly string[] }): Witness[] {
  const call = (tool: string, input: Witness["input"]): Witness => ({ tool, input });
  const ofPaths = paths.flatMap((path) => [
    call("write_file", { path, content: "" }),
    call("edit_file", { path, edits: [{ oldText: "a", newText: "b" }] }),
    call("create_directory", { paths: [path] }),
    call("remove_directory", { paths: [path] }),
    call("read_file", { path }),
    call("list_directory", { path }),
    call("search_files_content", { path, query: "x" }),
  ]);
  return [
    ...ofPaths,
    ...hosts.map((host) => call("fetch", { urls: [`https://${host}`] })),
    call("transfer_task", { agent: "x", task: "x" }),
    call("think", { thought: "x" }),
    call("mcp:x:y", {}),
    ...paths.map((path) => call("mcp:x:y", { path })),
    ...hosts.map((host) => call("mcp:x:y", { host })),
  ];
}

/** What shows the earlier calls, any of which lifts a rule. */
function pastOf({ history: { unlessAfter = [] } }: Rule): readonly string[] {
  const [first] = unlessAfter;
  return first ? [shownPast(first)] : [];
}

function shownPast({ when, written }: PastEvent): string {
  const texts = when ? testsOf(when) : [];
  const word = (fact: string): string | undefined => {
    const pattern = texts.find((one) => one.fact === fact)?.patterns[0];
    if (pattern === undefined) return undefined;
    const found = within(() => wordFinder(newBudget())(glob(pattern)));
    return found === "limit" ? pattern : found;
  };
  const command = word("command");
  if (command !== undefined) return command;
  const words = [word("program"), word("verb"), ...["flags", "args", "paths"].map(word)].filter(
    (one) => one !== undefined,
  );
  return words.length > 0 ? words.join(" ") : (word("tool") ?? written);
}

function testsOf(condition: Condition): { fact: string; patterns: readonly string[] }[] {
  switch (condition.kind) {
    case "fact":
      return [{ fact: condition.fact, patterns: condition.test.in ?? [] }];
    case "not":
      return [];
    default:
      return condition.of.flatMap(testsOf);
  }
}
