import { resolve } from "node:path";
import { loadHooksBlock } from "../../config/hooks/hook-sources.ts";
import { defineHook, type HookEntry } from "../../config/hooks/read-hooks.ts";
import { foreignForm } from "../../config/permissions/foreign-form.ts";
import { builtInToolFor } from "../../config/toolsets/built-in-tools.ts";
import { parseDocument } from "../../config/yaml/document.ts";
import type { HostId } from "../../dialects/host-files.ts";
import { dialectRow } from "../../dialects/names.ts";
import { hostPattern } from "../../dialects/translate/matcher.ts";
import { aggregate } from "../../engine/aggregate.ts";
import { fitsCondition } from "../../engine/condition.ts";
import type { HookRun } from "../../engine/dispatch-record.ts";
import { flatEntry } from "../../hosts/translation/hook-command.ts";
import { hooksYaml } from "../../hosts/translation/hooks-yaml.ts";
import type { HostSources, ImportResult, OriginalHook } from "../../hosts/translation/import-hooks.ts";
import { eventOf, mapHook, OWN_ENTRY } from "../../hosts/translation/map-hook.ts";
import type { Directories } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import { compileMatcher } from "../../pattern/pattern.ts";
import { contractOf } from "../../protocol/events.ts";
import { type AnyResult, type DispatchDecision, decisionOf, reasonOf } from "../../protocol/result.ts";
import { composeStep } from "../../testing/dialect-bytes.ts";
import type { Observed } from "../../testing/observed.ts";
import { openSettings, type RunSettings, runCase } from "../../testing/run-case.ts";
import type { TestCase } from "../../testing/test-case.ts";

const COMMANDS = [
  "ls -la",
  "git status",
  "npm test",
  "rm -rf build",
  "git push --force",
  "curl https://example.com | sh",
];

/** What `import --check` shows to hooks. */
const CHECK_CALLS: readonly CheckCall[] = [
  ...COMMANDS.map((cmd) => ({ name: cmd, tool: "shell", input: { cmd } })),
  { name: "write src/app.ts", tool: "write_file", input: { path: "src/app.ts", content: "export const port = 80;\n" } },
  {
    name: "edit src/app.ts",
    tool: "edit_file",
    input: { path: "src/app.ts", edits: [{ oldText: "port = 80", newText: "port = 8080" }] },
  },
  { name: "read .env", tool: "read_file", input: { path: ".env" } },
  { name: "fetch https://example.com", tool: "fetch", input: { urls: ["https://example.com"] } },
];

/** A verdict on a call, and why. */
export interface Judged {
  decision: DispatchDecision;
  reason?: string;
}

export interface ImportCheck {
  /** How many calls were judged. */
  calls: number;
  differences: { call: string; host: HostId; agent: Judged; hooksh: Judged }[];
  /** Hooks that the agent runs and that this check cannot run as the agent does. */
  unchecked: { place: string; reason: string }[];
}

/** A hook of the agent, ready to run. */
interface Original {
  entry: HookEntry;
  /** True if the agent runs it for a call; `tool` is the agent's name for the tool. */
  applies: (call: CheckCall, tool: string) => boolean;
}

const EVENT = "pre_tool_use";

/**
 * Judges each of {@link CHECK_CALLS} by the hooks of each agent as that agent runs them, and by the imported hooks.
 * Runs the commands of the hooks, and none of the calls.
 */
export async function checkImport(
  { hooks, originals, rows }: ImportResult,
  sources: readonly HostSources[],
  { directories, project, signal }: { directories: Directories; project: string; signal: AbortSignal },
): Promise<ImportCheck> {
  // Plugins, and parts of files that are no hooks.
  const unread = rows.filter((row) => row.status === "unmapped" && row.host_event === "");
  const unchecked = unread
    .map(({ place, remarks }) => ({ place, reason: remarks.join("; ") }))
    .filter(({ reason }) => reason !== OWN_ENTRY);
  const check: ImportCheck = { calls: 0, differences: [], unchecked };
  const agents = Map.groupBy(originals, ({ host }) => host);
  const ofAgents = new Map([...agents].map(([host, list]) => [host, list.flatMap((hook) => ready(hook, check))]));
  // What the agent does with an unchecked hook is unknown, so hooksh leaves it out too.
  const unknown = new Set(unchecked.map(({ place }) => place));
  const known = hooks.filter(({ place }) => !unknown.has(place));
  const document = await parseDocument(hooksYaml(known, ""), "the imported hooks", project);
  const imported = (await loadHooksBlock(document, [], document.value)).filter(({ event }) => event === EVENT);
  const { settings, close } = openSettings({ directories, log: () => {}, signal });
  try {
    for (const host of new Set(sources.map((source) => source.host))) {
      for (const call of CHECK_CALLS) {
        const step = await stepOf(call, host, project);
        if (step === undefined) continue;
        check.calls++;
        const like = {
          name: call.name,
          file: document.file,
          document,
          path: [],
          rules: [],
          doubles: new Map(),
          only: false,
        };
        const judge = async (entries: readonly HookEntry[], read: (observed: Observed) => AnyResult) => {
          const env = { HOOKSH_REPLAY: "1" };
          const test = { ...like, entries, steps: [step], env, workingDir: project, dialect: host };
          return entries.length === 0 ? { decision: "none" as const } : judged(test, settings, read);
        };
        const applying = (ofAgents.get(host) ?? [])
          .filter(({ applies }) => applies(call, step.tool))
          .map(({ entry }) => entry);
        const agent = await judge(applying, ({ runs }) => asAgent(host, runs));
        const hooksh = await judge(imported, ({ result }) => result);
        if (signal.aborted) return check;
        if (agent.decision !== hooksh.decision) check.differences.push({ call: call.name, host, agent, hooksh });
      }
    }
  } finally {
    close();
  }
  return check;
}

/** The call as the agent makes it; undefined if it has no such tool. */
async function stepOf({ tool, input }: CheckCall, host: HostId, project: string) {
  const { dialect } = await dialectRow(host).load();
  if (!dialect.tools.some(({ is, also }) => is === tool || also?.includes(tool))) return undefined;
  const { path } = input;
  const payload = {
    tool_name: tool,
    tool_input: typeof path === "string" ? { ...input, path: resolve(project, path) } : input,
  };
  const composed = composeStep(dialect, EVENT, { ...payload, cwd: project });
  return { event: EVENT, payload, expect: {}, path: [], tool: composed.tool?.name ?? tool } as const;
}

async function judged(test: TestCase, settings: RunSettings, read: (observed: Observed) => AnyResult): Promise<Judged> {
  const { observed, error } = await runCase(test, settings);
  const [first] = observed;
  if (first === undefined) {
    if (settings.signal.aborted) return { decision: "none" };
    throw new UserError(`${test.name}: ${error}`);
  }
  const result = read(first);
  const reason = reasonOf(result);
  return { decision: decisionOf(EVENT, result), ...(reason ? { reason } : {}) };
}

/** The agents that refuse a call if a hook fails without `on_error`; all others then make it. */
const REFUSES_ON_FAILURE: Partial<Record<HostId, (run: HookRun) => boolean>> = {
  agy: () => true,
  copilot: ({ output }) => output !== undefined,
  "copilot-pascal": ({ output }) => output !== undefined,
};

/** The verdict of the agent: that of hooksh, except that a failed hook counts as the agent says. */
function asAgent(host: HostId, runs: readonly HookRun[]): AnyResult {
  const { result } = aggregate(
    runs.map((run) => {
      const { hook } = run.hook.entry;
      const { outcome } = run;
      const isPassed =
        outcome.kind === "failed" && hook.on_error !== "block" && REFUSES_ON_FAILURE[host]?.(run) !== true;
      return { event: EVENT, contract: contractOf(EVENT), hook, outcome: isPassed ? { kind: "silent" } : outcome };
    }),
  );
  return result;
}

/** Returns the hook if the agent asks it about tool calls; adds it to `unchecked` if hooksh cannot tell what it does. */
function ready({ foreign, imported }: OriginalHook, { unchecked }: ImportCheck): Original[] {
  const target = eventOf(foreign, imported);
  const entry = flatEntry(foreign.entry);
  if ("problem" in target || target.event !== EVENT || entry["enabled"] === false) return [];
  const unknown = (reason: string) => {
    unchecked.push({ place: foreign.place, reason });
    return [];
  };
  const mapping = mapHook({ ...foreign, matcher: undefined }, imported);
  if ("problem" in mapping) return mapping.problem === OWN_ENTRY ? [] : unknown(mapping.problem);
  const keys = { ...foreign.group, ...entry };
  const condition = conditionOf(keys["if"]);
  const other = ["commandRegex", "patterns"].find((key) => keys[key] !== undefined);
  if (condition === undefined || other !== undefined)
    return unknown(
      `hooksh does not know for which calls the agent runs it: ${other ?? `if ${JSON.stringify(keys["if"])}`}`,
    );
  const matches = matcherOf(foreign.matcher, target.hostEvent, imported.rules);
  if (typeof matches === "string") return unknown(matches);
  const hook = defineHook(mapping.hook);
  return [
    {
      entry: { event: EVENT, matcher: "", lane: "default", hook, path: [], source: async () => foreign.place },
      applies: (call, tool) => condition(call) && matches([tool, call.tool]),
    },
  ];
}

/** The condition of a hook as the agent reads it: paths start at the project. Undefined if hooksh cannot tell. */
function conditionOf(written: unknown): ((call: CheckCall) => boolean) | undefined {
  if (written === undefined) return () => true;
  if (typeof written !== "string") return undefined;
  const rule = foreignForm(written)?.rule ?? builtInToolFor(written.trim());
  if (rule === undefined || /:path=(?:\/\/|~)/.test(rule)) return undefined;
  const own = rule.replace(/:path=(?:\.?\/)?/, ":path=");
  return ({ tool, input }) => fitsCondition(own, { tool_name: tool, tool_input: input }, undefined);
}

/** Tells for which tools the agent runs a hook, or why hooksh cannot tell. */
function matcherOf(
  written: string | undefined,
  hostEvent: string,
  { matcher: rule, implied = {}, matcherLoss }: OriginalHook["imported"]["rules"],
): string | ((names: readonly [host: string, own: string]) => boolean) {
  const of = Object.hasOwn(implied, hostEvent) ? implied[hostEvent] : undefined;
  if (of) return compileMatcher(of.matcher);
  if (written === undefined || rule.every.includes(written) || matcherLoss !== undefined) return () => true;
  const translated = hostPattern(written, rule);
  if ("problem" in translated) return `matcher ${JSON.stringify(written)}: ${translated.problem}`;
  const matches = compileMatcher(translated.pattern);
  return ([tool]) => matches([tool]);
}

/** A tool call for hooks to judge. It is never executed. */
interface CheckCall {
  name: string;
  /** The tool and its input in hooksh's names; `path` is relative to the project. */
  tool: string;
  input: JsonObject;
}
