import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, printError, warn } from "../cli/print.ts";
import { sourceContext } from "../cli/source-context.ts";
import { ownHooksOf } from "../config/agent/agent-hooks.ts";
import { checkRouting } from "../config/agent/check-routing.ts";
import { type LoadedAgentFile, loadAgentFile } from "../config/agent/load-agent.ts";
import { readConfigDirectory } from "../config/hooks/config-directory.ts";
import {
  asHooksDocument,
  loadHooksBlock,
  loadHooksBlocks,
  loadHooksDocument,
  loadUserHooks,
} from "../config/hooks/hook-sources.ts";
import { type HookEntry, nearestEvent } from "../config/hooks/read-hooks.ts";
import { missingEvaluatorKeys } from "../config/notices/evaluator-keys.ts";
import { hookNotices, type NoticeScope } from "../config/notices/hook-notices.ts";
import { routingNotices } from "../config/notices/routing-notices.ts";
import { toolsetNotices } from "../config/notices/toolset-notices.ts";
import { collectAll, loadRules, type PlacedRule, ruleNotices } from "../config/rules/load-rules.ts";
import { AGENT_FILE_NAMES } from "../config/sources/agent-file-names.ts";
import { locateAgentFile } from "../config/sources/agent-reference.ts";
import { openSecrets } from "../config/user/secrets.ts";
import { aliasPath, loadUserConfig, readUserConfig, type UserConfig } from "../config/user/user-config.ts";
import { readDocument } from "../config/yaml/document.ts";
import { NO_LOG } from "../engine/handler.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { ConfigError, EXIT_CODES, UsageError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { counted } from "../lib/text/counted.ts";
import { jsonLine } from "../lib/text/escape-controls.ts";
import { nearest } from "../lib/text/nearest.ts";
import { isEventName } from "../protocol/events.ts";
import { skillNotices } from "../runtime/skills/skill-notices.ts";

const FLAGS = {
  json: { kind: "switch", description: "Print one JSON object per file" },
  strict: {
    kind: "switch",
    description: "Treat warnings as errors, except for a matcher on a tool that only other agents have",
  },
  env: { kind: "switch", description: "Also check that the keys of the models and evaluators are set" },
  "strict-version": { kind: "switch", description: "Treat a key that is newer than the file's version as an error" },
} as const satisfies FlagSpecs;

/** The problems of one file. */
interface Verdict {
  file: string;
  problems: readonly string[];
  warnings: readonly string[];
  /** Those of the warnings that `--strict` accepts. */
  remarks?: readonly string[];
  /** The number of examples beside hooks that were not run. */
  examplesNotRun?: number;
}

/** `hooksh validate`: prints every problem of every file. Needs no keys; fetches only what is not a local file. */
export const command = defineCommand({
  positionals: "[FILE...]",
  description:
    "Checks agent files, files that contain a hooks block, and config.yaml: every key, hook, matcher and reference. Prints each\n" +
    "problem on a line with its place. Warns about matchers that match no tool, scripts that cannot run, toolsets that cannot\n" +
    "start on this machine, timeouts over ten minutes, and restrictions that hooksh does not enforce. Runs the examples beside\n" +
    "hooksh's own hooks, and no others. Needs no keys, except with --env, and starts nothing. Without a file, checks the agent file that hooksh run\n" +
    "uses in this directory. Exits 1 if anything is wrong.",
  flags: FLAGS,
  async run({ flags, positionals, signal }) {
    const references = positionals.length > 0 ? positionals : [projectAgent()];
    const directories = directoriesOf(flags);
    const user = await loadUserConfig(directories);
    const sources = sourceContext({ directories, cwd: process.cwd(), signal });
    const strictVersion = flags["strict-version"] ?? false;
    let exitCode: number = EXIT_CODES.ok;
    // What is not read for its name, or cannot be read, concerns every file, and is reported with the first.
    let unread = [...readConfigDirectory(directories.config).misnamed, ...(await brokenHooks(directories))];
    for (const reference of references) {
      const found = await validate(aliasPath(user, reference) ?? reference, directories, {
        userProviders: user.providers,
        strictVersion,
        sources,
        ...(flags.env ? { keys: { directories, userDefaultModel: user.defaultModel } } : {}),
      });
      const { problems, remarks = [] } = found;
      const warnings = [...unread.filter((text) => !problems.includes(text)), ...found.warnings];
      unread = [];
      const verdict = flags.strict
        ? {
            ...found,
            problems: [...problems, ...warnings.filter((text) => !remarks.includes(text))],
            warnings: remarks,
          }
        : { ...found, warnings };
      if (verdict.problems.length > 0) exitCode = EXIT_CODES.failed;
      await show(verdict, flags);
    }
    return exitCode;
  },
});

/** Returns the name of the agent file of the working directory. Throws a {@link UsageError} if there is none. */
function projectAgent(): string {
  const found = locateAgentFile(undefined, { cwd: process.cwd() });
  if (found.kind === "file") return found.displayName;
  throw new UsageError(`validate needs a file, because this directory has no ${AGENT_FILE_NAMES.join(", ")}`);
}

async function validate(reference: string, directories: Directories, options: AgentOptions): Promise<Verdict> {
  try {
    const { warnings, remarks, entries, rules } =
      (await checkUserFile(reference)) ?? (await checkAgentFile(reference, directories, options));
    const hasExamples = entries.some(({ hook }) => hook.examples !== undefined);
    const { problems, notRun } = hasExamples
      ? await (await import("../testing/check-examples.ts")).checkExamples(entries, directories)
      : { problems: [], notRun: 0 };
    const ofRules = rules.length > 0 ? await checkRules(rules, directories) : { problems: [], warnings: [] };
    return {
      file: reference,
      problems: [...problems, ...ofRules.problems],
      warnings: [...warnings, ...ofRules.warnings],
      remarks,
      examplesNotRun: notRun,
    };
  } catch (error) {
    if (error instanceof ConfigError) return { file: reference, problems: error.problems, warnings: [] };
    throw error;
  }
}

interface AgentOptions extends Omit<Parameters<typeof loadAgentFile>[1], "cwd"> {
  /** What the check of keys needs; undefined if they are not checked (`--env`). */
  keys?: { directories: Directories; userDefaultModel: UserConfig["defaultModel"] };
}

/** Checks the examples of rules, and looks for rules that never decide. */
async function checkRules(
  rules: readonly PlacedRule[],
  directories: Directories,
): Promise<{ problems: string[]; warnings: string[] }> {
  const [{ placeOf }, { checkRuleExamples }, { ruleNotices: oddRules }, { proofTables }, { factsOfCall }] =
    await Promise.all([
      import("../facts/place.ts"),
      import("../testing/check-examples.ts"),
      import("../rules/prove/rule-notices.ts"),
      import("../rules/prove/proof-tables.ts"),
      import("../rules/prove/judge-call.ts"),
    ]);
  const place = placeOf({ cwd: process.cwd(), env: processEnv() });
  const effectsOf = (cmd: string): string[] => {
    const steps = factsOfCall({ tool: "shell", input: { cmd } }, place).call?.steps ?? [];
    return steps.flatMap(({ effect }) => effect.values.map(({ text }) => text));
  };
  const warnings: string[] = [];
  for (const { path, text } of oddRules(rules, { tables: proofTables(), place, effectsOf })) {
    const rule = rules.find((one) => one.path === path);
    warnings.push(`${rule ? await rule.source() : ""}: ${text}`);
  }
  const [{ missingResultsOfHosts }, { currentPlace }] = await Promise.all([
    import("../hosts/registration/missing-results.ts"),
    import("../hosts/registration/named-host.ts"),
  ]);
  warnings.push(...(await missingResultsOfHosts(rules, currentPlace(), directories)));
  return { problems: await checkRuleExamples(rules, directories), warnings };
}

/** The warnings about a file that is valid, its hooks and its rules. */
interface CheckedFile extends Noticed {
  entries: readonly HookEntry[];
  rules: readonly PlacedRule[];
}

async function checkAgentFile(
  reference: string,
  directories: Directories,
  options: AgentOptions,
): Promise<CheckedFile> {
  const file = await loadAgentFile(reference, { ...options, cwd: process.cwd() });
  const machine = { workingDir: process.cwd(), env: processEnv() };
  const routes = file.agents.some(({ routing }) => routing !== undefined);
  const user = routes ? (await loadUserHooks({ directories, warn: () => {} })).entries : undefined;
  await checkRouting(file, user ?? []);
  const warnings = [
    ...file.unenforced,
    ...file.warnings,
    ...(await toolsetNotices(file, machine)),
    ...(await skillNotices(file, machine)),
    ...(await routingNotices(file)),
  ];
  if (options.keys) await checkFileKeys(file, options.keys);
  const noticed = await noticesOf({ file, user: [] });
  const ofUser = user ?? (await ownHooks(directories));
  const dead = (await hookNotices({ file, user: ofUser, ...machine })).filter(({ level }) => level === "fatal");
  noticed.warnings.push(...dead.flatMap(({ text }) => (noticed.warnings.includes(text) ? [] : [text])));
  const { document, hooks: value } = file;
  const blocks = [{ document, path: ["hooks"], value }, ...file.agents.map((agent) => ownHooksOf(file, agent))];
  return {
    warnings: [...warnings, ...noticed.warnings],
    remarks: noticed.remarks,
    entries: await loadHooksBlocks(blocks),
    rules: await loadRules({ document, path: [], value: file.ruleKeys }),
  };
}

/** Returns the user's own hooks; none if they cannot be loaded, which is no problem of the file. */
async function ownHooks(directories: Directories): Promise<readonly HookEntry[]> {
  const loaded = await loadOwnHooks(directories);
  return loaded instanceof ConfigError ? [] : loaded;
}

/** Returns what keeps the user's own hooks from being loaded, at which `run` and `dispatch` stop. */
async function brokenHooks(directories: Directories): Promise<readonly string[]> {
  const loaded = await loadOwnHooks(directories);
  return loaded instanceof ConfigError ? loaded.problems : [];
}

async function loadOwnHooks(directories: Directories): Promise<readonly HookEntry[] | ConfigError> {
  try {
    return (await loadUserHooks({ directories, warn: () => {} })).entries;
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Throws a {@link ConfigError} that names the keys of models and evaluators that are not set. */
async function checkFileKeys(
  file: LoadedAgentFile,
  { directories, userDefaultModel }: NonNullable<AgentOptions["keys"]>,
): Promise<void> {
  const { checkKeys } = await import("../runtime/team/check-team.ts");
  const lookup = openSecrets({ env: processEnv(), configDirectory: directories.config, cwd: process.cwd() });
  const problems = await missingEvaluatorKeys(file, [], lookup);
  try {
    checkKeys(file, { lookup, models: {}, userDefaultModel, log: NO_LOG });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.unshift(...error.problems);
  }
  if (problems.length > 0) throw new ConfigError(problems);
}

/**
 * Returns the warnings about a hooks file or a `config.yaml`; undefined for an agent file. Throws a {@link
 * ConfigError}.
 */
async function checkUserFile(reference: string): Promise<CheckedFile | undefined> {
  const found = locateAgentFile(reference, { cwd: process.cwd() });
  if (found.kind !== "file") return undefined;
  const document = await readDocument(found.path, found.displayName);
  const { value } = document;
  if (value === null)
    throw new ConfigError(
      `${found.displayName}: contains neither agents nor hooks: it is empty, null or only comments`,
    );
  switch (kindOf(value)) {
    case "agents":
      return undefined;
    case "hooks": {
      const { entries, rules, notices } = await loadHooksDocument(asHooksDocument(document));
      const { warnings, remarks } = await noticesOf({ user: entries });
      const ofRules = await ruleNotices({ document, path: [], value });
      return { warnings: [...new Set([...notices, ...ofRules]), ...warnings], remarks, entries, rules };
    }
    case "settings": {
      const { warnings, unenforced } = await readUserConfig(document);
      const settings = isObject(value) && isObject(value["settings"]) ? value["settings"] : {};
      const block = { document, path: ["settings"], value: settings };
      const [hooks, rules] = await collectAll<[HookEntry[], PlacedRule[]]>(
        () => loadHooksBlock(document, ["settings", "hooks"], settings["hooks"]),
        () => loadRules(block),
      );
      const noticed = await noticesOf({ user: hooks, config: document });
      return {
        warnings: [...unenforced, ...warnings, ...(await ruleNotices(block)), ...noticed.warnings],
        remarks: noticed.remarks,
        entries: hooks,
        rules,
      };
    }
  }
}

interface Noticed {
  warnings: string[];
  remarks: string[];
}

async function noticesOf(hooks: Pick<NoticeScope, "file" | "user" | "config">): Promise<Noticed> {
  const notices = await hookNotices({ ...hooks, workingDir: process.cwd(), env: processEnv() });
  const remarks = notices.filter(({ level }) => level === "remark");
  return { warnings: notices.map(({ text }) => text), remarks: remarks.map(({ text }) => text) };
}

/** Keys that occur in `config.yaml` and never in an agent file. */
const USER_KEYS = ["settings", "aliases", "default_model"];

/** Guesses the kind of a file from its keys, even if they are mistyped. */
function kindOf(value: unknown): "agents" | "hooks" | "settings" {
  const keys = isObject(value) ? Object.keys(value) : [];
  if (keys.includes("agents")) return "agents";
  if (keys.some((key) => nearest(key, USER_KEYS) !== undefined)) return "settings";
  if (keys.some((key) => key === "hooks" || key === "rules" || isEventName(key) || nearestEvent(key) !== undefined))
    return "hooks";
  return isObject(value) && Object.values(value).some(hasHook) ? "hooks" : "agents";
}

/** True for a list with a matcher group or a hook, whatever the event is called. */
function hasHook(value: unknown): boolean {
  return [value].flat().some((item) => isObject(item) && ("matcher" in item || "hooks" in item || "command" in item));
}

async function show(verdict: Verdict, flags: CommandInput<typeof FLAGS>["flags"]): Promise<void> {
  const { file, problems, warnings, examplesNotRun = 0 } = verdict;
  if (flags.json) {
    await print(
      jsonLine({
        file,
        ok: problems.length === 0,
        problems: problems.map(toObject),
        warnings: warnings.map(toObject),
        ...(examplesNotRun > 0 ? { examples_not_run: examplesNotRun } : {}),
      }),
    );
    return;
  }
  for (const warning of warnings) warn(warning);
  for (const problem of problems) printError(problem);
  if (problems.length === 0)
    await print(`${file}: ok${warnings.length > 0 ? `, ${counted(warnings.length, "warning")}` : ""}`);
  if (examplesNotRun > 0) {
    const examples = examplesNotRun === 1 ? "1 example was" : `${examplesNotRun} examples were`;
    await print(`${file}: ${examples} not run, because the hooks are not hooksh's own: hooksh test ${file} runs them`);
  }
}

/** Splits `file:line:column: message` into an object; a text without a place becomes `{ message }`. */
function toObject(line: string): Record<string, unknown> {
  const [, file, row, column, message] = /^(.*?):(\d+):(\d+): ([\s\S]*)$/.exec(line) ?? [];
  return file === undefined ? { message: line } : { file, line: Number(row), column: Number(column), message };
}
