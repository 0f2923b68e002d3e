import { isDeepStrictEqual } from "node:util";
import type { Document as YamlDocument } from "yaml";
import { loadHooksBlock } from "../../config/hooks/hook-sources.ts";
import { loadRules } from "../../config/rules/load-rules.ts";
import { editUserConfig } from "../../config/user/edit-user-config.ts";
import { readUserConfig } from "../../config/user/user-config.ts";
import { type Document, type Path, pathText, readDocument } from "../../config/yaml/document.ts";
import { ConfigError } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/paths.ts";
import { isObject } from "../../lib/json.ts";
import type { ImportedRow, ImportStatus } from "./report.ts";
import { PERMISSIONS, SETTINGS, type SettingRule, TOP_LEVEL } from "./user-settings.ts";

/** Where the configuration comes from and goes to. */
export interface ConfigImport {
  /** docker-agent's `config.yaml`. */
  source: Document;
  /** The path of hooksh's `config.yaml`, which need not exist. */
  target: string;
  dryRun: boolean;
}

/** A value that may be written, at a path of the configuration. */
interface Candidate {
  path: Path;
  value: unknown;
  losses: string[];
}

/** Something to write: a value, or rules to add to a list. */
interface Change {
  path: Path;
  value?: unknown;
  add?: readonly unknown[];
}

/** The outcomes, and what is to be written. */
interface Plan {
  rows: ImportedRow[];
  changes: Change[];
}

/**
 * Imports docker-agent's user configuration (https://docs.docker.com/ai/docker-agent/configuration/user-settings/). Keeps
 * every value that hooksh has, and writes only what hooksh accepts. Returns the outcome of each key.
 */
export async function importConfig({ source, target, dryRun }: ConfigImport): Promise<ImportedRow[]> {
  const own = isMissing(target) ? {} : ((await readDocument(target)).value ?? {});
  const plan = await planOf(source, own);
  if (!dryRun && plan.changes.length > 0) await editUserConfig(target, (document) => write(document, plan.changes));
  return plan.rows;
}

async function planOf(source: Document, own: unknown): Promise<Plan> {
  const plan: Plan = { rows: [], changes: [] };
  const { value } = source;
  if (value === null || value === undefined) return plan;
  if (!isObject(value)) throw new ConfigError(`${source.file}: expected a mapping`);
  for (const [path, rule, inner] of keysOf(value)) {
    await planKey(plan, { source, own, rule, candidate: candidateOf(path, inner) });
  }
  return plan;
}

type Key = readonly [path: Path, rule: SettingRule, value: unknown];

/** Returns every key of the configuration with its rule; mappings of names are split into their entries. */
function keysOf(config: Record<string, unknown>): Key[] {
  return Object.entries(config).flatMap(([name, value]): Key[] => {
    if (name === "version") return [];
    if (name === "aliases") return entriesOf([name], value);
    if (name === "settings") return isObject(value) ? settingsOf(value) : notMapping([name], value);
    const rule = ruleFor(TOP_LEVEL, name);
    return rule.kind === "entries" ? entriesOf([name], value) : [[[name], rule, value]];
  });
}

function settingsOf(settings: Record<string, unknown>): Key[] {
  return Object.entries(settings).flatMap(([name, value]): Key[] => {
    if (name === "permissions" && !isObject(value)) return notMapping(["settings", name], value);
    if (name !== "permissions" || !isObject(value)) return [[["settings", name], ruleFor(SETTINGS, name), value]];
    return Object.entries(value).map(([list, rules]) => [["settings", name, list], ruleFor(PERMISSIONS, list), rules]);
  });
}

function entriesOf(path: Path, value: unknown): Key[] {
  if (!isObject(value)) return notMapping(path, value);
  return Object.entries(value).map(([name, entry]) => [[...path, name], { kind: "value" }, entry]);
}

/** A value where a mapping is expected; null is an empty one. */
function notMapping(path: Path, value: unknown): Key[] {
  return value === null ? [] : [[path, { kind: "left", why: "expected a mapping" }, value]];
}

function ruleFor(table: Readonly<Record<string, SettingRule>>, name: string): SettingRule {
  const rule = Object.hasOwn(table, name) ? table[name] : undefined;
  return rule ?? { kind: "left", why: "hooksh does not know this key" };
}

/** Why no import lets an agent run every tool without asking. */
const NO_YOLO = "tools do not run without asking after an import";

/** Returns what would be written for a value: never a mode that runs every tool without asking. */
function candidateOf(path: Path, value: unknown): Candidate {
  const [section, name] = path;
  if (section === "settings" && (name === "YOLO" ? value === true : name === "safety" && value === "autonomous"))
    return { path, value: undefined, losses: [`${NO_YOLO}: to choose it again, set settings.safety: autonomous`] };
  if (section !== "aliases" || !isObject(value)) return { path, value, losses: [] };
  const { yolo, safety, ...rest } = value;
  const isAutonomous = safety === "autonomous" || (yolo === true && (safety === undefined || safety === ""));
  const kept = safety === undefined || safety === "" || safety === "autonomous" ? rest : { ...rest, safety };
  return { path, value: kept, losses: isAutonomous ? [`${NO_YOLO}: to choose it again, set yolo: true`] : [] };
}

interface KeyInput {
  source: Document;
  /** The value of hooksh's own configuration. */
  own: unknown;
  rule: SettingRule;
  candidate: Candidate;
}

async function planKey(plan: Plan, input: KeyInput): Promise<void> {
  const { source, own, rule, candidate } = input;
  const { path, value, losses } = candidate;
  const row = (status: ImportStatus, ...remarks: string[]) =>
    void plan.rows.push({ place: source.file, status, subject: pathText(path), remarks });
  if (rule.kind === "left") return row("left", rule.why);
  if (value === undefined) return row("left", ...losses);
  if (rule.kind === "rules") return planRules(plan, input);
  const present = at(own, path);
  if (present !== undefined && present !== null) {
    return isDeepStrictEqual(present, value)
      ? row("present")
      : row("conflict", "hooksh has another value and keeps it");
  }
  const problems = await problemsOf(source, path, value, own);
  if (problems.length > 0) return row("left", ...problems);
  plan.changes.push({ path, value });
  row(losses.length > 0 ? "lossy" : "imported", ...losses);
}

/** Adds the rules that hooksh does not have to its list; each is a row. */
async function planRules(plan: Plan, { source, own, candidate: { path, value } }: KeyInput): Promise<void> {
  const present = at(own, path);
  const known = Array.isArray(present) ? present : [];
  const add: unknown[] = [];
  for (const [index, rule] of (Array.isArray(value) ? value : [value]).entries()) {
    const row = { place: source.file, subject: `${pathText(path)} ${JSON.stringify(rule)}` };
    const problems = allowsAll(path, rule)
      ? [`${NO_YOLO}: name the tools`]
      : await problemsOf(source, path, listWith(rule, index), own);
    if (known.includes(rule)) plan.rows.push({ ...row, status: "present", remarks: [] });
    else if (problems.length > 0) plan.rows.push({ ...row, status: "left", remarks: problems });
    else {
      add.push(rule);
      plan.rows.push({ ...row, status: "imported", remarks: [] });
    }
  }
  if (add.length > 0) plan.changes.push({ path, add });
}

/** True for an allow rule that lets every tool run without asking, as a safety mode would. */
function allowsAll(path: Path, rule: unknown): boolean {
  return path.at(-1) === "allow" && typeof rule === "string" && /^\*+$/.test(rule.trim());
}

/** Returns a list that has a rule at its place in the file, after valid rules, so that a problem names that place. */
function listWith(rule: unknown, index: number): unknown[] {
  return Array<unknown>(index + 1)
    .fill("x")
    .with(index, rule);
}

/** Returns why hooksh would not accept a value, each with its place in docker-agent's file. */
async function problemsOf(source: Document, path: Path, value: unknown, own: unknown): Promise<string[]> {
  const document = { ...source, value: nested(path, value) };
  try {
    await readUserConfig(document);
    if (path[0] === "settings") await checkGuards(source, path, value, own);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.problems];
    throw error;
  }
}

/** Throws a {@link ConfigError} if hooksh would not run hooks, or rules with the sets that its configuration has then. */
async function checkGuards(source: Document, path: Path, value: unknown, own: unknown): Promise<void> {
  const [, key] = path;
  if (key === "hooks") await loadHooksBlock(source, path, value);
  if (key !== "rules" && key !== "sets") return;
  const sets = at(own, ["settings", "sets"]) ?? at(source.value, ["settings", "sets"]);
  await loadRules({ document: source, path: ["settings"], value: { ...(sets ? { sets } : {}), [key]: value } });
}

function nested(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) => (isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

function write(document: YamlDocument, changes: readonly Change[]): void {
  for (const { path, value, add } of changes) {
    if (add === undefined) document.setIn(path, document.createNode(value));
    else if (document.hasIn(path)) for (const rule of add) document.addIn(path, rule);
    else document.setIn(path, document.createNode(add));
  }
}
